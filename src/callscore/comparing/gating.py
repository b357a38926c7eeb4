"""The gate: whether a comparison allows a change, and why not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from callscore.comparing.changes import Alarm, CaseChange
    from callscore.comparing.comparison import Comparison  # noqa: TC004  (a gate is never decoded)

__all__ = ["FAIL_ON", "FailOn", "Gate", "Reason", "ReasonKind", "WhichSide", "gate"]

# Commands that compare nothing import the options of a gate from here: the other modules of
# comparing are imported only by the functions that use them.

_MAX_CASES = 20
_TOLERANCE = 1e-9  # 0.9 - 1.0 is a little less than a tenth
FailOn = Literal["regressed", "broken", "any"]
FAIL_ON: tuple[FailOn, ...] = ("regressed", "broken", "any")
WhichSide = Literal["before", "after"]
ReasonKind = Literal[
    "regressed",  # the verdict
    "slice",  # the verdict on a tool or a tag
    "in doubt",  # too few cases for a verdict, and a loss of 10 points or more
    "broken",
    "changed",
    "missing",  # cases that only the first run has, or has a number for
    "forbidden",
    "schema",
    "below",  # a mean of the second run is below `fail_under`
    "unfinished",  # a run did not finish
    "same run",  # a run is compared with itself
    "nothing compared",  # no case in common, or none with a number in both
]


class Reason(Struct, frozen=True, gc=False, kw_only=True):
    """Why a gate is closed.

    Attributes:
        count: the number of cases; for `slice` of slices, for `below` of scorers.
        cases: the names of the first cases, `evaluation::case`; for `slice` the names of the slices,
            `tag: checkout` or `tool: search`.
        sides: for `unfinished` the runs that did not finish.
    """

    kind: ReasonKind
    count: int = 0
    cases: tuple[str, ...] = ()
    sides: tuple[WhichSide, ...] = ()


class Gate(Struct, frozen=True, kw_only=True):
    """The result of a gate; without reasons it is open."""

    comparison: Comparison
    fail_on: FailOn
    reasons: tuple[Reason, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether the change may pass."""
        return not self.reasons

    @property
    def is_doubtful(self) -> bool:
        """Whether there is a loss that is too small to close the gate, in too few cases to tell."""
        return (
            self.fail_on == "regressed"
            and self.comparison.verdict == "not enough data"
            and (self.comparison.main.change or 0.0) < -_TOLERANCE
            and all(reason.kind != "in doubt" for reason in self.reasons)
        )


def gate(comparison: Comparison, fail_on: FailOn = "regressed") -> Gate:
    """Decide whether a change may pass.

    `regressed` closes the gate for the verdict, on the whole or on a tool or a tag; with too few cases
    for a verdict, for a loss of 10 points or more; and if more cases are missing than are compared.
    `broken` also closes it for any case that passed before and does not now, or is missing; `any` for
    every change. New forbidden calls and schema errors, means below `fail_under`, an unfinished run, nothing
    to compare, and a run compared with itself always close it.
    """
    found = [
        *_unconditional_reasons(comparison),
        *_verdict_reasons(comparison),
        *_case_reasons(comparison, fail_on),
    ]
    return Gate(comparison=comparison, fail_on=fail_on, reasons=tuple(found))


def _unconditional_reasons(comparison: Comparison) -> Iterator[Reason]:
    """The reasons that do not depend on `fail_on`."""
    if comparison.is_same_run:
        yield Reason(kind="same run")
    # An unfinished first run matters only if it is a small part of the second.
    is_part = comparison.only_after.count > comparison.main.cases
    is_unfinished: dict[WhichSide, bool] = {
        "before": is_part and not comparison.before.is_finished,
        "after": not comparison.after.is_finished,
    }
    if any(is_unfinished.values()):
        sides = tuple([side for side, is_it in is_unfinished.items() if is_it])
        yield Reason(kind="unfinished", sides=sides)
    if not comparison.main.cases:
        yield Reason(kind="nothing compared")
    for kind in ("forbidden", "schema"):
        alarms = _names(alarm for alarm in comparison.alarms if alarm.kind == kind)
        if alarms:
            yield _reason(kind, alarms)
    if comparison.after.below:
        yield Reason(kind="below", count=len(comparison.after.below))


def _verdict_reasons(comparison: Comparison) -> Iterator[Reason]:
    from callscore.comparing.differences import COARSE_EFFECT

    main = comparison.main
    if comparison.verdict == "regressed":
        yield Reason(kind="regressed", count=main.down)
    elif (
        comparison.verdict == "not enough data"
        and (main.change or 0.0) <= _TOLERANCE - COARSE_EFFECT
    ):
        yield Reason(kind="in doubt", count=main.down - main.up)
    slices = [f"{each.kind}: {each.name}" for each in comparison.regressed_slices]
    if slices:
        yield _reason("slice", slices)


def _case_reasons(comparison: Comparison, fail_on: FailOn) -> Iterator[Reason]:
    broken = _names(comparison.changed("broken"))
    if broken and fail_on != "regressed":
        yield _reason("broken", broken)
    others = _names(change for change in comparison.changes if change.kind != "broken")
    if others and fail_on == "any":
        yield _reason("changed", others)
    # Cases with a number only in the first run: the case is missing, or only its expectation.
    gone, lost = comparison.only_before, comparison.lost
    count = gone.count + lost.count
    if count and (fail_on != "regressed" or count > comparison.main.cases):
        names = (*gone.names, *lost.names)
        yield Reason(kind="missing", count=count, cases=names[:_MAX_CASES])


def _names(cases: Iterable[Alarm | CaseChange]) -> list[str]:
    from callscore.comparing.sides import case_name

    return [case_name(each.evaluation, each.case) for each in cases]


def _reason(kind: ReasonKind, cases: list[str]) -> Reason:
    return Reason(kind=kind, count=len(cases), cases=tuple(cases[:_MAX_CASES]))
