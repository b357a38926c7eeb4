"""Database access: statements as text for SQLite and PostgreSQL, retries, readable errors."""

from __future__ import annotations

import re
import sqlite3
import sys
import zlib
from contextlib import contextmanager
from functools import lru_cache, wraps
from itertools import chain
from time import sleep
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import msgspec
from msgspec import Struct

from callscore.core.rendering import escape
from callscore.errors import CallscoreError, UnusableStore
from callscore.history.damage import DamagedHistoryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from sqlalchemy import Connection

    from callscore.history.tables import Columns

    # To a file; or through SQLAlchemy, to a server, or where SQLAlchemy writes the statements.
    AnyConnection = sqlite3.Connection | Connection

__all__ = [
    "FILE_GONE",
    "Insert",
    "error_text",
    "execute",
    "fetch_all",
    "fetch_pages",
    "file_identity",
    "insert_into",
    "insert_row",
    "insert_rows",
    "is_locked",
    "is_lost",
    "is_record_error",
    "is_sqlite",
    "readable_errors",
    "require_integrity",
    "with_retries",
]


# --- errors of databases, as sentences with advice --------------------------------------------

FILE_GONE = "the file was moved or deleted while in use. Start again to create a new one."
_DAMAGED = "the file is damaged. Restore a copy, or move it away to create a new one."
_UNREADABLE = "some of its data is damaged. Restore a copy."
_BUSY = "another process is writing to it. Try again when that process has finished."
_FORBIDDEN = "permission denied. Check the owner of the file and its folder."
_LOST = "the connection to the server was lost. Check that the server is running, and try again."
_STARTING = "the server is starting or stopping. Try again in a moment."
_TOO_MANY_CONNECTIONS = "the server has too many connections. Try again later."
_NO_LOGIN = "wrong user or password. Set PGUSER and PGPASSWORD, or use ~/.pgpass."

# By prefix of the error name of SQLite, or of the error code (SQLSTATE) of PostgreSQL.
_ERROR_TEXTS = {
    "SQLITE_FULL": "the disk is full. Free some space.",
    "SQLITE_READONLY": "the file or its folder is read-only. Make both writable.",
    "SQLITE_BUSY": _BUSY,
    "SQLITE_LOCKED": _BUSY,
    "SQLITE_CORRUPT": _DAMAGED,
    "SQLITE_NOTADB": "the file is not an SQLite database. Move it away to create a new one.",
    "SQLITE_CANTOPEN": (
        "the file cannot be opened. Make the file and its folder readable and writable."
    ),
    "SQLITE_PERM": _FORBIDDEN,
    "SQLITE_AUTH": _FORBIDDEN,
    "SQLITE_IOERR": ("the disk reports an error. Check whether it is full or broken."),
    "08": _LOST,
    "25006": "the server is read-only. Use the primary server.",
    "28": _NO_LOGIN,
    "3D000": "the database does not exist. Create it with: createdb",
    "40": "other processes are changing the same data. Try again later.",
    "42501": (
        "permission denied. The owner of the database must grant CREATE on its schema"
        " and all rights on its tables."
    ),
    "42P01": "its tables no longer exist. Start again to create new ones.",
    "53100": "the disk of the server is full. Free some space.",
    "53200": "the server is out of memory. Try again later.",
    "53300": _TOO_MANY_CONNECTIONS,
    "55P03": _BUSY,
    "57014": "the query exceeded the statement_timeout of the server. Increase it.",
    "57P03": _STARTING,
    "57": _LOST,
    "XX00": "the server reports damage in the database. Restore a copy.",
}
# Connection errors have no code: by a pattern of the error text in lower case.
_CONNECTION_ERRORS = {
    "connection refused": (
        "connection refused. Check that the server is running, and check host and port."
    ),
    "could not translate host name": "unknown host. Check its spelling.",
    "failed to resolve host": "unknown host. Check its spelling.",
    "no such file or directory": (
        "no server is running on this machine. Start it, or specify a host."
    ),
    "timeout expired": "the connection timed out. Check that the server can be reached.",
    "timed out": "the connection timed out. Check that the server can be reached.",
    "no route to host": "the host cannot be reached. Check the network.",
    "network is unreachable": "the host cannot be reached. Check the network.",
    "password authentication failed": _NO_LOGIN,
    "no password supplied": "the server requires a password. Set PGPASSWORD, or use ~/.pgpass.",
    r"no pg_hba\.conf entry": (
        "the server does not accept this user from this host. Check its pg_hba.conf, and whether it requires SSL."
    ),
    "is not permitted to log in": _NO_LOGIN,
    'role ".*" does not exist': _NO_LOGIN,
    'database ".*" does not exist': _ERROR_TEXTS["3D000"],
    "permission denied for database": (
        "permission denied for the database. Its owner must grant CONNECT."
    ),
    "too many clients": _TOO_MANY_CONNECTIONS,
    "too many connections": _TOO_MANY_CONNECTIONS,
    "remaining connection slots": _TOO_MANY_CONNECTIONS,
    "starting up": _STARTING,
    "shutting down": _STARTING,
    "not accepting connections": _STARTING,
    "in recovery mode": _STARTING,
    "does not support ssl": ("the server does not support SSL. Change the sslmode of the address."),
    "certificate": "the certificate of the server is not valid. Check sslmode and sslrootcert.",
}
_LOCKED_CODES = ("SQLITE_BUSY", "SQLITE_LOCKED")
_CONFLICT_CODES = ("40001", "40P01")
_LOST_CODES = ("08", "57P")


