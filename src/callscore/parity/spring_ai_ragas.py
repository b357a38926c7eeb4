"""Spring AI Ragas: ToolCallAccuracyMetric, strict and flexible, with the equality of Java."""

from __future__ import annotations

from collections.abc import Callable
from math import copysign
from typing import Any, Literal

from callscore.parity.parameters import Calls, option_value, pairs_of
from callscore.parity.value_comparison import f1_of

__all__ = ["METRICS", "TITLE", "VERSION", "tool_call_accuracy"]

TITLE = "Spring AI Ragas"
VERSION = "0.3.3"

Mode = Literal["strict", "flexible"]

_ARRAYS = (list, tuple)
_ABSENT = object()
_NO_REFERENCE_ARGUMENTS = 0.5  # the call has some, where the reference has none


def tool_call_accuracy(
    expected: Calls,
    actual: Calls,
    *,
    mode: Mode = "strict",
    argument_match_threshold: float = 0.8,
) -> float | None:
    """The F1 of the calls that match a reference; None if nothing is expected.

    Each call in turn takes the reference, of those that are left, that it matches best: the first
    of several. Strict: the name and all arguments are the same. Flexible: the share of the
    arguments of the reference that the call has, too, reaches the threshold; other arguments of the
    call cost nothing.

    Values are compared as Java compares what it reads from JSON: 1 is not 1.0, true is not 1, 0.0
    is not -0.0, NaN is NaN, and null is null.

    Defects:
        A case in which no call is expected is not scored, whatever was called. In flexible mode, an
        argument that is null never matches, so that a case can score less than in strict mode; a
        call with arguments matches half of a reference without any, whatever they are. Calls are
        paired in the order in which they were made, and not for the best score.

    Args:
        expected: the reference.
        actual: the actual calls.
        mode: whether all arguments must be the same.
        argument_match_threshold: the share of them that is enough in flexible mode.

    Raises:
        InvalidSettings: the mode is unknown.
    """
    worth = option_value("mode", mode, _MODES)
    if not expected:
        return None
    left, made = pairs_of(expected), pairs_of(actual)
    least = 1.0 if mode == "strict" else argument_match_threshold
    references, found = len(left), 0
    for name, arguments in made:
        best, place = 0.0, None
        for position, (reference, wanted) in enumerate(left):
            if reference == name:
                score = worth(wanted or {}, arguments or {})
                if score > best:
                    best, place = score, position
        if place is not None and best >= least:
            del left[place]
            found += 1
    return f1_of(found, references, len(made))


def _flexible(expected: dict[str, Any], actual: dict[str, Any]) -> float:
    if not expected:
        return _NO_REFERENCE_ARGUMENTS if actual else 1.0
    same = [
        value is not None and _equal(value, actual.get(key, _ABSENT))
        for key, value in expected.items()
    ]
    return same.count(True) / len(expected)


def _equal(left: Any, right: Any) -> bool:
    """`Objects.equals`, with an explicit stack for values of any depth."""
    pending = [(left, right)]
    while pending:
        first, second = pending.pop()
        if isinstance(first, dict) and isinstance(second, dict):
            if first.keys() != second.keys():
                return False
            pending += [(member, second[key]) for key, member in first.items()]
        elif isinstance(first, _ARRAYS) and isinstance(second, _ARRAYS):
            if len(first) != len(second):
                return False
            pending += zip(first, second, strict=True)
        elif not _equal_scalars(first, second):
            return False
    return True


def _equal_scalars(left: Any, right: Any) -> bool:
    # The class of a whole number follows from its size, so that equal ones are of one class.
    if left.__class__ is not right.__class__:
        return False
    if left.__class__ is not float:
        return bool(left == right)
    if left == right:
        return copysign(1.0, left) == copysign(1.0, right)
    return bool(left != left and right != right)  # noqa: PLR0124  (NaN)


_MODES: dict[str, Callable[[dict[str, Any], dict[str, Any]], float]] = {
    "strict": _equal,
    "flexible": _flexible,
}
METRICS = (tool_call_accuracy,)
