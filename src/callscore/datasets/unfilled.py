"""That no value is found for a schema, and where, or that the search was given up."""

from __future__ import annotations

__all__ = ["GaveUpError", "UnfilledError"]


class GaveUpError(Exception):
    """A schema is so large that no value was found in time.

    Attributes:
        tries: after how many tries the search was given up.
    """

    def __init__(self, tries: int) -> None:
        super().__init__(tries)
        self.tries = tries


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
