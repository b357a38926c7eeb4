"""A count of things, with the names of the first of them."""

from __future__ import annotations

from callscore.core.results import Noted

__all__ = ["Notes"]

_MOST_NAMES = 20


class Notes:
    """A count that grows, and the names of the first that were counted.

    Args:
        each_once: whether a name that comes again is not named again.
    """

    def __init__(self, *, each_once: bool = False) -> None:
        self._count = 0
        self._names: list[str] = []
        self._each_once = each_once

    def add(self, name: str, times: int = 1) -> None:
        """Count one more, or several of one name."""
        self._count += times
        if len(self._names) < _MOST_NAMES and not (self._each_once and name in self._names):
            self._names.append(name)

    def noted(self) -> Noted:
        """What was counted so far."""
        return Noted(self._count, tuple(self._names))
