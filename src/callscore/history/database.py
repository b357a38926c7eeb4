"""Database access: statements as text for SQLite and PostgreSQL, retries, readable errors."""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache, wraps
from itertools import chain
from time import sleep
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import msgspec

from callscore.core.rendering import escape
from callscore.errors import CallscoreError, UnusableStore
from callscore.history.damage import DamagedHistoryError

if TYPE_CHECKING:
    from pathlib import Path

    from psycopg import Connection

    from callscore.history.tables import Table

    # To a file, or to a server.
    AnyConnection = sqlite3.Connection | Connection[Any]

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
    return getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None) or ""


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
    return _is_postgres_error(error) and error_text(error) in (_LOST, _STARTING)


def is_record_error(error: BaseException | None) -> bool:
    """Whether one record caused it, so that the others can be written without it."""
    # Both drivers have the classes of the DB-API; that of the server may not be installed.
    classes = {each.__name__ for each in type(error).__mro__}
    return not classes.isdisjoint(("DataError", "IntegrityError"))


def _is_postgres_error(error: BaseException) -> bool:
    return hasattr(error, "sqlstate")


def error_text(error: BaseException) -> str:
    """The error as a sentence with advice."""
    code = _error_code(error)
    for beginning, sentence in _ERROR_TEXTS.items():
        if code.startswith(beginning):
            return sentence
    words = str(error).strip()
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


@contextmanager
def readable_errors(place: str) -> Iterator[None]:
    """Convert database errors to `UnusableStore` with a readable message."""
    try:
        yield
    except CallscoreError:
        raise
    except sqlite3.Error as error:
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
    return isinstance(connection, sqlite3.Connection)


# Values of a statement, by the names in `:name`, or in the order of `?`.
_Values = Mapping[str, Any] | Sequence[Any]


def _cursor(connection: AnyConnection, statement: str, given: _Values) -> Any:
    if isinstance(connection, sqlite3.Connection):
        return connection.execute(statement, given)
    return connection.execute(_for_server(statement), given)


def fetch_all(connection: AnyConnection, query: str, given: _Values = ()) -> list[Any]:
    """The rows of a query, as tuples. Booleans of SQLite are numbers."""
    rows: list[Any] = _cursor(connection, query, given).fetchall()
    return rows


_PAGE = 2_000


def fetch_pages(connection: AnyConnection, query: str, given: _Values = ()) -> Iterator[list[Any]]:
    """The rows of a long query, some at a time."""
    if isinstance(connection, sqlite3.Connection):
        cursor: Any = connection.execute(query, given)
    else:
        cursor = connection.cursor("callscore")  # with a name the rows stay on the server
        cursor.execute(_for_server(query), given)
    with closing(cursor):
        while rows := cursor.fetchmany(_PAGE):
            yield rows


def execute(connection: AnyConnection, statement: str, given: _Values = ()) -> int:
    """Execute a statement; returns how many rows it changed."""
    count: int = _cursor(connection, statement, given).rowcount
    return count


@lru_cache(maxsize=512)
def _for_server(statement: str) -> str:
    """The statement in the style of psycopg: `%(name)s` for `:name`, `%s` for `?`."""
    return re.sub(r":(\w+)", r"%(\1)s", statement).replace("?", "%s")


def require_integrity(connection: AnyConnection) -> None:
    """Refuse a file whose structure is damaged; this reads all of it."""
    if not is_sqlite(connection):
        return
    if fetch_all(connection, "PRAGMA quick_check(1)") != [("ok",)]:
        raise DamagedHistoryError("the file is damaged")


def vacuum(connection: AnyConnection, timeout: int) -> None:
    """Rewrite the file without gaps; waits at most `timeout` milliseconds for other processes."""
    [(before,)] = fetch_all(connection, "PRAGMA busy_timeout")
    execute(connection, f"PRAGMA busy_timeout = {timeout}")
    try:
        execute(connection, "VACUUM")
        execute(connection, "PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        execute(connection, f"PRAGMA busy_timeout = {before}")


# The number of values that every SQLite accepts in one statement.
_MAX_VALUES = 900


def insert_into(table: Table, *, conflict: Sequence[str] | None = None) -> str:
    """The statement that inserts a row of a table; the database assigns `number` if it is a serial.

    With `conflict`, an existing row with the same values of these columns is replaced; if these are
    none, it is left as it is.
    """
    names = table.written
    marks = ", ".join("?" * len(names))
    text = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({marks})"  # noqa: S608  (our own names)
    if conflict is None:
        return text
    if not conflict:
        return f"{text} ON CONFLICT DO NOTHING"
    others = ", ".join([f"{name} = excluded.{name}" for name in names if name not in conflict])
    return f"{text} ON CONFLICT ({', '.join(conflict)}) DO UPDATE SET {others}"


def insert_rows(connection: AnyConnection, insert: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows, which are values in the order of the statement, in the current transaction.

    In a file, one statement inserts many rows: between two statements the driver releases the interpreter
    lock, and has to wait for other threads to get it back.
    """
    if not rows:
        return
    if not isinstance(connection, sqlite3.Connection):
        connection.cursor().executemany(_for_server(insert), rows)
        return
    most = _MAX_VALUES // len(rows[0])
    for start in range(0, len(rows), most):
        some = rows[start : start + most]
        connection.execute(_multi_row(insert, len(some)), [*chain.from_iterable(some)])


@lru_cache(maxsize=512)
def _multi_row(insert: str, count: int) -> str:
    """The statement for this number of rows."""
    start = insert.index("(?")
    row = insert[start : insert.index(")", start) + 1]
    return insert.replace(row, ", ".join([row] * count))
