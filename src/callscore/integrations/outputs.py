"""The answers of the tools: scores, explanations and faults with the fields of their schemas."""

from __future__ import annotations

from typing import Any

from callscore.core.score import Fault, Score, parameters_valid
from callscore.words.camel_case import fault_to_camel_dict, score_numbers
from callscore.words.value_text import percent


def explanation_answer(score: Score) -> dict[str, Any]:
    """How a score is computed, in three steps, and its numbers."""
    return {
        "explanation": score.explain(),
        **score_numbers(score),
        "correct": len(score.correct),
        "incorrect": len(score.incorrect),
        "missed": len(score.missed),
        "extra": len(score.extra),
        "rating": score.rating,
        "summary": score.summary,
    }


def check_answer(faults: tuple[Fault, ...], calls: int, *, knows_tools: bool) -> dict[str, Any]:
    """The faults among a number of calls; `knows_tools` if they were checked by definitions."""
    faulty = len({fault.index for fault in faults})
    valid = parameters_valid(faults, calls=calls, expected=0) if knows_tools else None
    share = "" if valid is None else f" | Parameters valid: {percent(valid)}"
    return {
        "totalActual": calls,
        "faultyCalls": faulty,
        "parametersValid": valid,
        "faults": [fault_to_camel_dict(fault) for fault in faults],
        "summary": f"Calls: {calls} | Faulty: {faulty} | Faults: {len(faults)}{share}",
    }
