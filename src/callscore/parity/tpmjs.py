"""TPMJS tool-call-accuracy-score: the F1 of calls that are paired greedily, to three decimals.

It is a tool for agents, and `tool_call_accuracy_score` takes and returns the same data. The metrics
are its three numbers, for calls in any form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from callscore.errors import NotScorable
from callscore.parity.parameters import Arguments, Calls, pairs_of
from callscore.parity.value_comparison import js_deep_equal, js_round

__all__ = [
    "METRICS",
    "TITLE",
    "VERSION",
    "precision",
    "recall",
    "tool_call_accuracy",
    "tool_call_accuracy_score",
]

TITLE = "TPMJS tool-call-accuracy-score"
VERSION = "0.2.0"

_DIFFERENT = "the tool was called with other arguments"
_NOT_MADE = "no other call of this tool was made"


class _Pairing(Struct, frozen=True, gc=False):
    """For each expected call, the position of its actual call or None, and whether they match.

    Attributes:
        actual: the number of actual calls.
    """

    taken: list[int | None]
    matches: list[bool]
    actual: int

    @property
    def rates(self) -> tuple[float, float, float]:
        """Precision, recall and F1, each to three decimals."""
        correct, expected, actual = self.matches.count(True), len(self.taken), self.actual
        precise = correct / actual if actual else 1.0
        complete = correct / expected if expected else 1.0
        both = precise + complete
        # If one side is empty, the other rate is 0, and so is F1; if both are, it is 1.
        f1 = 2 * precise * complete / both if both > 0 else 0.0
        return _rounded(precise), _rounded(complete), _rounded(f1)


def tool_call_accuracy_score(given: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of the tool to `{"expected": [...], "actual": [...]}`, calls of `tool` and `args`.

    The fields are those of its documentation, with `precision`, `recall` and `f1`.
    What it really returns has the four lists under `breakdown`; they are the same lists, and stand
    at the top level here. The summary is the one that it really returns, where its documentation
    shows a line that begins with "Accuracy Score". the wording of `details` is ours.

    Defects:
        Calls are paired in the order in which they are expected, and not for the best score: an
        expected call takes, as incorrect, the call that a later one matches. Arrays are compared by
        key: `[1]` is `{"0": 1}`. Integers beyond 2**53 are the same if their doubles are. The
        example in its documentation shows a score of 0.667 where this, and it, give 0.4.

    Raises:
        NotScorable: there are no two lists of calls, or calls must be compared that have no
            arguments.
    """
    expected, actual = _listed(given, "expected"), _listed(given, "actual")
    pairing = _pairing(
        [(call["tool"], call.get("args")) for call in expected],
        [(call["tool"], call.get("args")) for call in actual],
    )
    lists = _lists(expected, actual, pairing)
    precise, complete, f1 = pairing.rates
    correct, incorrect, missed, extra = map(len, lists.values())
    summary = (
        # A tenth of a percent is what was rounded to, so that no half is left to round here.
        f"F1: {f1 * 100:.1f}% | Precision: {precise * 100:.1f}% | Recall: {complete * 100:.1f}%"
        f" | Correct: {correct}/{len(expected)} | Incorrect: {incorrect}"
        f" | Missed: {missed} | Extra: {extra}"
    )
    return {
        "score": f1,
        "precision": precise,
        "recall": complete,
        "f1": f1,
        "totalExpected": len(expected),
        "totalActual": len(actual),
        **lists,
        "summary": summary,
    }


def tool_call_accuracy(expected: Calls, actual: Calls) -> float:
    """The F1 of the calls that match exactly, to three decimals: the tool's `score`.

    Both sides empty give 1, one side alone gives 0.

    Defects:
        Calls are paired in the order in which they are expected, and not for the best score. Arrays
        are compared by key: `[1]` is `{"0": 1}`. Integers beyond 2**53 are the same where their
        doubles are.

    Raises:
        NotScorable: calls must be compared that have no arguments.
    """
    return _pairing(pairs_of(expected), pairs_of(actual)).rates[2]


