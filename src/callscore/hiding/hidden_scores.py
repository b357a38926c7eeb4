"""Scores and pairs in which secrets are hidden; what was found in the real values is kept as numbers and differences.

A score computes much of what it is asked for from its calls. With markers in place of values, a regular expression would
no longer match, so that this has to be known beforehand.
"""

from __future__ import annotations

from callscore.core.arguments import Difference  # noqa: TC001  (the type of a field)
from callscore.core.score import Pair, Score

__all__ = ["HiddenPair", "HiddenScore"]


class HiddenPair(Pair, frozen=True, dict=True):
    """A pair without secrets.

    Attributes:
        found: the differences.
        matched: the number of expected arguments that match.
        wanted: the number of expected arguments.
        differing: the names of the arguments that differ.
        parts: the overlap, as a numerator and a denominator.
    """

    found: tuple[Difference, ...] = ()
    matched: int = 0
    wanted: int = 0
    differing: tuple[str, ...] = ()
    parts: tuple[int, int] = (1, 1)

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Every reason why the two calls are not equal."""
        return self.found

    @property
    def matched_arguments(self) -> int:
        """The number of expected arguments that the actual call has with an equal value."""
        return self.matched

    @property
    def expected_arguments(self) -> int:
        """The number of expected arguments, without optional ones that are absent."""
        return self.wanted

    @property
    def differing_arguments(self) -> list[str]:
        """The names of the top-level arguments that are not the same on both sides."""
        return list(self.differing)

    @property
    def overlap_parts(self) -> tuple[int, int]:
        """The overlap as a numerator and a denominator."""
        return self.parts


class HiddenScore(Score, frozen=True, gc=False, kw_only=True):
    """A score without secrets.

    Attributes:
        correct_pairs: the correct pairs.
        accuracy: the share of the expected arguments that match.
    """

    correct_pairs: tuple[Pair, ...] = ()
    accuracy: float | None = None

    @property
    def correct(self) -> tuple[Pair, ...]:
        """The pairs whose actual call counts as the expected one."""
        return self.correct_pairs

    @property
    def argument_accuracy(self) -> float | None:
        """Matched expected arguments / expected arguments, over all pairs; None without any."""
        return self.accuracy
