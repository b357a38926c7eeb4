"""A SQLite file or a PostgreSQL server: connections, transactions, statements for both, readable errors."""

from __future__ import annotations

import os
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache, wraps
from itertools import chain
from threading import Lock
from time import sleep
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import msgspec

from callscore.core.rendering import escape
from callscore.errors import CallscoreError, UnusableStore

if TYPE_CHECKING:
    from pathlib import Path

    from psycopg import Connection

    from callscore.history.tables import Table

    # To a file, or to a server.
    AnyConnection = sqlite3.Connection | Connection[Any]

# --- errors as sentences with advice ----------------------------------------------------------

_DAMAGED = "the file is damaged. Restore a copy, or move it away to create a new one."
_BUSY = "another process is writing to it. Try again when that process has finished."
_LOST = "the connection to the server was lost. Check that the server is running, and try again."
_NO_LOGIN = "wrong user or password. Set PGUSER and PGPASSWORD, or use ~/.pgpass."
_RESTORE = (
    "Restore a copy of the history. Without a copy, export the other runs, which callscore history"
    " lists, move the history away, and import them: callscore export ID -o FILE, callscore import FILE"
)
# By the beginning of the error name of SQLite, or of the error code (SQLSTATE) of PostgreSQL.
_ERRORS_BY_CODE = {
    "SQLITE_FULL": "the disk is full. Free some space.",
    "SQLITE_READONLY": "the file or its folder is read-only. Make both writable.",
    "SQLITE_BUSY": _BUSY,
    "SQLITE_LOCKED": _BUSY,
    "SQLITE_CORRUPT": _DAMAGED,
    "SQLITE_NOTADB": "the file is not an SQLite database. Move it away to create a new one.",
    "SQLITE_CANTOPEN": (
        "the file cannot be opened. Make the file and its folder readable and writable."
    ),
    "SQLITE_IOERR": "the disk reports an error. Check whether it is full or broken.",
    "08": _LOST,
    "25006": "the server is read-only. Use the primary server.",
    "28": _NO_LOGIN,
    "3D000": "the database does not exist. Create it with: createdb",
    "42501": (
        "permission denied. The owner of the database must grant CREATE on its schema"
        " and all rights on its tables."
    ),
    "55P03": _BUSY,
    "57P": _LOST,
}
# Errors without a code, by a pattern of their text.
_ERRORS_BY_TEXT = {
    "could not decode to UTF-8|no such (table|column)": _DAMAGED,
    "Connection refused": (
        "connection refused. Check that the server is running, and check host and port."
    ),
    "could not translate host name|failed to resolve host": "unknown host. Check its spelling.",
    "password authentication failed": _NO_LOGIN,
    "starting up|shutting down|not accepting connections|in recovery mode": _LOST,
    "no password supplied": ("the server requires a password. Set PGPASSWORD, or use ~/.pgpass."),
    "connection timeout expired": (
        "the connection timed out. Check that the server can be reached."
    ),
}


