"""Locks that mark a run as active: a lock file beside the database, or a server lock."""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from time import sleep
from typing import TYPE_CHECKING, Any, Self

from callscore.history.postgres import connect

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from psycopg import Connection
    from sqlalchemy import Connection as Transaction

    from callscore.history.records import RunRecord
    from callscore.history.store import Store

__all__ = ["RunLock", "ServerLock", "is_abandoned", "lock_for_writing", "remove_stale_locks"]


# Marks a run as being under way, for as long as its process lives: however it ends, the mark
# does.

_LOCK_SUFFIX = ".lock"
# Whoever clears up holds a mark for a moment, too.
_ATTEMPTS = 5
_PAUSE = 0.02

# The marks that this process holds.
_held_files: set[int] = set()


def _release_after_fork() -> None:
    """A process that is made as a copy of this one holds nothing, however long it lives."""
    while _held_files:
        with suppress(OSError):
            os.close(_held_files.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_after_fork)


class RunLock:
    """The lock of a run (a file), held by one process at a time.

    Args:
        store: the file of the history, beside which the mark stands; None where it is no file.
        run: the run.
    """

    def __init__(self, store: Path | None, run: str) -> None:
        self._path = None if store is None else store.with_name(f"{store.name}-{run}{_LOCK_SUFFIX}")
        self._file = -1

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

        Where none can be made, on a full disk for instance, nobody has.
        """
        if self._path is None:
            return True
        for attempt in range(_ATTEMPTS):
            if attempt:
                sleep(_PAUSE)
            try:
                self._file = _open_locked(self._path, os.O_CREAT)
            except OSError:
                return True
            if self._file >= 0:
                return True
        return False

    def release(self) -> None:
        """Take the mark away, if it is ours."""
        if self._path is not None and self._file >= 0:
            _remove_lock(self._path, self._file)
            self._file = -1


def remove_stale_locks(store: Path) -> None:
    """Remove lock files of processes that have ended."""
    with suppress(OSError):
        for path in store.parent.glob(f"{store.name}-*{_LOCK_SUFFIX}"):
            file = _open_locked(path, 0)
            if file >= 0:
                _remove_lock(path, file)


def _open_locked(path: Path, creating: int) -> int:
    """The file of a mark, which is ours now; -1 where it is not."""
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC | creating, 0o600)
    if _try_lock(file) and _is_same_file(path, file):
        _held_files.add(file)
        return file
    os.close(file)
    return -1


def _try_lock(file: int) -> bool:
    """Take the lock of a file, if it is free; where there are no such locks, it always is."""
    try:
        import fcntl
    except ImportError:  # pragma: no cover  (not on this system)
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_same_file(path: Path, file: int) -> bool:
    """Whether the file still stands there, and was not removed before it was ours."""
    try:
        there, ours = path.stat(), os.fstat(file)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


def _remove_lock(path: Path, file: int) -> None:
    """Remove a mark while it is ours; afterwards it may be another's."""
    with suppress(OSError):
        path.unlink()
    _held_files.discard(file)
    with suppress(OSError):
        os.close(file)


# Locks on a server: each ends with its connection, and so with its process, however that ends.

# The server may end a connection that does nothing; this one does nothing for long.
_NO_IDLE_TIMEOUT = (
    "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'"
)


class ServerLock:
    """The lock of a run (a PostgreSQL advisory lock), held by one process at a time.

    Args:
        parts: the address of the database, by the names in libpq.
        run: the run.
    """

    def __init__(self, parts: dict[str, Any], run: str) -> None:
        self._parts = parts
        self._key = _lock_key(f"run {run}")
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
        connection.execute(_NO_IDLE_TIMEOUT)
        row = connection.execute("SELECT pg_try_advisory_lock(%s)", [self._key]).fetchone()
        return row is None or bool(row[0])

    def release(self) -> None:
        """Take the mark away, if it is ours."""
        from psycopg import Error

        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Error):
                connection.close()


def lock_for_writing(transaction: Transaction, *, is_alone: bool) -> None:
    """Take the write lock of the history until the transaction ends: shared, or exclusive.

    Those who add rows do it at the same time. Whoever changes the tables, or clears away what nobody
    refers to, is alone: somebody may be about to refer to it.
    """
    which = "pg_advisory_xact_lock" if is_alone else "pg_advisory_xact_lock_shared"
    transaction.exec_driver_sql(f"SELECT {which}({_lock_key('writing')})")


def _lock_key(what: str) -> int:
    """The number of a lock, which is all that the server knows of it."""
    digest = blake2b(
        f"callscore {what}".encode("utf-8", "backslashreplace"), digest_size=8
    ).digest()
    return int.from_bytes(digest, "big", signed=True)


# Whether a process is still at a run that did not come to its end.


def is_abandoned(store: Store, run: RunRecord) -> bool:
    """Whether a run is marked as running, but its process has ended."""
    if run.status != "running":
        return False
    lock = store.lock(run.id)
    if not lock.take():
        return False
    lock.release()
    return True
