"""Access to values of unknown shape: what is absent or of another type is None, or empty.

`describe` puts such a value into a few words for error messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from callscore.core.call import Malformed, excerpt

__all__ = [
    "at",
    "describe",
    "dicts",
    "first",
    "integer_of",
    "json_of",
    "list_of",
    "name_of",
    "text_in",
    "text_of",
]


# Looking into values of unknown shape: what is absent or of another type is None, or empty.

_MAX_NAME_BITS = 1_000


def at(value: Any, *path: str | int) -> Any:
    """What stands at a path of keys and indices; None where the path ends early."""
    for step in path:
        if isinstance(step, str):
            if not isinstance(value, dict):
                return None
            value = value.get(step)
        elif isinstance(value, list):
            try:
                value = value[step]
            except IndexError:
                return None
        else:
            return None
    return value


def first(value: Any, *keys: str) -> Any:
    """The value of the first of these keys that is there and not null."""
    if isinstance(value, dict):
        for key in keys:
            found = value.get(key)
            if found is not None:
                return found
    return None


def list_of(value: Any) -> list[Any]:
    """The value, if it is a list; an empty one otherwise."""
    return value if isinstance(value, list) else []


def dicts(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; none where it is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text_of(value: Any) -> str | None:
    """The value, if it is text."""
    return value if isinstance(value, str) else None


def integer_of(value: Any) -> int | None:
    """The value, if it is an integer."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def name_of(value: Any) -> str | None:
    """The value as the name of something: text, or a number that people can read."""
    if isinstance(value, str):
        return value
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if is_number and value.bit_length() < _MAX_NAME_BITS else None


def json_of(value: Any) -> Any:
    """What a text holds as JSON; the value itself where it is no text, or no JSON."""
    if isinstance(value, str):
        try:
            return msgspec.json.decode(value)
        except (ValueError, RecursionError):
            return value
    return value


def text_in(content: Any) -> str | None:
    """The text of a message's content: as it stands, or in the `text` of its parts."""
    if isinstance(content, str):
        return content
    texts = [part["text"] for part in dicts(content) if isinstance(part.get("text"), str)]
    return "\n".join(texts) if texts else None


# A value in a few words, for error messages: safe and short, whatever the value is.

_MAX_LENGTH = 60
_MAX_KEYS = 5
_MAX_SHOWN_BITS = 200


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
    keys = [_describe_scalar(key) for _, key in zip(range(_MAX_KEYS), value, strict=False)]
    noun = "the key" if len(value) == 1 else "the keys"
    more = ", …" if len(value) > _MAX_KEYS else ""
    return f"an object with {noun} {', '.join(keys)}{more}"


def _describe_scalar(value: Any) -> str:
    if isinstance(value, str):
        return _shortened(repr(value[: _MAX_LENGTH + 1]))
    if value is None or isinstance(value, bool):
        return "null" if value is None else repr(value).lower()
    if isinstance(value, int) and value.bit_length() > _MAX_SHOWN_BITS:
        return "a very large integer"
    return repr(value) if isinstance(value, int | float) else f"a {type(value).__qualname__}"


def _shortened(text: str) -> str:
    return excerpt(text if len(text) <= _MAX_LENGTH else text[:_MAX_LENGTH] + "…")
