"""Google's Agent Development Kit: the trajectory of tool calls.

`TrajectoryEvaluator` gives each invocation 1.0 or 0.0, and a conversation the mean of these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import eq
from typing import Any, Literal

from callscore.errors import NotScorable
from callscore.parity.parameters import Calls, names_of, option_value, pairs_of
from callscore.parity.value_comparison import is_subsequence

__all__ = ["METRICS", "TITLE", "VERSION", "MatchType", "mean_trajectory", "trajectory"]

TITLE = "Google Agent Development Kit"
VERSION = "2.13.0"

MatchType = Literal["EXACT", "IN_ORDER", "ANY_ORDER"]


def trajectory(
    expected: Calls, actual: Calls, *, match_type: MatchType = "EXACT", ignore_args: bool = False
) -> float:
    """Whether the calls of one invocation are the expected ones: 1.0 or 0.0.

    Values are the same where Python says so: 1, 1.0 and true are one value.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        match_type: `EXACT` for the same calls in the same order, `IN_ORDER` where others may stand
            in between, `ANY_ORDER` if the order does not matter either.
        ignore_args: compare names alone.

    Defects:
        Where no call is expected, `IN_ORDER` and `ANY_ORDER` accept whatever was called.
        Arguments that were not given are not the same as no arguments: None is not `{}`.

    Raises:
        InvalidSettings: the match type is unknown.
        NotScorable: values are nested too deeply to be compared.
    """
    rule = option_value("match_type", match_type, _RULES)
    read: Callable[[Calls], list[Any]] = names_of if ignore_args else pairs_of
    try:
        return 1.0 if rule(read(expected), read(actual)) else 0.0
    except RecursionError as error:
        raise NotScorable("the arguments are nested too deeply to be compared.") from error


def mean_trajectory(
    expected: Sequence[Calls],
    actual: Sequence[Calls],
    *,
    match_type: MatchType = "EXACT",
    ignore_args: bool = False,
) -> float | None:
    """The mean of `trajectory` over the invocations of a conversation; None if there is none.

    Args:
        expected: the expected calls, invocation by invocation.
        actual: the actual calls, invocation by invocation.
        match_type: as for `trajectory`.
        ignore_args: as for `trajectory`.

    Raises:
        InvalidSettings: the match type is unknown.
        NotScorable: the two sides have different numbers of invocations, or one invocation cannot
            be scored.
    """
    if len(expected) != len(actual):
        raise NotScorable(
            f"ADK requires as many actual invocations as expected ones: {len(actual)} for {len(expected)}."
        )
    if not expected:
        return None
    scores = [
        trajectory(wanted, made, match_type=match_type, ignore_args=ignore_args)
        for wanted, made in zip(expected, actual, strict=True)
    ]
    return sum(scores) / len(scores)


def _contains_all(expected: list[Any], actual: list[Any]) -> bool:
    rest = actual.copy()
    try:
        for item in expected:
            rest.remove(item)
    except ValueError:
        return False
    return True


_RULES: dict[str, Callable[[list[Any], list[Any]], bool]] = {
    "EXACT": eq,
    "IN_ORDER": is_subsequence,
    "ANY_ORDER": _contains_all,
}

METRICS = (trajectory,)
