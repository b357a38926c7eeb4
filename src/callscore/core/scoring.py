"""Expected calls, actual calls and settings give a score."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from callscore.core.equality import equal_objects
from callscore.core.model import Pair, Score
from callscore.core.pairing import is_correct, match_calls

if TYPE_CHECKING:
    from callscore.core.model import ToolCall
    from callscore.core.settings import Settings

__all__ = ["score_calls"]

_Calls = tuple["ToolCall", ...]
_name = attrgetter("name")


def score_calls(expected: _Calls, actual: _Calls, settings: Settings) -> Score:
    """Pair the calls and sort every one into correct, incorrect, missed or extra."""
    correct: list[Pair] = []
    start = 0
    # Leading calls that are equal one by one pair off, whatever follows: most calls, in practice.
    for wanted, given in zip(expected, actual):  # noqa: B905  (hot, and one side may be longer)
        left, right = wanted.arguments, given.arguments
        if wanted.name != given.name or left is None or right is None or given.error is not None:
            break
        if not equal_objects(left, right):
            break
        correct.append(Pair(wanted, given, start, start, True, settings))  # noqa: FBT003  (a field)
        start += 1
    if start == len(expected) or start == len(actual):
        rest = expected[start:], actual[start:]
        return Score(tuple(correct), (), *rest, expected, actual, settings)
    if settings.order == "any":
        if settings.mode != "strict":
            # Not so here: an equal pair may have to give way to two that are near enough.
            correct, start = [], 0
        if _are_distinct(expected, start) and _are_distinct(actual, start):
            return _score_distinct(expected, actual, correct, settings)
    return _score_matches(expected, actual, correct, settings)


def _are_distinct(calls: _Calls, start: int) -> bool:
    """Whether from position `start` on no tool is called twice."""
    left = len(calls) - start
    return left == 1 or len({call.name for call in calls[start:]}) == left


def _score_distinct(
    expected: _Calls, actual: _Calls, correct: list[Pair], settings: Settings
) -> Score:
    """The score where no tool is called twice in what is left: nothing is to be decided."""
    incorrect: list[Pair] = []
    missed: list[ToolCall] = []
    row = column = len(correct)
    columns: dict[str, int] = {}
    for call in actual[column:]:
        columns[call.name] = column
        column += 1
    for call in expected[row:]:
        found = columns.pop(call.name, None)
        if found is None:
            missed.append(call)
        else:
            given = actual[found]
            if is_correct(call, given, settings):
                correct.append(Pair(call, given, row, found, True, settings))  # noqa: FBT003
            else:
                incorrect.append(Pair(call, given, row, found, False, settings))  # noqa: FBT003
        row += 1
    extra = tuple([actual[column] for column in columns.values()])
    return Score(tuple(correct), tuple(incorrect), tuple(missed), extra, expected, actual, settings)


def _score_matches(
    expected: _Calls, actual: _Calls, correct: list[Pair], settings: Settings
) -> Score:
    """The score from the best pairing of what is left."""
    start = len(correct)
    incorrect: list[Pair] = []
    matches = match_calls(expected, actual, start, settings)
    for row, column, is_right in matches:
        pair = Pair(expected[row], actual[column], row, column, is_right, settings)
        (correct if is_right else incorrect).append(pair)
    rows = {row for row, _, _ in matches}
    columns = {column for _, column, _ in matches}
    return Score(
        tuple(correct),
        tuple(incorrect),
        tuple([expected[row] for row in range(start, len(expected)) if row not in rows]),
        tuple([actual[column] for column in range(start, len(actual)) if column not in columns]),
        expected,
        actual,
        settings,
    )
