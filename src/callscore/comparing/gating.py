"""Whether a comparison lets a change through, and why not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from callscore.comparing.comparison import Comparison

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.comparing.comparison import CaseChange

__all__ = ["FAIL_ON", "FailOn", "Gate", "Reason", "ReasonKind", "gate"]

_MOST_CASES = 20
FailOn = Literal["regressed", "broken", "any"]
FAIL_ON: tuple[FailOn, ...] = ("regressed", "broken", "any")
ReasonKind = Literal[
    "regressed",  # the verdict
    "in doubt",  # too few cases to tell, and more of them broke than were fixed
    "broken",
    "changed",
    "missing",  # cases that only the first run has
    "forbidden",
    "schema",
    "below",  # a threshold of the second run
    "unfinished",  # the second run did not come to its end
    "nothing compared",  # no case in common
]


class Reason(Struct, frozen=True, gc=False, kw_only=True):
    """Why a change is not let through.

    Attributes:
        kind: what it is.
        count: how many cases it is about.
        cases: the names of the first of them: `evaluation: case`.
    """

    kind: ReasonKind
    count: int = 0
    cases: tuple[str, ...] = ()


class Gate(Struct, frozen=True, kw_only=True):
    """What a gate says.

    Attributes:
        comparison: what it looked at.
        fail_on: how strict it is.
        reasons: why it is closed; empty where it is open.
    """

    comparison: Comparison
    fail_on: FailOn
    reasons: tuple[Reason, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether the change is let through."""
        return not self.reasons


def gate(comparison: Comparison, fail_on: FailOn = "regressed") -> Gate:
    """Whether a change is let through.

    Args:
        comparison: the runs before and after it.
        fail_on: `regressed` for the verdict alone, or, where there is too little to tell, for more
            broken cases than fixed ones, or for more cases that are gone than are left; `broken` for
            any case that passed and does not, or is gone; `any` for whatever is other than before.
            A forbidden call or a schema error that is new, a missed threshold and a run that did not
            end close it always, and so does a comparison of nothing.
    """
    found = [
        *_always(comparison),
        *_by_verdict(comparison),
        *(_by_case(comparison, fail_on) if fail_on != "regressed" else ()),
    ]
    gone, left = comparison.only_before, comparison.main.cases
    if gone.count and (fail_on != "regressed" or gone.count > left):
        found.append(Reason(kind="missing", count=gone.count, cases=gone.names[:_MOST_CASES]))
    return Gate(comparison=comparison, fail_on=fail_on, reasons=tuple(found))


def _always(comparison: Comparison) -> Iterator[Reason]:
    """What closes a gate however strict it is."""
    if not comparison.after.is_finished:
        yield Reason(kind="unfinished")
    if not comparison.main.cases:
        yield Reason(kind="nothing compared")
    for kind in ("forbidden", "schema"):
        alarms = [
            f"{alarm.evaluation}: {alarm.case}" for alarm in comparison.alarms if alarm.kind == kind
        ]
        if alarms:
            yield _reason(kind, alarms)
    if comparison.after.below:
        yield Reason(kind="below", count=len(comparison.after.below))


def _by_verdict(comparison: Comparison) -> Iterator[Reason]:
    """What the numbers say, or where they say nothing, the cases."""
    main = comparison.main
    if comparison.verdict == "regressed":
        yield Reason(kind="regressed", count=main.down)
    if comparison.verdict == "not enough data" and main.down > main.up:
        yield Reason(kind="in doubt", count=main.down - main.up)


def _by_case(comparison: Comparison, fail_on: FailOn) -> Iterator[Reason]:
    broken = [_name(change) for change in comparison.changed("broken")]
    if broken:
        yield _reason("broken", broken)
    others = [_name(change) for change in comparison.changes if change.kind != "broken"]
    if others and fail_on == "any":
        yield _reason("changed", others)


def _name(change: CaseChange) -> str:
    return f"{change.evaluation}: {change.case}"


def _reason(kind: ReasonKind, cases: list[str]) -> Reason:
    return Reason(kind=kind, count=len(cases), cases=tuple(cases[:_MOST_CASES]))
