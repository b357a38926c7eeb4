"""Scores as the plain data that a history keeps: counts, pairs and differences, no call twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.export import call_to_dict
from callscore.core.fault import SCHEMA_FAULTS
from callscore.core.outcome import outcome_of
from callscore.core.plain import plain, plain_string
from callscore.core.tool_outcomes import tool_outcomes
from callscore.engines.payloads import expected_payload

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from callscore.core.model import Pair, Score

__all__ = ["comparison_payload", "score_counts", "score_payload"]

# Who reads more of them? A single call with a long list could have thousands.
_MOST_DIFFERENCES = 100


def score_payload(score: Score | None) -> dict[str, Any]:
    """What a result keeps of a score, by the names of its fields; nothing where there is none."""
    if score is None:
        return {}
    return {
        "f1": score.f1,
        "counts": score_counts(score),
        "faults": None
        if score.faults is None
        else sum(fault.kind in SCHEMA_FAULTS for fault in score.faults),
        "tools": tool_outcomes(score),
        "comparison": comparison_payload(score),
    }


def score_counts(score: Score) -> tuple[int, ...]:
    """Correct, incorrect, missed, extra, expected, actual, forbidden."""
    correct, expected, actual, forbidden = outcome_of(score)
    incorrect = len(score.incorrect)
    paired = correct + incorrect
    return correct, incorrect, expected - paired, actual - paired, expected, actual, forbidden


def comparison_payload(score: Score) -> dict[str, Any]:
    """Which calls are paired, and how they differ.

    Calls are named by their positions, among the expected and the actual calls that count. Where
    these are not simply those of the case, for it expects groups, or some do not count, they are told.
    """
    start = [(position, position) for position in range(score.equal_start)]
    correct = [*start, *score.other_correct]
    pairs = [
        *[(row, column, True) for row, column in correct],
        *[(pair.expected_index, pair.actual_index, False) for pair in score.incorrect],
    ]
    found: dict[str, Any] = {
        "pairs": pairs,
        "missed": _others((row for row, *_ in pairs), score.expected),
        "extra": _others((column for _, column, _ in pairs), score.actual),
        "forbidden": list(score.forbidden),
        "differences": _differences(score, len(correct)),
        "faults": [_fault(fault) for fault in score.faults or ()],
    }
    if score.expectation is not None or score.ignored:
        found["expected"] = [expected_payload(call) for call in score.expected]
    if score.ignored:
        found["actual"] = [call_to_dict(call) for call in score.actual]
    return found


def _others(paired: Iterable[int], calls: Sequence[object]) -> list[int]:
    taken = set(paired)
    return [position for position in range(len(calls)) if position not in taken]


def _differences(score: Score, correct: int) -> list[dict[str, Any]]:
    """How the pairs differ; those that are correct do only where not all has to be the same."""
    pairs: list[tuple[int, Pair]] = [*enumerate(score.incorrect, correct)]
    if score.settings.mode != "strict":
        pairs = [*enumerate(score.correct), *pairs]
    found = [
        {
            "pair": number,
            "path": plain_string(difference.path),
            "kind": difference.kind,
            "expected": plain(difference.expected),
            "actual": plain(difference.actual),
            "reason": plain_string(difference.reason),
        }
        for number, pair in pairs
        for difference in pair.differences[:_MOST_DIFFERENCES]
    ]
    return found[:_MOST_DIFFERENCES]


def _fault(fault: Any) -> dict[str, Any]:
    return {
        "tool": plain_string(fault.tool),
        "kind": fault.kind,
        "index": fault.index,
        "path": plain_string(fault.path),
        "reason": plain_string(fault.reason),
    }
