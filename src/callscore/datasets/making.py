"""What everything that makes values shares: the whole schema, the chance, and how much is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.datasets.unfilled import GaveUpError

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

__all__ = ["Making", "Task"]

_MOST = 20_000  # tries for one value with all that is in it


class Task(Struct, frozen=True):
    """Where in a value a part is made.

    Attributes:
        name: of the argument that it belongs to.
        steps: the keys and positions that lead to it.
    """

    name: str = ""
    steps: tuple[str | int, ...] = ()

    @property
    def depth(self) -> int:
        """How deep it stands."""
        return len(self.steps)

    def member(self, key: str) -> Task:
        """The task for a member of this one."""
        return Task(key, (*self.steps, key))

    def item(self, position: int) -> Task:
        """The task for an item of this one, which has the name of the whole."""
        return Task(self.name, (*self.steps, position))


class Making:
    """One value in the making.

    Args:
        root: the whole schema, which references are about.
        rng: what chooses.
        make: makes the value for a part of the schema.
    """

    def __init__(self, root: Any, rng: Random, make: Callable[[Making, Any, Task], Any]) -> None:
        self.root = root
        self.rng = rng
        self._make = make
        self._left = _MOST

    def make(self, schema: Any, task: Task) -> Any:
        """The value for a part of the schema.

        Raises:
            UnfilledError: none is found.
            GaveUpError: there were too many tries.
        """
        return self._make(self, schema, task)

    def spend(self) -> None:
        """Count one try.

        Raises:
            GaveUpError: there were too many.
        """
        if self._left == 0:
            raise GaveUpError(_MOST)
        self._left -= 1
