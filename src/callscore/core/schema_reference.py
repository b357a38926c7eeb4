"""Where a reference inside of a schema leads to."""

from __future__ import annotations

from typing import Any

__all__ = ["target_of"]


def target_of(schema: Any, reference: Any) -> Any:
    """What a reference of the form `#/$defs/name` leads to; None where it has another form."""
    if reference == "#":
        return schema
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    found = schema
    for step in reference[2:].split("/"):
        found = _member(found, step.replace("~1", "/").replace("~0", "~"))
    return found


def _member(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        return value.get(key)
    is_position = isinstance(value, list) and key.isdecimal() and key.isascii()
    return value[int(key)] if is_position and len(key) < 10 and int(key) < len(value) else None  # noqa: PLR2004  (no list is longer)