def _error_code(error: BaseException) -> str:
    original = getattr(error, "orig", None) or error
    return getattr(original, "sqlite_errorname", None) or getattr(original, "sqlstate", None) or ""


def is_locked(error: BaseException) -> bool:
    """Whether the database is locked by another process, so that waiting may help."""
    return _error_code(error).startswith(_LOCKED_CODES)


def is_conflict(error: BaseException) -> bool:
    """Whether a concurrent transaction caused it, so that an immediate retry may help."""
    return _error_code(error).startswith(_CONFLICT_CODES)


def is_lost(error: BaseException) -> bool:
    """Whether the connection was lost, so that a new one may work."""
    if _error_code(error).startswith(_LOST_CODES):
        return True
    is_cut = bool(getattr(error, "connection_invalidated", False))  # of SQLAlchemy
    return is_cut or (_is_postgres_error(error) and error_text(error) in (_LOST, _STARTING))


def is_record_error(error: BaseException | None) -> bool:
    """Whether one record caused it, so that the others can be written without it."""
    kinds = (sqlite3.DataError, sqlite3.IntegrityError)
    return isinstance(error, (*kinds, *_sqlalchemy_errors("DataError", "IntegrityError")))


def _is_postgres_error(error: BaseException) -> bool:
    return hasattr(getattr(error, "orig", None) or error, "sqlstate")


def error_text(error: BaseException) -> str:
    """The error as a sentence with advice."""
    code = _error_code(error)
    for beginning, sentence in _ERROR_TEXTS.items():
        if code.startswith(beginning):
            return sentence
    words = str(getattr(error, "orig", None) or error).strip()
    if not code and _is_postgres_error(error):
        return _connection_error_text(error, words)
    if re.match("could not decode to utf-8|no such (table|column)", words.lower()):
        return _DAMAGED
    # Only the first line: the others are the statement with its values.
    return f"database error: {_first_line(words) or type(error).__name__}."


def _connection_error_text(error: BaseException, words: str) -> str:
    small = words.lower()
    for some, sentence in _CONNECTION_ERRORS.items():
        if re.search(some, small):
            return sentence
    if not small.startswith("connection failed") or "server closed the connection" in small:
        return _LOST
    return f"the server cannot be reached: {_first_line(words) or type(error).__name__}."


