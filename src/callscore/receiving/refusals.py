"""The requests that were refused: an agent whose exporter is set up wrongly does not say so itself."""

from __future__ import annotations

import threading
from collections import Counter

__all__ = ["Refusals"]


class Refusals:
    """Counts refused requests by their status. Safe for threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._counts: Counter[int] = Counter()
        self._new: list[tuple[int, str]] = []

    def take(self, status: int, problem: str) -> None:
        """Count a refused request; `problem` is what its sender was told."""
        with self._guard:
            if status not in self._counts:
                self._new.append((status, problem))
            self._counts[status] += 1

    def pop_new(self) -> list[tuple[int, str]]:
        """The first refusal of each status that was not returned before."""
        with self._guard:
            found, self._new = self._new, []
        return found

    @property
    def counts(self) -> dict[int, int]:
        """How many there are of each status."""
        with self._guard:
            return dict(sorted(self._counts.items()))
