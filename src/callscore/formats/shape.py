"""Looking into values of unknown shape: what is absent or of another type is None, or empty."""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = [
    "at",
    "dicts",
    "first",
    "integer_of",
    "json_of",
    "list_of",
    "name_of",
    "text_in",
    "text_of",
]

_MOST_BITS = 1_000


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
    return str(value) if is_number and value.bit_length() < _MOST_BITS else None


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
