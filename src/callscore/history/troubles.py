"""What goes wrong with a database, in sentences that say what to do."""

from __future__ import annotations

import re
import sqlite3
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, SQLAlchemyError

from callscore.core.text import escape
from callscore.errors import CallscoreError, UnusableStore

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "GONE",
    "in_sentences",
    "is_conflict",
    "is_locked",
    "is_lost",
    "is_of_record",
    "trouble_of",
]

GONE = "the file was moved or deleted while it was in use. Start again to make a new one."
_DAMAGED = "the file is damaged. Move it away, or put a copy in its place."
_UNREADABLE = "something in it is damaged. Put a copy in its place."
_BUSY = "another process has been writing for too long. Try again when it has ended."
_FORBIDDEN = "the file may not be opened. See to whom it and its folder belong."
_LOST = "the connection to the server was lost. See whether it still runs, and try again."
_AWAY = "the server starts or stops just now. Try again in a moment."
_CROWDED = "the server has too many connections. Try again when others have ended."
_NO_LOGIN = (
    "the server does not know this user and password. Set PGUSER and PGPASSWORD, or ~/.pgpass."
)

# By the beginning of the name that SQLite gives to an error, or of the code of PostgreSQL.
_SENTENCES = {
    "SQLITE_FULL": "the disk is full. Make room on it.",
    "SQLITE_READONLY": "nothing can be written there. Make the file and its folder writable.",
    "SQLITE_BUSY": _BUSY,
    "SQLITE_LOCKED": _BUSY,
    "SQLITE_CORRUPT": _DAMAGED,
    "SQLITE_NOTADB": "the file is no SQLite database. Move it away, and a new one is made.",
    "SQLITE_CANTOPEN": ("the file cannot be opened. Make it and its folder readable and writable."),
    "SQLITE_PERM": _FORBIDDEN,
    "SQLITE_AUTH": _FORBIDDEN,
    "SQLITE_IOERR": (
        "the disk does not take or give what is asked of it. See whether it is full or broken."
    ),
    "08": _LOST,
    "25006": "nothing can be written there: the server only reads. Use the one that is written to.",
    "28": _NO_LOGIN,
    "3D000": "there is no such database on the server. Make it with: createdb",
    "40": "others have changed the same for too long. Try again when they have ended.",
    "42501": (
        "this user may not do that there. Let the owner of the database grant CREATE on its schema,"
        " and all rights on its tables."
    ),
    "42P01": "its tables are gone. Start again to make new ones.",
    "53100": "the disk of the server is full. Make room on it.",
    "53200": "the server has no memory left. Try again when others have ended.",
    "53300": _CROWDED,
    "55P03": _BUSY,
    "57014": "it took longer than the server allows. See its statement_timeout.",
    "57P03": _AWAY,
    "57": _LOST,
    "XX00": "the server finds damage in the database. Put a copy in its place.",
}
# A server that is not reached has no codes. By what is said then, in small letters, as a pattern.
_WORDS = {
    "connection refused": (
        "nobody answers there. See whether the server runs, and whether host and port are right."
    ),
    "could not translate host name": "there is no host of this name. See how it is spelled.",
    "failed to resolve host": "there is no host of this name. See how it is spelled.",
    "no such file or directory": (
        "no server runs on this machine. Start it, or name the host of another one."
    ),
    "timeout expired": "nobody answers there in time. See whether the server can be reached.",
    "timed out": "nobody answers there in time. See whether the server can be reached.",
    "no route to host": "no way leads to this host. See whether the network is up.",
    "network is unreachable": "no way leads to this host. See whether the network is up.",
    "password authentication failed": _NO_LOGIN,
    "no password supplied": "the server wants a password. Set PGPASSWORD, or ~/.pgpass.",
    r"no pg_hba\.conf entry": (
        "the server lets this user not in from here. See its pg_hba.conf, and whether it wants SSL."
    ),
    "is not permitted to log in": _NO_LOGIN,
    'role ".*" does not exist': _NO_LOGIN,
    'database ".*" does not exist': _SENTENCES["3D000"],
    "permission denied for database": (
        "this user may not use the database. Let its owner grant CONNECT on it."
    ),
    "too many clients": _CROWDED,
    "too many connections": _CROWDED,
    "remaining connection slots": _CROWDED,
    "starting up": _AWAY,
    "shutting down": _AWAY,
    "not accepting connections": _AWAY,
    "in recovery mode": _AWAY,
    "does not support ssl": (
        "the server speaks no SSL, and sslmode wants it. See the sslmode of the address."
    ),
    "certificate": "the server's certificate does not fit. See sslmode and sslrootcert.",
}
_LOCKED = ("SQLITE_BUSY", "SQLITE_LOCKED")
_CONFLICTS = ("40001", "40P01")
_LOSSES = ("08", "57P")


def _code(error: BaseException) -> str:
    original = getattr(error, "orig", None) or error
    return getattr(original, "sqlite_errorname", None) or getattr(original, "sqlstate", None) or ""


def is_locked(error: BaseException) -> bool:
    """Whether another process holds what is wanted, so that waiting may help."""
    return _code(error).startswith(_LOCKED)


def is_conflict(error: BaseException) -> bool:
    """Whether others came in between, so that the same may be done at once."""
    return _code(error).startswith(_CONFLICTS)


def is_lost(error: BaseException) -> bool:
    """Whether the connection was lost, so that another one may do."""
    if _code(error).startswith(_LOSSES):
        return True
    is_cut = isinstance(error, DBAPIError) and error.connection_invalidated
    return is_cut or (_is_server(error) and trouble_of(error) in (_LOST, _AWAY))


def is_of_record(error: BaseException | None) -> bool:
    """Whether it lies in what was to be kept, so that the rest may be kept without it."""
    return isinstance(error, DataError | IntegrityError)


def _is_server(error: BaseException) -> bool:
    """Whether PostgreSQL says so, or what speaks to it."""
    return hasattr(getattr(error, "orig", None) or error, "sqlstate")


def trouble_of(error: BaseException) -> str:
    """What happened and what to do about it, as one sentence or two."""
    code = _code(error)
    for beginning, sentence in _SENTENCES.items():
        if code.startswith(beginning):
            return sentence
    words = str(getattr(error, "orig", None) or error).strip()
    if not code and _is_server(error):
        return _said_by_server(error, words)
    if "could not decode to utf-8" in words.lower():
        return _DAMAGED
    # The first line alone: the others are the statement, with the values that it was given.
    return f"the database says: {_first_line(words) or type(error).__name__}."


def _said_by_server(error: BaseException, words: str) -> str:
    """What is wrong where a server is not reached, or is gone."""
    small = words.lower()
    for some, sentence in _WORDS.items():
        if re.search(some, small):
            return sentence
    if not small.startswith("connection failed") or "server closed the connection" in small:
        return _LOST
    return f"the server cannot be reached: {_first_line(words) or type(error).__name__}."


def _first_line(words: str) -> str:
    return escape(words.partition("\n")[0].rstrip("."))


@contextmanager
def in_sentences(place: str) -> Iterator[None]:
    """Errors of the database as errors that people can read.

    Raises:
        UnusableStore: what was done with the database failed.
    """
    try:
        yield
    except CallscoreError:
        raise
    # Rows are mostly fetched without SQLAlchemy in between: the driver's own errors come as they are.
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise UnusableStore(place, trouble_of(error)) from error
    except (zlib.error, msgspec.DecodeError, ValueError) as error:
        raise UnusableStore(place, _UNREADABLE) from error
    except Exception as error:
        if not _is_server(error):
            raise
        raise UnusableStore(place, trouble_of(error)) from error
