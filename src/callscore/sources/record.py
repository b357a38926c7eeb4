"""What every reader gives: a value and its place, or a place and what is wrong there."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

__all__ = ["BadRecord", "Record"]


class Record(Struct, frozen=True, gc=False):
    """One JSON value of a file: usually one case.

    Attributes:
        place: `file:line`, `file[index]` in a JSON array, or `file` where it is all of the file.
        value: the value. What is malformed in it is marked as in `callscore.core.malformed`.
    """

    place: str
    value: Any


class BadRecord(Struct, frozen=True, gc=False):
    """A stretch of a file that cannot be read as a value.

    Attributes:
        place: `file:line:column`, as far as it is known.
        problem: what is wrong there and what to do about it.
    """

    place: str
    problem: str
