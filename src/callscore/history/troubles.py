"""What goes wrong with a database, in sentences that say what to do."""

from __future__ import annotations

import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec
from sqlalchemy.exc import SQLAlchemyError

from callscore.errors import UnusableStore

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["GONE", "in_sentences", "is_locked", "trouble_of"]

GONE = "the file was moved or deleted while it was in use. Start again to make a new one."
_DAMAGED = "the file is damaged. Move it away, or put a copy in its place."
_BUSY = "another process has been writing for too long. Try again when it has ended."
_FORBIDDEN = "the file may not be opened. See to whom it and its folder belong."

# By the beginning of the name that SQLite gives to an error.
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
}
_LOCKED = ("SQLITE_BUSY", "SQLITE_LOCKED")


def _code(error: BaseException) -> str:
    original = getattr(error, "orig", None) or error
    return getattr(original, "sqlite_errorname", None) or ""


def is_locked(error: BaseException) -> bool:
    """Whether another process holds what is wanted, so that waiting may help."""
    return _code(error).startswith(_LOCKED)


def trouble_of(error: BaseException) -> str:
    """What happened and what to do about it, as one sentence or two."""
    code = _code(error)
    for beginning, sentence in _SENTENCES.items():
        if code.startswith(beginning):
            return sentence
    # The first line alone: the others are the statement, with the values that it was given.
    first = str(getattr(error, "orig", None) or error).strip().split("\n")[0]
    return f"the database says: {first or type(error).__name__}."


@contextmanager
def in_sentences(place: str) -> Iterator[None]:
    """Errors of the database as errors that people can read.

    Raises:
        UnusableStore: what was done with the database failed.
    """
    try:
        yield
    except SQLAlchemyError as error:
        raise UnusableStore(place, trouble_of(error)) from error
    except (zlib.error, msgspec.DecodeError) as error:
        raise UnusableStore(place, _DAMAGED) from error
