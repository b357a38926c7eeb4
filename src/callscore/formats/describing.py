"""A value in a few words, for error messages: safe and short, whatever the value is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from callscore.core.malformed import Malformed, excerpt

__all__ = ["describe"]

_LONGEST = 60
_MOST_KEYS = 5
_MOST_BITS = 200


def describe(value: Any) -> str:
    """What a value is, as the object of "got": `an object with the keys 'q', 'limit'`."""
    if isinstance(value, Malformed):
        return f"{_shortened(value.raw)} ({value.problem})"
    if isinstance(value, Mapping):
        return _describe_keys(value)
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}" if value else "an empty list"
    return _describe_scalar(value)


def _describe_keys(value: Mapping[Any, Any]) -> str:
    if not value:
        return "an empty object"
    keys = [_describe_scalar(key) for _, key in zip(range(_MOST_KEYS), value, strict=False)]
    noun = "the key" if len(value) == 1 else "the keys"
    more = ", …" if len(value) > _MOST_KEYS else ""
    return f"an object with {noun} {', '.join(keys)}{more}"


def _describe_scalar(value: Any) -> str:
    if isinstance(value, str):
        return _shortened(repr(value[: _LONGEST + 1]))
    if value is None or isinstance(value, bool):
        return "null" if value is None else repr(value).lower()
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return "a very large integer"
    return repr(value) if isinstance(value, int | float) else f"a {type(value).__qualname__}"


def _shortened(text: str) -> str:
    return excerpt(text if len(text) <= _LONGEST else text[:_LONGEST] + "…")
