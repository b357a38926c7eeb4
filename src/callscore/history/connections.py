"""Connections to the database of a history: to an SQLite file with `sqlite3`, or to a server with `psycopg`."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from callscore.history.database import is_locked, is_lost
from callscore.history.locks import lock_key
from callscore.history.postgres import connect

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.history.database import AnyConnection


# How long to wait for another process that writes.
_BUSY_TIMEOUT = 30.0
_BUSY_PAUSE = 0.02
# Connections that are kept open for the next transaction.
_MAX_IDLE = 4

_READ_ONLY_SETTINGS = ("PRAGMA cache_size = -8000",)
_SETTINGS = (
    # Nothing is lost if the process is killed; after a power failure the last moments may be.
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA cache_size = -8000",
    # Shrink the log after a long run.
    "PRAGMA journal_size_limit = 67108864",
)


class Connections:
    """Connections to a database; threads may share them.

    Args:
        connect: opens a connection.
        reading: begins a transaction in which all queries see the same state of the database.
        writing: begins a transaction that writes.
        altering: begins a transaction during which no other process writes.
    """

    def __init__(
        self, connect: Callable[[], AnyConnection], *, reading: str, writing: str, altering: str
    ) -> None:
        self._connect = connect
        self._idle: list[AnyConnection] = []
        self.reading = partial(self._transaction, reading)
        self.writing = partial(self._transaction, writing)
        self.altering = partial(self._transaction, altering)

    @contextmanager
    def connected(self) -> Iterator[AnyConnection]:
        """A connection without a transaction."""
        connection, _ = self._take()
        try:
            yield connection
        finally:
            self._release(connection)

    def close(self) -> None:
        """Close the connections that are not in use."""
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def _transaction(self, beginning: str) -> Iterator[AnyConnection]:
        connection = self._begin(beginning)
        try:
            yield connection
            connection.commit()
        finally:
            self._release(connection)

    def _begin(self, beginning: str) -> AnyConnection:
        connection, is_new = self._take()
        try:
            connection.execute(beginning)
        except BaseException as error:
            self._release(connection)
            if is_new or not is_lost(error):
                raise
            return self._begin(beginning)  # it was lost while idle
        return connection

    def _take(self) -> tuple[AnyConnection, bool]:
        """A connection, and whether it is new."""
        try:
            return self._idle.pop(), False
        except IndexError:
            return self._connect(), True

    def _release(self, connection: AnyConnection) -> None:
        try:
            connection.rollback()
        except Exception:  # noqa: BLE001  (of the disk, a damaged file, or a lost connection)
            connection.close()
        else:
            if len(self._idle) < _MAX_IDLE:
                self._idle.append(connection)
            else:
                connection.close()


def file_connections(path: Path, *, is_read_only: bool = False) -> Connections:
    """Connections to an SQLite file; `is_read_only` if the file, or its folder, cannot be written."""
    # A transaction that begins with reading cannot always be upgraded; others wait until it ends.
    writing = "BEGIN IMMEDIATE"
    return Connections(
        partial(_open_file, path, is_read_only=is_read_only),
        reading="BEGIN",
        writing=writing,
        altering=writing,
    )


def server_connections(parts: dict[str, Any]) -> Connections:
    """Connections to a PostgreSQL server; `parts` is the address, as libpq parameters.

    Rows may be inserted by several processes at the same time. Changing the tables, or removing
    unreferenced payloads, needs the exclusive lock: another process may be about to refer to them.
    """
    key = lock_key("writing")
    return Connections(
        partial(connect, parts),
        reading="BEGIN ISOLATION LEVEL REPEATABLE READ",
        writing=f"BEGIN; SELECT pg_advisory_xact_lock_shared({key})",
        altering=f"BEGIN; SELECT pg_advisory_xact_lock({key})",
    )


def _open_file(path: Path, *, is_read_only: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(
        _read_only_address(path) if is_read_only else str(path),
        timeout=_BUSY_TIMEOUT,
        isolation_level=None,  # transactions begin above
        check_same_thread=False,
        uri=is_read_only,
    )
    try:
        for setting in _READ_ONLY_SETTINGS if is_read_only else _SETTINGS:
            connection.execute(setting)
    except BaseException:
        connection.close()
        raise
    return connection


def _read_only_address(path: Path) -> str:
    # The last writes of other processes are in the log beside the file. Without a log no process is
    # writing; SQLite would have to write to the folder to check that, unless it is `immutable`.
    log = path.with_name(f"{path.name}-wal")
    is_settled = not log.exists() or not log.stat().st_size
    options = "mode=ro&immutable=1" if is_settled else "mode=ro"
    return f"file:{quote(str(path.absolute()))}?{options}"


def enable_wal(connections: Connections) -> None:
    """Switch a file to write-ahead logging, so that readers and writers do not block each other.

    The file remembers it. Some disks do not support it.
    """
    deadline = monotonic() + _BUSY_TIMEOUT
    with connections.connected() as connection:
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                # SQLite does not wait here for another process that opens the file, too.
                if not is_locked(error) or monotonic() > deadline:
                    raise
                sleep(_BUSY_PAUSE)
            else:
                return