def precision(expected: Calls, actual: Calls) -> float:
    """The share of the actual calls that match exactly, to three decimals; 1 without any.

    Defects:
        Calls are paired in the order in which they are expected, and not for the best score. Arrays
        are compared by key: `[1]` is `{"0": 1}`. Integers beyond 2**53 are the same where their
        doubles are.

    Raises:
        NotScorable: calls must be compared that have no arguments.
    """
    return _pairing(pairs_of(expected), pairs_of(actual)).rates[0]


def recall(expected: Calls, actual: Calls) -> float:
    """The share of the expected calls that are matched exactly, to three decimals; 1 without any.

    Defects:
        Calls are paired in the order in which they are expected, and not for the best score. Arrays
        are compared by key: `[1]` is `{"0": 1}`. Integers beyond 2**53 are the same where their
        doubles are.

    Raises:
        NotScorable: calls must be compared that have no arguments.
    """
    return _pairing(pairs_of(expected), pairs_of(actual)).rates[1]


def _listed(actual: Any, side: str) -> Sequence[Mapping[str, Any]]:
    calls = actual.get(side) if isinstance(actual, Mapping) else None
    if not isinstance(calls, list | tuple):
        raise NotScorable(f"'{side}' must be a list of calls.")
    for position, call in enumerate(calls):
        if not _is_call(call):
            place = f"{side}[{position}]"
            raise NotScorable(f'{place} is not a call. Pass {{"tool": name, "args": {{...}}}}.')
    return calls


def _is_call(call: Any) -> bool:
    return (
        isinstance(call, Mapping)
        and isinstance(call.get("tool"), str)
        and isinstance(call.get("args"), dict | None)
    )


def _pairing(
    expected: list[tuple[str, Arguments]], actual: list[tuple[str, Arguments]]
) -> _Pairing:
    left: dict[str, list[int]] = {}
    for position, (name, _) in enumerate(actual):
        left.setdefault(name, []).append(position)
    taken: list[int | None] = []
    matches: list[bool] = []
    for name, arguments in expected:
        positions = left.get(name)
        if not positions:
            taken.append(None)
            matches.append(False)
            continue
        place = _index_of_equal(arguments, [actual[position][1] for position in positions])
        matches.append(place is not None)
        taken.append(positions.pop(place or 0))
    return _Pairing(taken, matches, len(actual))


def _index_of_equal(expected: Arguments, actual: list[Arguments]) -> int | None:
    """The index of the first equal arguments; None if there are none."""
    for place, arguments in enumerate(actual):
        if expected is None or arguments is None:
            raise NotScorable("the tool reads the arguments of both calls, and one has none.")
        if js_deep_equal(expected, arguments, arrays_by_key=True):
            return place
    return None


def _lists(
    expected: Sequence[Mapping[str, Any]], actual: Sequence[Mapping[str, Any]], pairing: _Pairing
) -> dict[str, list[Any]]:
    lists: dict[str, list[Any]] = {
        "correctCalls": [],
        "incorrectCalls": [],
        "missedCalls": [],
        "extraCalls": [],
    }
    for call, position, matches in zip(expected, pairing.taken, pairing.matches, strict=True):
        if position is None:
            said = {"status": "missed", "argsMatch": False, "details": _NOT_MADE}
            lists["missedCalls"].append({"expected": call, **said})
        elif matches:
            said = {"status": "correct", "argsMatch": True}
            lists["correctCalls"].append({"expected": call, "actual": actual[position], **said})
        else:
            said = {"status": "incorrect", "argsMatch": False, "details": _DIFFERENT}
            lists["incorrectCalls"].append({"expected": call, "actual": actual[position], **said})
    taken = set(pairing.taken)
    lists["extraCalls"] += [call for place, call in enumerate(actual) if place not in taken]
    return lists


def _rounded(rate: float) -> float:
    return js_round(rate * 1000) / 1000


METRICS = (tool_call_accuracy, precision, recall)
