"""Locks on a server: each ends with its connection, and so with its process, however that ends."""

from __future__ import annotations

from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Self

from callscore.history.postgres import connect

if TYPE_CHECKING:
    from types import TracebackType

    from psycopg import Connection
    from sqlalchemy import Connection as Transaction

__all__ = ["ServerLock", "wait_for_turn"]

# The server may end a connection that does nothing; this one does nothing for long.
_MAY_BE_IDLE = (
    "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'"
)


class ServerLock:
    """The mark of a run, which one process at a time can have.

    Args:
        parts: the address of the database, by the names in libpq.
        run: the run.
    """

    def __init__(self, parts: dict[str, Any], run: str) -> None:
        self._parts = parts
        self._key = _key(f"run {run}")
        self._connection: Connection[Any] | None = None

    def __enter__(self) -> Self:
        self.take()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def take(self) -> bool:
        """Take the mark, and keep it; whether nobody else has it.

        Where the server cannot be asked, nobody has.
        """
        from psycopg import Error

        is_free = True
        with suppress(Error):
            if self._connection is None:
                self._connection = connect(self._parts, autocommit=True)
                is_free = self._is_taken(self._connection)
        if not is_free:
            self.release()
        return is_free

    def _is_taken(self, connection: Connection[Any]) -> bool:
        """Whether the mark is ours now."""
        connection.execute(_MAY_BE_IDLE)
        row = connection.execute("SELECT pg_try_advisory_lock(%s)", [self._key]).fetchone()
        return row is None or bool(row[0])

    def release(self) -> None:
        """Take the mark away, if it is ours."""
        from psycopg import Error

        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Error):
                connection.close()


def wait_for_turn(transaction: Transaction, *, is_alone: bool) -> None:
    """Wait until this transaction may write; it may until it ends.

    Those who add rows do it at the same time. Whoever changes the tables, or clears away what nobody
    refers to, is alone: somebody may be about to refer to it.
    """
    which = "pg_advisory_xact_lock" if is_alone else "pg_advisory_xact_lock_shared"
    transaction.exec_driver_sql(f"SELECT {which}({_key('writing')})")


def _key(what: str) -> int:
    """The number of a lock, which is all that the server knows of it."""
    digest = blake2b(
        f"callscore {what}".encode("utf-8", "backslashreplace"), digest_size=8
    ).digest()
    return int.from_bytes(digest, "big", signed=True)
