"""Whether a case that should fail in one way does, and in no other: by scoring it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.api import score_case
from callscore.checks.check import check_calls
from callscore.core.expectation import Group
from callscore.formats.cases import read_case

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.core.model import Case, Score
    from callscore.core.tool import Tool

__all__ = ["fails_only_by", "passes"]


class _Signs(NamedTuple):
    """What a class of failure shows: how many calls of each status, and the faults."""

    incorrect: int = 0
    missed: int = 0
    extra: int = 0
    forbidden: int = 0
    faults: frozenset[str] = frozenset()


def _signs(incorrect: int, missed: int, extra: int, *faults: str, forbidden: int = 0) -> _Signs:
    return _Signs(incorrect, missed, extra, forbidden, frozenset(faults))


_SIGNS = {
    "wrong_value": _signs(1, 0, 0),
    "missing_argument": _signs(1, 0, 0, "missing_argument"),
    "unknown_argument": _signs(1, 0, 0, "unknown_argument"),
    "wrong_type": _signs(1, 0, 0, "wrong_type"),
    "invalid_value": _signs(1, 0, 0, "invalid_value"),
    "malformed": _signs(1, 0, 0, "malformed"),
    "wrong_tool": _signs(0, 1, 1),
    "unknown_tool": _signs(0, 1, 1, "unknown_tool"),
    "missed_call": _signs(0, 1, 0),
    "extra_call": _signs(0, 0, 1),
    "repeat": _signs(0, 0, 1, "repeat"),
    # What comes a third time was repeated before, and what is tried again is made again.
    "loop": _signs(0, 0, 2, "repeat", "loop"),
    "retry_unchanged": _signs(0, 0, 1, "repeat", "retry_unchanged"),
    "forbidden_call": _signs(0, 0, 1, forbidden=1),
}


def fails_only_by(record: dict[str, Any], failure: str, tools: Mapping[str, Tool]) -> bool:
    """Whether a case, as it stands in a file, fails in one way and in no other.

    Args:
        record: the case.
        failure: the class of the failure.
        tools: the tools by name.

    Raises:
        InvalidSettings: the schema of a tool cannot be used.
        UnreadableInput: the case cannot be read.
    """
    case = read_case(record, place=failure)
    score, faults = _scored(case, tools)
    if score.passed:
        return False
    if failure == "wrong_order":
        return not faults and _passes_in_any_order(case, tools)
    found = _Signs(
        len(score.incorrect), len(score.missed), len(score.extra), len(score.forbidden), faults
    )
    return found == _SIGNS[failure]


def passes(record: dict[str, Any], tools: Mapping[str, Tool]) -> bool:
    """Whether a case, as it stands in a file, passes, and its answer is without a fault.

    Raises:
        InvalidSettings: the schema of a tool cannot be used.
        UnreadableInput: the case cannot be read.
    """
    case = read_case(record, place="")
    score, faults = _scored(case, tools)
    return score.is_exact and not faults


def _scored(case: Case, tools: Mapping[str, Tool]) -> tuple[Score, frozenset[str]]:
    actual = case.actual or ()
    score = score_case(tuple(case.expected or ()), actual, tools=tools)
    return score, frozenset(fault.kind for fault in check_calls(actual, tools))


def _passes_in_any_order(case: Case, tools: Mapping[str, Tool]) -> bool:
    (group,) = case.expected or ()
    freed = Group("any_order", group.members)
    return score_case((freed,), case.actual or (), tools=tools).passed