def _first_line(words: str) -> str:
    return escape(words.partition("\n")[0].rstrip("."))


def _sqlalchemy_errors(*names: str) -> tuple[type[Exception], ...]:
    """Errors of SQLAlchemy; none if it was not imported, because then it raised none."""
    loaded = sys.modules.get("sqlalchemy.exc")
    return () if loaded is None else tuple([getattr(loaded, name) for name in names])


@contextmanager
def readable_errors(place: str) -> Iterator[None]:
    """Convert database errors to `UnusableStore` with a readable message."""
    try:
        yield
    except CallscoreError:
        raise
    # Rows are mostly fetched without SQLAlchemy, so errors may come from the driver.
    except (sqlite3.Error, *_sqlalchemy_errors("SQLAlchemyError")) as error:  # type: ignore[misc]  # a tuple
        raise UnusableStore(place, error_text(error)) from error
    except DamagedHistoryError as error:
        raise UnusableStore(place, str(error)) from error
    except (zlib.error, msgspec.DecodeError, ValueError, MemoryError) as error:
        # SQLite believes the sizes in a damaged file, and asks for more memory than there is.
        raise UnusableStore(place, _UNREADABLE) from error
    except Exception as error:
        if not _is_postgres_error(error):
            raise
        raise UnusableStore(place, error_text(error)) from error


def file_identity(path: Path | None) -> tuple[int, int] | None:
    """Device and inode of the file at the path; None if there is no file."""
    try:
        found = path and path.stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if found else None


# --- retries after conflicts and lost connections ---------------------------------------------

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")

# Seconds to wait before each further attempt.
_AFTER_CONFLICT = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_AFTER_LOST_CONNECTION = (0.0, 0.5, 1.5)


def with_retries(work: Callable[_Given, _Found]) -> Callable[_Given, _Found]:
    """Retry the call after conflicts and lost connections."""

    @wraps(work)
    def again(*given: _Given.args, **named: _Given.kwargs) -> _Found:
        tried = 0
        while True:
            try:
                return work(*given, **named)
            except UnusableStore as error:
                cause = error.__cause__
                pauses: Sequence[float] = ()
                if cause is not None and is_conflict(cause):
                    pauses = _AFTER_CONFLICT
                elif cause is not None and is_lost(cause):
                    pauses = _AFTER_LOST_CONNECTION
                if tried >= len(pauses):
                    raise
                sleep(pauses[tried])
            tried += 1

    return again


def is_sqlite(connection: AnyConnection) -> bool:
    """Whether the connection is to a file."""
    return isinstance(connection, sqlite3.Connection) or connection.dialect.name == "sqlite"


def fetch_all(
    connection: AnyConnection, query: str, given: Mapping[str, Any] | tuple[Any, ...] | None = None
) -> list[Any]:
    """The rows of a query whose values are written as `:name`; tuples of the driver.

    Values without names are written as the driver has it.
    Rows of SQLAlchemy are slow if they have many columns. Booleans may be numbers.
    """
    if isinstance(connection, sqlite3.Connection):
        return connection.execute(query, given or {}).fetchall()
    values: Any = given or {}
    if not isinstance(values, tuple):
        values = dict(values)
        query = query if is_sqlite(connection) else _with_percent_signs(query)
    return list(connection.exec_driver_sql(query, values).cursor.fetchall())


def execute(connection: AnyConnection, statement: str, given: Mapping[str, Any]) -> int:
    """Execute a statement whose values are written as `:name`; returns how many rows it changed."""
    if isinstance(connection, sqlite3.Connection):
        return connection.execute(statement, given).rowcount
    text = statement if is_sqlite(connection) else _with_percent_signs(statement)
    options = {"preserve_rowcount": True}
    return connection.exec_driver_sql(text, dict(given), execution_options=options).rowcount


