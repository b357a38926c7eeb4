"""Values that are nested deeply."""

from __future__ import annotations

from typing import Any

__all__ = ["nested"]


def nested(depth: int) -> list[Any]:
    """An empty list in so many lists."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value
