"""The score where more than plain calls is expected: rules, groups, and what is forbidden."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from callscore.core.call import ToolCall
from callscore.core.closeness import grade
from callscore.core.demands import demanded
from callscore.core.expectation import Forbidden, Group, Times
from callscore.core.model import Score
from callscore.core.pair import pairs_at
from callscore.core.pairing import match_calls
from callscore.errors import InvalidCall, InvalidSettings

if TYPE_CHECKING:
    from callscore.core.closeness import Grade
    from callscore.core.expectation import Expected
    from callscore.core.model import Positions
    from callscore.core.pairing import Match
    from callscore.core.preparation import Prepared
    from callscore.core.settings import Settings
    from callscore.core.verdict import Slow

__all__ = ["score_demands"]

_Calls = tuple[ToolCall, ...]


def score_demands(given: Prepared, settings: Settings) -> Score:
    """Settle the groups, and pair what is left.

    Raises:
        InvalidCall: rules or groups are nested too deeply, or groups are too large to be exact.
        InvalidSettings: groups are to be compared position by position, or `$judge` has no judge.
    """
    wanted = tuple([item for item in given.expected if not isinstance(item, Forbidden)])
    try:
        calls, matches = _resolved(wanted, given.actual, settings)
    except RecursionError as error:
        raise InvalidCall("expected: rules or groups are nested too deeply.") from error
    correct: list[Positions] = []
    incorrect: list[Positions] = []
    for row, column, is_right in matches:
        (correct if is_right else incorrect).append((row, column))
    return Score(
        calls,
        given.actual,
        0,
        tuple(correct),
        pairs_at(incorrect, calls, given.actual, settings, is_correct=False),
        settings,
        forbidden=given.forbidden,
        ignored=given.ignored,
        expectation=None if calls == given.expected else given.expected,
    )


def _resolved(
    wanted: tuple[Expected, ...], actual: _Calls, settings: Settings
) -> tuple[_Calls, list[Match]]:
    """The expected calls that count, and the best pairing of them."""
    slow: Slow = {}  # of this case alone: no other one has to suffer for it
    if not any(isinstance(item, Group | Times) for item in wanted):
        calls = cast("_Calls", wanted)
        demands = [demanded(call, settings, slow) for call in calls]
        return calls, match_calls(demands, actual, 0, settings)
    if settings.order == "exact":
        problem = "order: `exact` compares position by position, and a group has no position"
        raise InvalidSettings(f"{problem}; use `in_order`, or expect plain calls.")
    from callscore.core.groups import match_groups

    known: dict[int, ToolCall] = {}  # by identity: a call is looked at many times

    def grade_pair(call: ToolCall, given: ToolCall) -> Grade:
        demand = known.get(id(call))
        if demand is None:
            demand = known[id(call)] = demanded(call, settings, slow)
        return grade(demand, given, settings)

    grouped = match_groups(wanted, actual, settings, grade_pair)
    return grouped.calls, grouped.matches