class DamagedHistoryError(ValueError):
    """What was saved cannot be read, or is not there; the text has advice."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"{problem}. {_RESTORE}")


def _is_of_server(error: BaseException) -> bool:
    return hasattr(error, "sqlstate")  # psycopg may not be installed


def is_lost(error: BaseException | None) -> bool:
    """Whether the connection to the server was lost, so that a new one may work."""
    return error is not None and _is_of_server(error) and _error_text(error) == _LOST


def is_record_error(error: BaseException | None) -> bool:
    """Whether one record caused it, so that the others can be written without it."""
    # Both drivers have the classes of the DB-API.
    classes = {each.__name__ for each in type(error).__mro__}
    return not classes.isdisjoint(("DataError", "IntegrityError"))


def _error_text(error: BaseException) -> str:
    """The error of a database as a sentence with advice."""
    code = getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None) or ""
    for beginning, sentence in _ERRORS_BY_CODE.items():
        if code.startswith(beginning):
            return sentence
    text = str(error).strip()
    for pattern, sentence in _ERRORS_BY_TEXT.items():
        if re.search(pattern, text):
            return sentence
    is_lost_later = not text.startswith("connection failed") or "closed the connection" in text
    if _is_of_server(error) and not code and is_lost_later:
        return _LOST
    # Only the first line: the others are the statement with its values.
    line = escape(text.partition("\n")[0].rstrip("."))
    return f"database error: {line or type(error).__name__}."


@contextmanager
def readable_errors(place: str) -> Iterator[None]:
    """Convert database errors to `UnusableStore` with a readable message."""
    try:
        yield
    except CallscoreError:
        raise
    except DamagedHistoryError as error:
        raise UnusableStore(place, str(error)) from error
    except (zlib.error, msgspec.DecodeError, ValueError, MemoryError) as error:
        # SQLite believes the sizes in a damaged file, and asks for more memory than there is.
        raise UnusableStore(place, "some of its data is damaged. Restore a copy.") from error
    except Exception as error:
        if not isinstance(error, sqlite3.Error) and not _is_of_server(error):
            raise
        raise UnusableStore(place, _error_text(error)) from error


_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")

# Seconds to wait before each further attempt.
_PAUSES = (0.0, 0.5, 1.5)


def with_retries(work: Callable[_Given, _Found]) -> Callable[_Given, _Found]:
    """Repeat the call if the connection to the server was lost."""

    @wraps(work)
    def again(*given: _Given.args, **named: _Given.kwargs) -> _Found:
        for pause in _PAUSES:
            try:
                return work(*given, **named)
            except UnusableStore as error:
                if not is_lost(error.__cause__):
                    raise
            sleep(pause)
        return work(*given, **named)

    return again


# --- connections and transactions -------------------------------------------------------------

# Seconds to wait for another process that writes.
_BUSY_TIMEOUT = 30.0
_CACHE = "PRAGMA cache_size = -8000"
_SETTINGS = (
    _CACHE,
    # Nothing is lost if the process is killed; after a power failure the last moments may be.
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
    # Shrink the log after a long run.
    "PRAGMA journal_size_limit = 67108864",
)


def connect_file(path: Path, *, is_read_only: bool = False) -> sqlite3.Connection:
    """Open a SQLite file; `is_read_only` if the file, or its folder, cannot be written."""
    connection = sqlite3.connect(
        _read_only_address(path) if is_read_only else str(path),
        timeout=_BUSY_TIMEOUT,
        isolation_level=None,  # transactions begin below
        check_same_thread=False,
        uri=is_read_only,
    )
    for setting in (_CACHE,) if is_read_only else _SETTINGS:
        connection.execute(setting)
    return connection


def _read_only_address(path: Path) -> str:
    # The last writes of other processes are in the log beside the file. Without a log no process is
    # writing; SQLite would have to write to the folder to check that, unless it is `immutable`.
    log = path.with_name(f"{path.name}-wal")
    is_settled = not log.exists() or not log.stat().st_size
    options = "mode=ro&immutable=1" if is_settled else "mode=ro"
    return f"{path.absolute().as_uri()}?{options}"


# Connections that are kept open for the next transaction.
_MAX_IDLE = 4
# The advisory lock of a server that whoever writes holds.
_WRITING_LOCK = int.from_bytes(b"callscor", "big")


class Database:
    """A database; threads may share it. All its errors are `UnusableStore`.

    Attributes:
        place: its name in messages.
        path: its file; None for a server.
        connect: opens a connection.
    """

    def __init__(
        self, place: str, connect: Callable[[], AnyConnection], path: Path | None = None
    ) -> None:
        self.place = place
        self.path = path
        self.connect = connect
        self._file = file_identity(path)
        self._process = os.getpid()
        self._idle: list[AnyConnection] = []
        # Threads wait for one another here; in the database they would have to poll.
        self._turn = Lock()

    def close(self) -> None:
        """Close the connections that are not in use."""
        idle, self._idle = self._idle, []
        if self._process == os.getpid():  # the end of a fork must not end those of its parent
            for connection in idle:
                with suppress(Exception):  # it was lost
                    connection.close()

    @contextmanager
    def reading(self) -> Iterator[AnyConnection]:
        """A connection for reading: all queries see the same state of the database."""
        begin = "BEGIN" if self.path else "BEGIN ISOLATION LEVEL REPEATABLE READ"
        with self._transaction(begin) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[AnyConnection]:
        """A transaction during which no other process writes."""
        # One that begins with reading cannot always be upgraded.
        begin = "BEGIN IMMEDIATE" if self.path else _BEGIN_ON_SERVER
        with self._turn, self._transaction(begin) as connection:
            yield connection
        # Writes to a deleted file that is still open succeed, and are lost.
        if file_identity(self.path) != self._file:
            raise UnusableStore(
                self.place,
                "the file was moved or deleted while in use. Start again to create a new one.",
            )

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[AnyConnection]:
        with readable_errors(self.place):
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self.connect()
            try:
                connection.execute(begin)
                yield connection
                connection.commit()
            finally:
                self._release(connection)

    def _release(self, connection: AnyConnection) -> None:
        try:
            connection.rollback()
        except Exception:  # noqa: BLE001  (of the disk, a damaged file, or a lost connection)
            self.close()  # the others are lost, too
            connection.close()
        else:
            self._idle.append(connection)
            while len(self._idle) > _MAX_IDLE:
                self._idle.pop().close()


# A process that the network has lost does not keep the others waiting for longer than a minute.
_BEGIN_ON_SERVER = (
    "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '60s';"
    f" SELECT pg_advisory_xact_lock({_WRITING_LOCK})"
)


def file_identity(path: Path | None) -> tuple[int, int] | None:
    """Device and inode of the file at the path; None if there is no file."""
    try:
        found = path and path.stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if found else None


# --- statements -------------------------------------------------------------------------------


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
        cursor = connection.execute(query, given)
        while rows := cursor.fetchmany(_PAGE):
            yield rows
        return
    # With a name the rows stay on the server.
    with connection.cursor("callscore") as named:
        named.execute(_for_server(query), given)
        while found := named.fetchmany(_PAGE):
            yield found


def execute(connection: AnyConnection, statement: str, given: _Values = ()) -> int:
    """Execute a statement; returns how many rows it changed."""
    count: int = _cursor(connection, statement, given).rowcount
    return count


@lru_cache(maxsize=512)
def _for_server(statement: str) -> str:
    """The statement in the style of psycopg: `%(name)s` for `:name`, `%s` for `?`."""
    return re.sub(r":(\w+)", r"%(\1)s", statement).replace("?", "%s")


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
