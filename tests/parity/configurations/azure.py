"""Configurations of Azure AI Evaluation: `exact_match/names+params [match,P,R,F1]` ..."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from callscore.parity import azure

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["measure_for"]

_COMPARED = {"names": False, "names+params": True}
_NUMBERS = {"match": "match", "P": "precision", "R": "recall", "F1": "f1"}


def measure_for(configuration: str) -> Measure | None:
    """What gives the numbers of this configuration; None where it is not known."""
    words, _, listed = configuration.partition(" ")
    match, _, compared = words.partition("/")
    numbers = listed.removeprefix("[").removesuffix("]").split(",")
    if match not in get_args(azure.MatchingMode) or compared not in _COMPARED:
        return None
    if not all(number in _NUMBERS for number in numbers):
        return None

    def measure(expected: Calls, actual: Calls) -> list[Any]:
        found = azure.navigation_efficiency(
            expected,
            actual,
            matching_mode=match,  # type: ignore[arg-type]  # one of the words
            parameters=_COMPARED[compared],
        )
        return [getattr(found, _NUMBERS[number]) for number in numbers]

    return measure
