"""The gate: whether a comparison allows a change, and why not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from callscore.comparing.changes import Alarm, CaseChange, SettingChange
    from callscore.comparing.comparison import Comparison  # noqa: TC004  (a gate is never decoded)
    from callscore.core.results import Noted

# Commands that compare nothing import the options of a gate from here: the other modules of
# comparing are imported only by the functions that use them.

_MAX_CASES = 20
_TOLERANCE = 1e-9  # 0.9 - 1.0 is a little less than a tenth
FailOn = Literal["default", "broken", "regressed", "any"]
FAIL_ON: tuple[FailOn, ...] = ("default", "broken", "regressed", "any")
WhichSide = Literal["before", "after"]
ReasonKind = Literal[
    "regressed",  # the verdict
    "slice",  # the verdict on a tool or a tag
    "broken",
    "changed",
    "missing",  # cases that only the first run has, or has a number for
    "unreadable",  # records of the second run that could not be read
    "trials",  # a loss of 10 points or more over all trials, of which there are more or fewer
    "settings",  # settings, scorers or required means that ask for less, or may do so
    "fewer trials",
    "unchecked",  # cases whose calls are no longer checked against schemas
    "expectations",  # cases whose expected calls changed
    "inputs",
    "new failing",
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
    """The result of a gate; without reasons it is open.

    Attributes:
        is_partial: whether the second run covers only the cases that were selected.
        allows_looser: whether settings and checks may ask for less.
    """

    comparison: Comparison
    fail_on: FailOn
    reasons: tuple[Reason, ...] = ()
    is_partial: bool = False
    allows_looser: bool = False

    @property
    def is_open(self) -> bool:
        """Whether the change may pass."""
        return not self.reasons

    @property
    def is_doubtful(self) -> bool:
        """Whether cases broke, or a loss is too small to tell, and neither closes the gate."""
        if {"regressed", "broken"} & {reason.kind for reason in self.reasons}:
            return False
        loss = -(self.comparison.main.change or 0.0)
        is_too_small = self.comparison.verdict == "not enough data" and loss > _TOLERANCE
        return is_too_small or bool(self.comparison.changed("broken"))


def gate(
    comparison: Comparison,
    fail_on: FailOn = "default",
    *,
    max_skipped: int = 0,
    allow_looser: bool = False,
    is_partial: bool = False,
) -> Gate:
    """Decide whether a change may pass.

    The verdict `regressed`, on the whole or on a tool or a tag, closes the gate. By `default` so do
    cases that broke while none was fixed, with `broken` any case that broke, and with `any` every
    difference. With `regressed`, no single case does.

    Missing cases that were not removed on purpose, more than `max_skipped` unreadable records, new
    forbidden calls and schema errors, means below `fail_under`, an unfinished run, nothing to
    compare, and a run compared with itself always close it. Unless `allow_looser`, so do settings
    that ask for less or may do so, fewer trials, and schemas that are no longer checked. `is_partial` is
    as in `Gate`.

    Raises:
        InvalidSettings: `broken` and `any` are about every case, and not every case is saved.
    """
    if comparison.is_totals and fail_on in ("broken", "any"):
        from callscore.errors import InvalidSettings

        raise InvalidSettings(
            f"fail_on: {fail_on!r} is about every case, and not every case of these runs is saved. Use"
            " 'regressed', or score the files again with --save-cases all"
        )
    found = [
        *_unconditional_reasons(comparison, max_skipped),
        *_verdict_reasons(comparison),
        *_broken_reasons(comparison, fail_on),
        *([] if allow_looser else _looser_reasons(comparison, fail_on)),
        *(_difference_reasons(comparison) if fail_on == "any" else []),
    ]
    return Gate(
        comparison=comparison,
        fail_on=fail_on,
        reasons=tuple(found),
        allows_looser=allow_looser,
        is_partial=is_partial,
    )


def _unconditional_reasons(comparison: Comparison, max_skipped: int) -> Iterator[Reason]:
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
    yield from _lost_reasons(comparison, max_skipped)
    for kind in ("forbidden", "schema"):
        alarms = _alarm_names(alarm for alarm in comparison.alarms if alarm.kind == kind)
        if alarms:
            yield _reason(kind, alarms)
    if comparison.after.below:
        yield Reason(kind="below", count=len(comparison.after.below))


def _lost_reasons(comparison: Comparison, max_skipped: int) -> Iterator[Reason]:
    """What the second run lacks: a case that vanished did not pass."""
    if comparison.missing:
        yield _reason("missing", list(comparison.missing))
    if comparison.fewer_cases:  # which ones is not known
        yield Reason(kind="missing", count=comparison.fewer_cases)
    if comparison.after.unreadable > max_skipped:
        yield Reason(kind="unreadable", count=comparison.after.unreadable)


def _verdict_reasons(comparison: Comparison) -> Iterator[Reason]:
    from callscore.comparing.differences import COARSE_EFFECT

    if comparison.verdict == "regressed":
        yield Reason(kind="regressed", count=comparison.main.down)
    elif comparison.all_trials is not None:
        before, after = comparison.all_trials
        if after - before <= _TOLERANCE - COARSE_EFFECT:  # the verdict is about the first trials
            yield Reason(kind="trials", count=len(comparison.changed("broken")))
    slices = [f"{each.kind}: {each.name}" for each in comparison.regressed_slices]
    if slices:
        yield _reason("slice", slices)


def _broken_reasons(comparison: Comparison, fail_on: FailOn) -> Iterator[Reason]:
    if fail_on == "regressed":
        return
    broken = (
        _broken_beyond_noise(comparison) if fail_on == "default" else comparison.changed("broken")
    )
    if broken:
        yield _reason("broken", _names(broken))


def _broken_beyond_noise(comparison: Comparison) -> list[CaseChange]:
    """The cases that broke, unless noise explains them, which breaks and fixes cases alike.

    They passed in all trials, and pass in none now, while no case did the reverse. Cases that still
    pass in some trials are among them if no case passes in more trials than before.
    """
    found = comparison.changes
    # With more trials than before all count, with fewer as many of the first run as of the second. A case
    # that gains because something else is expected or asked, or scored in another way, says nothing
    # about noise.
    is_scored_alike = all(change.name == "tools" for change in comparison.settings)
    gains = [
        each
        for each in found
        if is_scored_alike
        and each.after[0] * each.first[1] > each.first[0] * each.after[1]
        and not (each.is_expectation_changed or each.is_input_changed)
    ]
    if any(each.first[0] == 0 and each.after[0] == each.after[1] for each in gains):
        return []
    return [
        each
        for each in found
        if each.kind == "broken"
        and each.first[0] == each.first[1] > 0
        and not (each.after[0] and gains)
    ]


def _looser_reasons(comparison: Comparison, fail_on: FailOn) -> Iterator[Reason]:
    """What asks for less than before of every case, or may do so."""
    settings = [change for change in comparison.settings if _closes(change, fail_on)]
    if settings:
        yield _reason("settings", [f"{each.evaluation}: {each.name}" for each in settings])
    yield from _noted_reasons(
        [("fewer trials", comparison.fewer_trials), ("unchecked", comparison.unchecked)]
    )


def _closes(change: SettingChange, fail_on: FailOn) -> bool:
    """Whether a setting closes the gate; definitions of tools are inputs, which are reviewed."""
    is_looser = change.direction != "stricter" and change.name != "tools"
    return is_looser or fail_on == "any"


def _difference_reasons(comparison: Comparison) -> Iterator[Reason]:
    """Everything else that differs."""
    others = _names(change for change in comparison.changes if change.kind != "broken")
    if others:
        yield _reason("changed", others)
    yield from _noted_reasons(
        [
            ("expectations", comparison.expectations_changed),
            ("inputs", comparison.inputs_changed),
            ("new failing", comparison.new_failing),
        ]
    )


def _noted_reasons(found: Iterable[tuple[ReasonKind, Noted]]) -> Iterator[Reason]:
    for kind, noted in found:
        if noted.count:
            yield Reason(kind=kind, count=noted.count, cases=noted.names)


def _names(cases: Iterable[Alarm | CaseChange]) -> list[str]:
    from callscore.comparing.sides import case_name

    return [case_name(each.evaluation, each.case) for each in cases]


def _alarm_names(alarms: Iterable[Alarm]) -> list[str]:
    """The names of the cases; if totals are compared, those of the evaluations, with the tools."""
    found = []
    for alarm in alarms:
        tools = f": {', '.join(alarm.tools)}" if alarm.tools else ""
        found += _names([alarm]) if alarm.case else [f"{alarm.evaluation}{tools}"]
    return found


def _reason(kind: ReasonKind, cases: list[str]) -> Reason:
    return Reason(kind=kind, count=len(cases), cases=tuple(cases[:_MAX_CASES]))
