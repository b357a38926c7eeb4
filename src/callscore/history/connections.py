"""Connections to the database of a history: to an SQLite file, or to a PostgreSQL server.

A file is read and written with `sqlite3` alone: importing SQLAlchemy takes longer than most commands that look
at a history. SQLAlchemy removes old runs, and talks to servers.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from functools import cached_property
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from callscore.history.database import is_locked
from callscore.history.locks import lock_for_writing
from callscore.history.postgres import connect

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection, Engine

__all__ = ["FileConnections", "ServerConnections"]

# How long to wait for another process that writes.
_BUSY_TIMEOUT = 30.0
_BUSY_PAUSE = 0.02

_READ_ONLY_SETTINGS = ("PRAGMA cache_size = -8000",)
_SETTINGS = (
    # Nothing is lost if the process is killed; after a power failure the last moments may be.
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA cache_size = -8000",
    # Shrink the log after a long run.
    "PRAGMA journal_size_limit = 67108864",
)


class FileConnections:
    """Connections to an SQLite file; threads may share them.

    Args:
        path: the file.
        is_read_only: whether the file, or its folder, cannot be written.
    """

    def __init__(self, path: Path, *, is_read_only: bool = False) -> None:
        self._address = _read_only_address(path) if is_read_only else str(path)
        self._is_read_only = is_read_only
        self._idle: list[sqlite3.Connection] = []

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A transaction for reading: all queries see the same state of the file."""
        connection = self._take()
        try:
            connection.execute("BEGIN")
            yield connection
        finally:
            self._release(connection)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction for writing; other processes wait until it ends."""
        connection = self._take()
        try:
            # A transaction that begins with reading cannot always be upgraded.
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.commit()
        finally:
            self._release(connection)

    @contextmanager
    def altering(self) -> Iterator[Connection]:
        """The same, through SQLAlchemy."""
        with self._engine.begin() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """A connection through SQLAlchemy, without a transaction."""
        with self._engine.connect() as connection:
            yield connection

    def enable_wal(self) -> None:
        """Switch to write-ahead logging, so that readers and writers do not block each other.

        The file remembers it. Some disks do not support it.
        """
        deadline = monotonic() + _BUSY_TIMEOUT
        connection = self._take()
        try:
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
        finally:
            self._release(connection)

    def close(self) -> None:
        """Close the connections that are not in use."""
        while self._idle:
            self._idle.pop().close()
        if "_engine" in vars(self):
            self._engine.dispose()

    def _take(self) -> sqlite3.Connection:
        try:
            return self._idle.pop()
        except IndexError:
            return self._connect()

    def _release(self, connection: sqlite3.Connection) -> None:
        try:
            connection.rollback()
        except sqlite3.Error:  # of the disk, or of a damaged file
            connection.close()
        else:
            self._idle.append(connection)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._address,
            timeout=_BUSY_TIMEOUT,
            isolation_level=None,  # transactions begin above
            check_same_thread=False,
            uri=self._is_read_only,
        )
        try:
            for setting in _READ_ONLY_SETTINGS if self._is_read_only else _SETTINGS:
                connection.execute(setting)
        except BaseException:
            connection.close()
            raise
        return connection

    @cached_property
    def _engine(self) -> Engine:
        from sqlalchemy import NullPool, create_engine

        return create_engine("sqlite://", creator=self._connect, poolclass=NullPool)


def _read_only_address(path: Path) -> str:
    # The last writes of other processes are in the log beside the file. Without a log no process is
    # writing; SQLite would have to write to the folder to check that, unless it is `immutable`.
    log = path.with_name(f"{path.name}-wal")
    is_settled = not log.exists() or not log.stat().st_size
    options = "mode=ro&immutable=1" if is_settled else "mode=ro"
    return f"file:{quote(str(path.absolute()))}?{options}"


_POOL_SIZE = 2
_MAX_OVERFLOW = 8


class ServerConnections:
    """Connections to a PostgreSQL server; threads may share them.

    Args:
        parts: the address, as libpq parameters.
    """

    def __init__(self, parts: dict[str, Any]) -> None:
        from sqlalchemy import create_engine

        self._engine = create_engine(
            "postgresql+psycopg://",
            creator=lambda: connect(parts),
            # A connection that was lost while idle is noticed before it is used.
            pool_pre_ping=True,
            pool_size=_POOL_SIZE,
            max_overflow=_MAX_OVERFLOW,
            hide_parameters=True,
            use_native_hstore=False,
        )

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction for reading: all queries see the same state of the database."""
        with self._engine.connect() as connection:
            connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction for writing; others may write at the same time."""
        with self._engine.begin() as connection:
            lock_for_writing(connection, is_alone=False)
            yield connection

    @contextmanager
    def altering(self) -> Iterator[Connection]:
        """A transaction during which no other process writes."""
        with self._engine.begin() as connection:
            lock_for_writing(connection, is_alone=True)
            yield connection

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """A connection without a transaction."""
        with self._engine.connect() as connection:
            yield connection

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()
