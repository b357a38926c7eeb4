"""Any value as what every JSON encoder accepts."""

from __future__ import annotations

from math import isfinite
from typing import Any

import msgspec

from callscore.core.matcher import Matcher
from callscore.core.text import atom_text, integer_text, render_value, repr_text

__all__ = ["encode_json", "plain", "plain_string"]

# Encoders follow nesting with the interpreter's stack, which holds about a thousand levels.
_DEEPEST = 100
_DEEP_TEXT = 10_000
# Longer integers are refused by every encoder that prints them with Python's own digits.
_LONGEST_INTEGER = 10_000
_UNCHANGED = frozenset({bool, type(None)})


def plain(value: object, *, depth: int = 0) -> Any:
    """The value with everything that JSON does not know turned into text.

    NaN and infinities, dates and other objects become strings; so do integers of more than 3,000
    digits, and what is nested more than 100 levels deep (at most 10,000 characters of it). In
    strings, halves of surrogate pairs are spelled out. Rules are spelled as in case files.
    """
    kind = value.__class__
    if kind in _UNCHANGED:
        return value
    if isinstance(value, str):
        return plain_string(value)
    if isinstance(value, int | float):
        return _plain_number(value)
    return _plain_container(value, depth)


def _plain_number(value: float) -> int | float | str:
    if isinstance(value, int):
        return int(value) if value.bit_length() < _LONGEST_INTEGER else integer_text(value)
    return float(value) if isfinite(value) else atom_text(value)


def plain_string(value: str) -> str:
    """A string with the halves of surrogate pairs spelled out."""
    if value.isascii():
        return str(value)
    return value.encode("utf-8", "backslashreplace").decode()


def _plain_container(value: object, depth: int) -> Any:
    if isinstance(value, Matcher):
        value = {value.key: value.value, **value.options}
    if not isinstance(value, dict | list | tuple):
        return plain_string(repr_text(value))
    if depth == _DEEPEST:
        return render_value(value, limit=_DEEP_TEXT)
    if isinstance(value, dict):
        return {_plain_key(key): plain(member, depth=depth + 1) for key, member in value.items()}
    return [plain(member, depth=depth + 1) for member in value]


def _plain_key(key: object) -> str:
    return plain_string(key if isinstance(key, str) else atom_text(key))


def encode_json(value: object) -> bytes:
    """The value as JSON on one line; integers keep all their digits."""
    return msgspec.json.encode(plain(value))
