"""Computes a score from the expected calls, the actual calls and the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from callscore.core.arguments import apply_settings
from callscore.core.budget import Budget
from callscore.core.call import ToolCall
from callscore.core.call_index import CallIndex
from callscore.core.case import Forbidden, Group, Times
from callscore.core.equality import equal_objects
from callscore.core.pairing import is_correct_pair, match_calls
from callscore.core.rules import contains_matchers
from callscore.core.score import Score, pairs_at
from callscore.core.settings import DEFAULT
from callscore.errors import InvalidCall, InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.core.arguments import Grade
    from callscore.core.call import Tool
    from callscore.core.case import Expected
    from callscore.core.counted_calls import Ignored, PreparedCalls
    from callscore.core.in_order import Match
    from callscore.core.score import Positions
    from callscore.core.settings import Settings

__all__ = ["score_calls"]

_Calls = tuple[ToolCall, ...]
_are_calls = frozenset({ToolCall}).issuperset
_NO_TOOLS: Mapping[str, Tool] = {}


def score_calls(
    expected: tuple[Expected, ...],
    actual: _Calls,
    settings: Settings,
    tools: Mapping[str, Tool] = _NO_TOOLS,
) -> Score:
    """Pair the calls: each is then correct, incorrect, missed or extra.

    The tool definitions, by name, say which calls change something.

    Raises:
        InvalidCall: a call is both expected and forbidden, or the comparison takes too much work.
        InvalidSettings: groups with the order `exact`, or `$judge` without a judge.
    """
    ignored: tuple[Ignored, ...] = ()
    prepared: PreparedCalls | None = None
    if settings is not DEFAULT:
        from callscore.core.counted_calls import prepare_calls

        prepared = prepare_calls(expected, actual, settings, tools)
        expected, actual, ignored, _ = prepared
    calls: Any = expected  # a group has no name, which ends the loop
    start = 0
    # Leading calls that are equal one by one are always paired: most calls, in practice.
    for wanted, made in zip(calls, actual):  # noqa: B905  (hot, and one side may be longer)
        if wanted.name != made.name or made.error is not None:
            break
        left, right = wanted.arguments, made.arguments
        if left is None or right is None or not equal_objects(left, right):
            break
        start += 1
    if start == len(expected):
        return Score(calls, actual, start, (), (), settings, (), ignored)
    paired: _Paired | None = None
    if _are_calls(map(type, expected)) and (settings is DEFAULT or not settings.has_rules):
        paired = _pairs(calls, actual, start, settings)
    if paired is None:
        from callscore.core.counted_calls import prepare_calls

        prepared = prepared or prepare_calls(expected, actual, settings, tools)
        return _score_expectation(prepared, settings)
    start, correct, wrong = paired
    incorrect = pairs_at(wrong, calls, actual, settings, is_correct=False) if wrong else ()
    return Score(calls, actual, start, correct, incorrect, settings, (), ignored)


# Where each tool is called, on the expected and on the actual side.
_Places = tuple[dict[str, int], dict[str, int]]
# The position at which the pairs begin, and the positions of the correct and the incorrect pairs.
_Paired = tuple[int, tuple["Positions", ...], tuple["Positions", ...]]


def _pairs(expected: _Calls, actual: _Calls, start: int, settings: Settings) -> _Paired | None:
    """The pairs of the calls from `start` on; None if the expected calls contain rules."""
    if start == len(actual):
        return start, (), ()
    if settings.order == "any":
        if settings.mode != "strict":
            start = 0  # in flexible mode, two close pairs are better than one equal pair
        rows = {call.name: row for row, call in enumerate(expected[start:], start)}
        columns = {call.name: column for column, call in enumerate(actual[start:], start)}
        if len(rows) + start == len(expected) and len(columns) + start == len(actual):
            paired = _pair_distinct(expected, actual, (rows, columns), settings)
            return paired and (start, *paired)
    if any(contains_matchers(call.arguments) for call in expected[start:]):
        return None
    return start, *_split_matches(match_calls(expected, actual, start, settings, Budget()))


def _pair_distinct(
    expected: _Calls, actual: _Calls, places: _Places, settings: Settings
) -> tuple[tuple[Positions, ...], tuple[Positions, ...]] | None:
    """The pairs of calls in which no tool is called twice: there is only one pairing."""
    rows, columns = places
    correct: list[Positions] = []
    incorrect: list[Positions] = []
    for name, row in rows.items():
        column = columns.get(name)
        if column is None:
            continue
        call = expected[row]
        if is_correct_pair(call, actual[column], settings):
            correct.append((row, column))
        elif contains_matchers(call.arguments):
            return None  # rules only matter where values are not equal
        else:
            incorrect.append((row, column))
    return tuple(correct), tuple(incorrect)


def _split_matches(matches: list[Match]) -> tuple[tuple[Positions, ...], tuple[Positions, ...]]:
    """The positions of the correct and of the incorrect pairs."""
    correct: list[Positions] = []
    incorrect: list[Positions] = []
    for row, column, is_right in matches:
        (correct if is_right else incorrect).append((row, column))
    return tuple(correct), tuple(incorrect)


def _score_expectation(prepared: PreparedCalls, settings: Settings) -> Score:
    """The score for an expectation with rules, groups or forbidden calls."""
    expected = tuple([item for item in prepared.expected if not isinstance(item, Forbidden)])
    try:
        calls, matches = _pair_expectation(expected, prepared.actual, settings)
    except RecursionError as error:
        raise InvalidCall("expected: matchers or groups are nested too deeply.") from error
    correct, incorrect = _split_matches(matches)
    return Score(
        calls,
        prepared.actual,
        0,
        correct,
        pairs_at(incorrect, calls, prepared.actual, settings, is_correct=False),
        settings,
        forbidden=prepared.forbidden,
        ignored=prepared.ignored,
        expectation=None if calls == prepared.expected else prepared.expected,
    )


def _pair_expectation(
    expected: tuple[Expected, ...], actual: _Calls, settings: Settings
) -> tuple[_Calls, list[Match]]:
    """The expected calls that count, and the best pairing of them."""
    budget = Budget()
    if not any(isinstance(item, Group | Times) for item in expected):
        calls = cast("_Calls", expected)
        demands = [apply_settings(call, settings, budget) for call in calls]
        return calls, match_calls(demands, actual, 0, settings, budget)
    if settings.order == "exact":
        problem = "order: 'exact' compares position by position, and a group has no position"
        raise InvalidSettings(f"{problem}. Use 'in_order', or expect plain calls.")
    from callscore.core.groups.solver import match_groups

    budget.calls = len(expected), len(actual)
    index = CallIndex(actual, settings, budget)

    def grade(call: ToolCall) -> dict[Grade, int]:
        return index.grades(apply_settings(call, settings, budget))

    grouped = match_groups(expected, actual, settings, grade, budget)
    return grouped.calls, grouped.matches
