"""The gate: whether a comparison allows a change, and why not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from callscore.comparing.changes import Alarm, CaseChange
    from callscore.comparing.comparison import Comparison  # noqa: TC004  (a gate is never decoded)

__all__ = ["FAIL_ON", "FailOn", "Gate", "Reason", "ReasonKind", "WhichSide", "gate"]

# Commands read the options of a gate from this module, and most of them compare nothing: other
# modules of comparing are imported by the functions that use them.

_MAX_CASES = 20
_TOLERANCE = 1e-9  # 0.9 - 1.0 is a little less than a tenth
FailOn = Literal["regressed", "broken", "any"]
FAIL_ON: tuple[FailOn, ...] = ("regressed", "broken", "any")
WhichSide = Literal["before", "after"]
ReasonKind = Literal[
    "regressed",  # the verdict
    "slice",  # the verdict on a tool or a tag
    "in doubt",  # too few cases to tell, and what was seen is a loss of 10 points or more
    "broken",
    "changed",
    "missing",  # cases that only the first run has, or has a number for
    "forbidden",
    "schema",
    "below",  # a threshold of the second run
    "unfinished",  # a run did not finish
    "same run",  # a run is compared with itself
    "nothing compared",  # no case in common, or none with a number in both
]


class Reason(Struct, frozen=True, gc=False, kw_only=True):
    """Why a gate is closed.

    Attributes:
        kind: what it is.
        count: how many cases it is about; for `slice` how many slices, for `below` how many thresholds.
        cases: the names of the first of them, `evaluation::case`; for `slice` those of the slices,
            `tag: checkout` or `tool: search`.
        sides: which of the runs did not end, where it is about that.
    """

    kind: ReasonKind
    count: int = 0
    cases: tuple[str, ...] = ()
    sides: tuple[WhichSide, ...] = ()


class Gate(Struct, frozen=True, kw_only=True):
    """The result of a gate.

    Attributes:
        comparison: what it looked at.
        fail_on: how strict it is.
        reasons: why it is closed; empty if it is open.
    """

    comparison: Comparison
    fail_on: FailOn
    reasons: tuple[Reason, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether the change may pass."""
        return not self.reasons

    @property
    def is_doubtful(self) -> bool:
        """Whether a loss was seen that is too small to close it, by too few cases to tell."""
        return (
            self.fail_on == "regressed"
            and self.comparison.verdict == "not enough data"
            and (self.comparison.main.change or 0.0) < -_TOLERANCE
            and all(reason.kind != "in doubt" for reason in self.reasons)
        )


def gate(comparison: Comparison, fail_on: FailOn = "regressed") -> Gate:
    """Decide whether a change may pass.

    Args:
        comparison: the runs before and after it.
        fail_on: `regressed` for the verdict alone, on the whole or on a tool or a tag; or, where
            there is too little to tell, for a loss of 10 points or more; or for more cases that are
            gone than are left. `broken` for any case that passed and does not, or is gone. `any`
            for whatever is other than before. A forbidden call or a schema error that is new, a
            missed threshold and a run that did not end close it always, and so does a comparison
            of nothing, or of a run with itself.
    """
    found = [
        *_unconditional_reasons(comparison),
        *_verdict_reasons(comparison),
        *_case_reasons(comparison, fail_on),
    ]
    return Gate(comparison=comparison, fail_on=fail_on, reasons=tuple(found))


def _unconditional_reasons(comparison: Comparison) -> Iterator[Reason]:
    """What closes a gate however strict it is."""
    if comparison.is_same_run:
        yield Reason(kind="same run")
    # It matters that the first did not end if it is only a small part of the second.
    is_part = comparison.only_after.count > comparison.main.cases
    ended: dict[WhichSide, bool] = {
        "before": comparison.before.is_finished or not is_part,
        "after": comparison.after.is_finished,
    }
    if not all(ended.values()):
        sides = tuple([side for side, has_ended in ended.items() if not has_ended])
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
    """What the numbers say."""
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
    # What had a number before and has none now: the case is gone, or only what it expects.
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
