"""Configurations of TPMJS tool-call-accuracy-score: its output fields, lists by their lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.parity import tpmjs
from callscore.parity.parameters import pairs_of

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["measure_for"]

_NUMBERS = {
    "score": tpmjs.tool_call_accuracy,
    "f1": tpmjs.tool_call_accuracy,
    "precision": tpmjs.precision,
    "recall": tpmjs.recall,
}
_FIELDS = ("totalExpected", "totalActual", "summary")
_LISTS = ("correct", "incorrect", "missed", "extra")


def measure_for(configuration: str) -> Measure | None:
    """What gives the value of this field; None where it is not known."""
    if configuration in _NUMBERS:
        return _NUMBERS[configuration]
    if configuration in _FIELDS:
        return lambda expected, actual: _answer(expected, actual)[configuration]
    if configuration in _LISTS:
        return lambda expected, actual: len(_answer(expected, actual)[f"{configuration}Calls"])
    return None


def _answer(expected: Calls, actual: Calls) -> dict[str, Any]:
    return tpmjs.tool_call_accuracy_score(
        {"expected": _calls(expected), "actual": _calls(actual)},
    )


def _calls(calls: Calls) -> Calls:
    return [{"tool": name, "args": arguments} for name, arguments in pairs_of(calls)]
