"""Pydantic Evals: the names of the calls as a trajectory or a multiset, and the arguments of one.

Its evaluators read the calls from spans. A call that ended in an error is left out, unless it is
asked for; which calls did is known of a `ToolCall`, not of a plain object.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from callscore.core.tool_names import common_subsequence_length
from callscore.errors import NotScorable
from callscore.parity.parameters import Arguments, Call, Calls, names_of, option_value, pairs_of
from callscore.parity.value_comparison import (
    common_count,
    f1_of,
    has_members,
    is_submultiset,
)

__all__ = [
    "METRICS",
    "TITLE",
    "VERSION",
    "MatchMode",
    "Order",
    "argument_correctness",
    "argument_correctness_by_call",
    "tool_correctness",
    "trajectory_match",
]

TITLE = "Pydantic Evals"
VERSION = "2.62.0"

Order = Literal["exact", "in_order", "any_order"]
MatchMode = Literal["subset", "exact"]

_MODES = {"subset": True, "exact": False}  # whether there may be more arguments than expected


def trajectory_match(
    expected: Calls, actual: Calls, *, order: Order = "in_order", include_failed: bool = False
) -> float:
    """How well the names of the calls follow the expected ones; arguments are not looked at.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        order: `exact` is 1.0 for the same names in the same order and else 0.0; `in_order` is the
            F1 of the longest common subsequence; `any_order` is the F1 of the common multiset.
        include_failed: count calls that ended in an error, too.

    Defects:
        Calls with wrong arguments count as right ones.

    Raises:
        InvalidSettings: the order is unknown.
    """
    common = option_value("order", order, _ORDERS)
    wanted, made = names_of(expected), names_of(_counted(actual, include_failed=include_failed))
    if common is None or not (wanted and made):
        return 1.0 if wanted == made else 0.0
    return f1_of(common(wanted, made), len(wanted), len(made))


def tool_correctness(
    expected: Calls, actual: Calls, *, allow_extra: bool = False, include_failed: bool = False
) -> bool:
    """Whether the expected tools were called, each as often as expected, in any order.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        allow_extra: accept other calls, and more calls, too.
        include_failed: count calls that ended in an error, too.

    Defects:
        Calls with wrong arguments count as right ones.
    """
    wanted, made = names_of(expected), names_of(_counted(actual, include_failed=include_failed))
    if allow_extra:
        return is_submultiset(wanted, made)
    return sorted(wanted) == sorted(made)


def argument_correctness(
    expected: Call,
    actual: Calls,
    *,
    match_mode: MatchMode = "subset",
    occurrence: Literal["first", "last"] | int = "first",
    include_failed: bool = False,
) -> bool:
    """Whether one call of a tool had the expected arguments.

    Values are the same where Python says so: 1, 1.0 and true are one value.

    Args:
        expected: the tool and its arguments.
        actual: the actual calls.
        match_mode: `subset` accepts arguments beyond the expected ones, `exact` does not.
        occurrence: which call of that tool is looked at; a number counts from 0.
        include_failed: count calls that ended in an error, too.

    Defects:
        Only the arguments themselves may be a subset: an object among them must be the same.

    Raises:
        InvalidSettings: the mode is unknown.
        NotScorable: no arguments are expected, so that there is nothing to compare with, or values
            are nested too deeply to be compared.
    """
    [(name, wanted)] = pairs_of([expected])
    pairs = pairs_of(_counted(actual, include_failed=include_failed))
    made = [arguments for called, arguments in pairs if called == name]
    if occurrence == "first":
        occurrence = 0
    elif occurrence == "last":
        occurrence = len(made) - 1
    return _is_right(wanted, made, occurrence, match_mode)


def argument_correctness_by_call(
    expected: Calls,
    actual: Calls,
    *,
    match_mode: MatchMode = "subset",
    include_failed: bool = False,
) -> tuple[bool, ...]:
    """`argument_correctness` of each expected call.

    The first expected call of a tool is compared with its first actual one, the second with the
    second, and so on; what other tools were called in between does not matter.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        match_mode: as for `argument_correctness`.
        include_failed: count calls that ended in an error, too.

    Raises:
        InvalidSettings: the mode is unknown.
        NotScorable: an expected call has no arguments to compare with, or values are nested too
            deep to be compared.
    """
    made: dict[str, list[Arguments]] = {}
    for name, arguments in pairs_of(_counted(actual, include_failed=include_failed)):
        made.setdefault(name, []).append(arguments)
    seen: dict[str, int] = {}
    verdicts = []
    for name, wanted in pairs_of(expected):
        occurrence = seen.get(name, 0)
        seen[name] = occurrence + 1
        verdicts.append(_is_right(wanted, made.get(name, ()), occurrence, match_mode))
    return tuple(verdicts)


def _counted(actual: Calls, *, include_failed: bool) -> Calls:
    if include_failed:
        return actual
    return [call for call in actual if getattr(call, "failed", None) is not True]


def _is_right(
    expected: Arguments, made: Sequence[Arguments], occurrence: int, match_mode: MatchMode
) -> bool:
    may_be_more = option_value("match_mode", match_mode, _MODES)
    actual = made[occurrence] if 0 <= occurrence < len(made) else None
    if actual is None:  # no such call, or its arguments were not recorded
        return False
    if expected is None:
        raise NotScorable("an expected call has no arguments that could be compared.")
    try:
        return has_members(actual, expected) and (may_be_more or len(actual) == len(expected))
    except RecursionError as error:
        raise NotScorable("the arguments are nested too deeply to be compared.") from error


# How many names two sequences have in common; None where they have to be the same.
_ORDERS: dict[str, Callable[[list[str], list[str]], int] | None] = {
    "exact": None,
    "in_order": common_subsequence_length,
    "any_order": common_count,
}

METRICS = (trajectory_match, tool_correctness)