def fetch_pages(
    connection: AnyConnection, query: str, size: int, given: Mapping[str, Any] | None = None
) -> Iterator[list[Any]]:
    """The rows of a long table, some at a time; values are written as in `fetch_all`."""
    values = dict(given or {})
    if isinstance(connection, sqlite3.Connection):
        cursor: Any = connection.execute(query, values)
    else:
        text = query if is_sqlite(connection) else _with_percent_signs(query)
        cursor = connection.exec_driver_sql(text, values).cursor
    while rows := cursor.fetchmany(size):
        yield rows


@lru_cache(maxsize=64)
def _with_percent_signs(query: str) -> str:
    """The query in the style of psycopg: `%(name)s` for `:name`."""
    return re.sub(r":(\w+)", r"%(\1)s", query)


def require_integrity(connection: AnyConnection) -> None:
    """Refuse a file whose structure is damaged; this reads all of it."""
    if not is_sqlite(connection):
        return
    if fetch_all(connection, "PRAGMA quick_check(1)") != [("ok",)]:
        raise DamagedHistoryError("the file is damaged")


def sort_in_memory(connection: Connection) -> None:
    """Sort long lists of digests in memory; on disk it would take minutes."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA temp_store = MEMORY")


def vacuum(connection: Connection, timeout: int) -> None:
    """Rewrite the file without gaps; waits at most `timeout` milliseconds for other processes."""
    before = connection.exec_driver_sql("PRAGMA busy_timeout").scalar_one()
    connection.exec_driver_sql(f"PRAGMA busy_timeout = {timeout}")
    try:
        connection.exec_driver_sql("VACUUM")
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {before}")


# The number of values that every SQLite accepts in one statement.
_MAX_VALUES = 900


class Insert(Struct, frozen=True):
    """An INSERT statement as text for the driver of a database.

    Attributes:
        text: the statement.
        names: the columns, in the order of the values.
    """

    text: str
    names: tuple[str, ...]


def insert_into(
    columns: Columns, *, is_sqlite: bool, conflict: Sequence[str] | None = None
) -> Insert:
    """The statement that inserts rows of a table; the database assigns `number` if it is the first column.

    With `conflict`, an existing row with the same values of these columns is replaced; if these are
    none, it is left as it is.
    """
    names = columns.written
    values = ", ".join(["?" if is_sqlite else "%s"] * len(names))
    text = f"INSERT INTO {columns.table} ({', '.join(names)}) VALUES ({values})"  # noqa: S608  (our own names)
    if conflict is not None:
        others = ", ".join([f"{name} = excluded.{name}" for name in names if name not in conflict])
        text += (
            f" ON CONFLICT ({', '.join(conflict)}) DO UPDATE SET {others}"
            if conflict
            else " ON CONFLICT DO NOTHING"
        )
    return Insert(text, names)


def insert_rows(connection: AnyConnection, insert: Insert, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows, which are values in the order of the statement, in the current transaction.

    They go to the driver directly: SQLAlchemy takes longer to process a value than the database to
    write it. If possible, one statement inserts many rows: between two statements the driver releases
    the interpreter lock, and has to wait for other threads to get it back.
    """
    if not isinstance(connection, sqlite3.Connection):
        if rows:
            connection.exec_driver_sql(insert.text, list(rows))
        return
    most = _MAX_VALUES // len(insert.names)
    for start in range(0, len(rows), most):
        some = rows[start : start + most]
        values = tuple(chain.from_iterable(some))
        connection.execute(_multi_row_text(insert, len(some)), values)


def insert_row(connection: AnyConnection, insert: Insert, row: Mapping[str, Any]) -> None:
    """Insert a row, which is values by name, in the current transaction."""
    insert_rows(connection, insert, [tuple([row[name] for name in insert.names])])


@lru_cache(maxsize=512)
def _multi_row_text(insert: Insert, count: int) -> str:
    """The statement for this number of rows."""
    row = f"({', '.join('?' * len(insert.names))})"
    return insert.text.replace(f"VALUES {row}", f"VALUES {', '.join([row] * count)}")
