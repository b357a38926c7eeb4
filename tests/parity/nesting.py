"""Values that are nested deeper than the interpreter can follow."""

from __future__ import annotations

from typing import Any

__all__ = ["nested"]


def nested(depth: int = 100_000) -> Any:
    """A number in so many lists, each in the next; another one each time."""
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value
