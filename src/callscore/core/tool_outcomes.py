"""How the calls of each tool went in one case."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callscore.core.model import Score

__all__ = ["ToolOutcome", "tool_outcomes"]

# Correct, incorrect, missed, extra and forbidden calls of one tool; those forbidden are extra, too.
ToolOutcome = tuple[int, int, int, int, int]

_CORRECT, _INCORRECT, _MISSED, _EXTRA, _FORBIDDEN = range(5)


def tool_outcomes(score: Score) -> dict[str, ToolOutcome]:
    """How the calls of each tool went, by its name; a pair is known by the name that was expected."""
    found: dict[str, list[int]] = {}

    def count(name: str, what: int) -> None:
        found.setdefault(name, [0] * 5)[what] += 1

    for call in score.expected[: score.equal_start]:
        count(call.name, _CORRECT)
    for row, _ in score.other_correct:
        count(score.expected[row].name, _CORRECT)
    for pair in score.incorrect:
        count(pair.expected.name, _INCORRECT)
    for call in score.missed:
        count(call.name, _MISSED)
    for call in score.extra:
        count(call.name, _EXTRA)
    for position in score.forbidden:
        count(score.actual[position].name, _FORBIDDEN)
    return {name: _outcome(counts) for name, counts in found.items()}


def _outcome(counts: list[int]) -> ToolOutcome:
    correct, incorrect, missed, extra, forbidden = counts
    return correct, incorrect, missed, extra, forbidden
