"""Finds keys that occur twice in one JSON object, of which decoders silently take the last."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

from callscore.core.rendering import is_content_hidden
from callscore.sources.lenient_json import NotJSON, keys_given_twice
from callscore.sources.record import BadRecord

_MAX_KEY_LENGTH = 60
_encode = msgspec.json.encode
# The beginning of an escaped colon. It is searched in the form that is hardly ever in a text.
_ESCAPED_COLON = b"\\u003"
_ESCAPED_LETTER = re.compile(rb"\\u00[67]")
SIDES = ("expected", "actual")
_QUOTED_SIDES = tuple(f'"{side}"'.encode() for side in SIDES)


class DuplicateKey(NamedTuple):
    """A key that is in one object twice.

    Attributes:
        path: the keys and positions that lead to the object.
        line: the line of the second occurrence, from 1; likewise the column.
        problem: a message for it.
        key: the key.
    """

    path: tuple[str | int, ...]
    line: int
    column: int
    problem: str
    key: str

    @property
    def is_side(self) -> bool:
        """Whether it is a side of a case: half of what the case says would be lost."""
        return not self.path and self.key in SIDES

    def in_document(self, name: str) -> BadRecord:
        """As a bad part of the document of this name."""
        return BadRecord(f"{name}:{self.line}:{self.column}", self.problem)

    def in_line(self, place: str) -> BadRecord:
        """As a bad part of the line at this place."""
        return BadRecord(f"{place}:{self.column}", self.problem)


def has_duplicate_sides(lines: bytes, cases: int) -> bool:
    """Whether a line has a side of its case twice; there are as many lines as cases, with both sides.

    It searches for the keys, and looks only at lines that contain one more than once.
    """
    is_escaped = b"\\" in lines and _ESCAPED_LETTER.search(lines) is not None
    if not is_escaped and all(lines.count(key) == cases for key in _QUOTED_SIDES):
        return False
    return any(
        found.is_side
        for line in lines.split(b"\n")
        if any(line.count(key) > 1 for key in _QUOTED_SIDES) or _ESCAPED_LETTER.search(line)
        for found in duplicate_keys(line)
    )


def may_have_duplicates(data: bytes, value: Any) -> bool:
    """Whether a JSON text may have more members than the value that was decoded from it.

    There is a colon after every key, and encoding writes each colon of the value again. So the text
    has as many as the encoded value unless a member was lost, or a colon was escaped. This is much
    faster than decoding the text once more.
    """
    try:
        encoded = _encode(value)
    except (ValueError, TypeError, RecursionError):  # parts of it are marked as malformed
        return True
    if encoded == data:  # the usual case for a file that a program wrote
        return False
    return encoded.count(b":") != data.count(b":") or _ESCAPED_COLON in data


def duplicate_keys(data: bytes) -> list[DuplicateKey]:
    """All keys of a JSON text that occur twice in one object; empty if it is not JSON."""
    try:
        return [
            DuplicateKey(path, line, column, duplicate_problem(key), key)
            for path, line, column, key in keys_given_twice(data)
        ]
    except NotJSON:
        return []


def duplicate_problem(key: str) -> str:
    """What is wrong with a key that is given twice, and what to do."""
    if is_content_hidden():
        return "an object has a duplicate key. Remove one of them."
    shown = key if len(key) <= _MAX_KEY_LENGTH else f"{key[:_MAX_KEY_LENGTH]}…"
    return f"duplicate key {shown!r}. Remove one of them."
