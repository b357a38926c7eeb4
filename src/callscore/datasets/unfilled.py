"""That no value is found for a schema, and where."""

from __future__ import annotations

__all__ = ["UnfilledError"]


class UnfilledError(Exception):
    """No value is found for a part of a schema; who asks for one says so to the user.

    Attributes:
        steps: the keys and positions that lead to the place.
        problem: why there is none, as a part of a sentence.
    """

    def __init__(self, steps: tuple[str | int, ...], problem: str) -> None:
        super().__init__(steps, problem)
        self.steps = steps
        self.problem = problem
