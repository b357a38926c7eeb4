"""Whether two answers are the same: numbers by equality, errors as errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.errors import CallscoreError

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["ERROR", "answer_of", "same"]

ERROR = "error"


def answer_of(measure: Measure, expected: Calls, actual: Calls) -> Any:
    """Our answer, in the form of the vectors: a value, or an object with the reason for none."""
    try:
        return measure(expected, actual)
    except CallscoreError as reason:
        return {ERROR: str(reason)}


def same(theirs: Any, ours: Any) -> bool:
    """Whether ours is theirs: what they raise on has no number here either."""
    if _is_error(theirs) or _is_error(ours):
        return _is_error(theirs) and _is_error(ours)
    if isinstance(theirs, dict) and isinstance(ours, dict):
        return theirs.keys() == ours.keys() and all(same(theirs[key], ours[key]) for key in theirs)
    if isinstance(theirs, list) and isinstance(ours, list | tuple):
        return len(theirs) == len(ours) and all(map(same, theirs, ours))
    is_truth = isinstance(theirs, bool) or isinstance(ours, bool)
    is_nan = theirs != theirs and ours != ours  # noqa: PLR0124  (true of NaN alone)
    return theirs is ours if is_truth else is_nan or bool(theirs == ours)


def _is_error(answer: Any) -> bool:
    return isinstance(answer, dict) and ERROR in answer
