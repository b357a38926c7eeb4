"""A count of things, with the names of the first of them."""

from __future__ import annotations

from callscore.core.results import Noted

__all__ = ["Notes"]

_MOST_NAMES = 20


class Notes:
    """A count that grows, and the names of the first that were counted."""

    def __init__(self) -> None:
        self._count = 0
        self._names: list[str] = []

    def add(self, name: str) -> None:
        """Count one more."""
        self._count += 1
        if len(self._names) < _MOST_NAMES:
            self._names.append(name)

    def noted(self) -> Noted:
        """What was counted so far."""
        return Noted(self._count, tuple(self._names))
