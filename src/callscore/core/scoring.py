"""Expected calls, actual calls and settings give a score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.equality import equal_objects
from callscore.core.model import Score
from callscore.core.pairing import is_correct, match_calls

if TYPE_CHECKING:
    from callscore.core.model import Positions, ToolCall
    from callscore.core.settings import Settings

__all__ = ["score_calls"]

_Calls = tuple["ToolCall", ...]


def score_calls(expected: _Calls, actual: _Calls, settings: Settings) -> Score:
    """Pair the calls, which sorts every one into correct, incorrect, missed or extra."""
    if settings.strip_prefix or settings.normalise_name:
        from callscore.core.naming import renamed  # few need it, and it takes time to import

        expected, actual = renamed(expected, settings), renamed(actual, settings)
    start = 0
    # Leading calls that are equal one by one pair off, whatever follows: most calls, in practice.
    for wanted, given in zip(expected, actual):  # noqa: B905  (hot, and one side may be longer)
        left, right = wanted.arguments, given.arguments
        if wanted.name != given.name or left is None or right is None or given.error is not None:
            break
        if not equal_objects(left, right):
            break
        start += 1
    if start == len(expected) or start == len(actual):
        return Score(expected, actual, start, (), (), settings)
    return _score_rest(expected, actual, start, settings)


def _score_rest(expected: _Calls, actual: _Calls, start: int, settings: Settings) -> Score:
    """The score where more is left than calls that are equal one by one."""
    if settings.order == "any":
        if settings.mode != "strict":
            start = 0  # not so here: an equal pair may have to give way to two that are near enough
        if _are_distinct(expected, start) and _are_distinct(actual, start):
            return _score_distinct(expected, actual, start, settings)
    return _score_matches(expected, actual, start, settings)


def _are_distinct(calls: _Calls, start: int) -> bool:
    """Whether from position `start` on no tool is called twice."""
    left = len(calls) - start
    return left == 1 or len({call.name for call in calls[start:]}) == left


def _score_distinct(expected: _Calls, actual: _Calls, start: int, settings: Settings) -> Score:
    """The score where no tool is called twice in what is left: nothing is to be decided."""
    correct: list[Positions] = []
    incorrect: list[Positions] = []
    columns = {call.name: column for column, call in enumerate(actual[start:], start)}
    for row, call in enumerate(expected[start:], start):
        column = columns.get(call.name)
        if column is not None:
            is_right = is_correct(call, actual[column], settings)
            (correct if is_right else incorrect).append((row, column))
    return Score(expected, actual, start, tuple(correct), tuple(incorrect), settings)


def _score_matches(expected: _Calls, actual: _Calls, start: int, settings: Settings) -> Score:
    """The score from the best pairing of what is left."""
    correct: list[Positions] = []
    incorrect: list[Positions] = []
    for row, column, is_right in match_calls(expected, actual, start, settings):
        (correct if is_right else incorrect).append((row, column))
    return Score(expected, actual, start, tuple(correct), tuple(incorrect), settings)
