"""What one case comes to: four counts, of which every rate of the case follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.model import f1_of

if TYPE_CHECKING:
    from callscore.core.model import Score

__all__ = ["Outcome", "counts_nothing", "is_passing", "outcome_f1", "outcome_of"]

# Correct pairs, expected calls, actual calls, and how many of the actual calls were forbidden.
Outcome = tuple[int, int, int, int]


def outcome_of(score: Score) -> Outcome:
    """The outcome of a scored case."""
    correct = score.equal_start + len(score.other_correct)
    return correct, len(score.expected), len(score.actual), len(score.forbidden)


def counts_nothing(score: Score) -> bool:
    """Whether there were calls, but none that counts under the settings; such a case passes."""
    return bool(score.ignored) and not score.expected and not score.actual


def outcome_f1(outcome: Outcome) -> float:
    """The score of a case: its F1, or 0 where a forbidden call was made."""
    correct, expected, actual, forbidden = outcome
    return 0.0 if forbidden else f1_of(correct, expected, actual)


def is_passing(outcome: Outcome, at_least: float) -> bool:
    """Whether a case scores at least so much, and nothing forbidden was called."""
    *_, forbidden = outcome
    return not forbidden and outcome_f1(outcome) >= at_least
