"""What comparing two runs gave: numbers with intervals, flips, slices, and a verdict."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from callscore.core.phrase import Note
from callscore.core.results import Noted
from callscore.core.statistics import Interval

__all__ = [
    "Alarm",
    "CaseChange",
    "ChangeKind",
    "ChangeReason",
    "ChangeReasonKind",
    "Comparison",
    "Difference",
    "Method",
    "SideSummary",
    "Slice",
    "Verdict",
    "name_of",
]

Verdict = Literal["improved", "regressed", "no evidence", "not enough data"]
Method = Literal["exact McNemar", "paired bootstrap"]
ChangeKind = Literal["fixed", "broken", "changed"]
ChangeReasonKind = Literal["no answer", "no answer before", "forbidden call", "schema error"]


def name_of(evaluation: str, case: str) -> str:
    """How a case is called among those of several evaluations."""
    return f"{evaluation}::{case}"


class Difference(Struct, frozen=True, gc=False, kw_only=True):
    """How far two runs are apart in one number, over the cases that both have.

    Attributes:
        measure: the number: `passed`, `f1`, or the name of a scorer; `scorer f1` and `scorer passed`
            for scorers that somebody called so.
        cases: how many cases both have a number for.
        before: the mean of the first run over these.
        after: likewise of the second.
        interval: the 95 % interval of the difference; None only where there is no case.
        p_value: the chance of a difference at least as large where there is none.
        method: how the two were tested.
        verdict: what follows.
        smallest: the smallest difference that as many cases could have shown, four times in five;
            None where no difference could be shown.
        up: how many cases went up.
        down: how many went down.
    """

    measure: str
    cases: int
    before: float | None = None
    after: float | None = None
    interval: Interval | None = None
    p_value: float | None = None
    method: Method = "exact McNemar"
    verdict: Verdict = "not enough data"
    smallest: float | None = None
    up: int = 0
    down: int = 0

    @property
    def change(self) -> float | None:
        """How much the second run is above the first; None where there is nothing to compare."""
        if self.before is None or self.after is None:
            return None
        return self.after - self.before


class ChangeReason(Struct, frozen=True, gc=False, kw_only=True):
    """Something to be known about a case that went otherwise.

    Attributes:
        kind: what it is; `no answer` is of the second run, `no answer before` of the first.
        text: why there is no answer, in a sentence; empty where nobody said, and for other kinds.
    """

    kind: ChangeReasonKind
    text: str = ""


class CaseChange(Struct, frozen=True, gc=False, kw_only=True):
    """A case that went otherwise.

    Attributes:
        kind: `fixed` and `broken` where it passes now and did not, or the other way round; `changed`
            where only the calls or the numbers are others, or some of its trials.
        evaluation: what the evaluation is called.
        case: the id of the case.
        tags: its tags.
        before: how many trials passed, of how many that were decided.
        after: likewise.
        f1: the mean F1 before and after; None where there is none.
        reasons: what is to be known about it.
        is_expectation_changed: whether another thing is expected than before.
    """

    kind: ChangeKind
    evaluation: str
    case: str
    tags: tuple[str, ...] = ()
    before: tuple[int, int] = (0, 0)
    after: tuple[int, int] = (0, 0)
    f1: tuple[float | None, float | None] = (None, None)
    reasons: tuple[ChangeReason, ...] = ()
    is_expectation_changed: bool = False


class Slice(Struct, frozen=True, gc=False, kw_only=True):
    """The difference over the cases of one tag, or in the calls of one tool.

    Attributes:
        kind: what the cases have in common.
        name: the tool, or the tag.
        difference: how far the two runs are apart there; its p-value is corrected after Holm for all
            slices of the comparison, and its verdict follows from that.
    """

    kind: Literal["tool", "tag"]
    name: str
    difference: Difference


class Alarm(Struct, frozen=True, gc=False, kw_only=True):
    """Something new that no statistics makes good.

    Attributes:
        kind: a forbidden call, or an error that a tool's schema finds.
        evaluation: what the evaluation is called.
        case: the id of the case.
        before: how many there were in all trials.
        after: how many there are.
        tools: the tools of forbidden calls that are more than before; empty where nobody knows.
    """

    kind: Literal["forbidden", "schema"]
    evaluation: str
    case: str
    before: int
    after: int
    tools: tuple[str, ...] = ()


class SideSummary(Struct, frozen=True, gc=False, kw_only=True):
    """A run in a few words.

    Attributes:
        label: what somebody called it.
        run: its id; empty for a file.
        command: what made it.
        started_at: when, in seconds since 1970; None for a file.
        git_commit: the commit of the project.
        git_dirty: whether files had changed since.
        is_finished: whether it came to its end.
        cases: how many cases it has.
        errors: how many of its trials have no answer.
        below: the thresholds that it misses, each a sentence in every language.
    """

    label: str
    run: str = ""
    command: str = ""
    started_at: float | None = None
    git_commit: str | None = None
    git_dirty: bool | None = None
    is_finished: bool = True
    cases: int = 0
    errors: int = 0
    below: tuple[Note, ...] = ()


class Comparison(Struct, frozen=True, kw_only=True):
    """Two runs, compared.

    Attributes:
        before: the first run.
        after: the second.
        main: the difference that decides the verdict.
        others: the same cases by other numbers, which decide nothing.
        changes: the cases that went otherwise: broken first, then fixed, then changed.
        same: how many cases went as before.
        tools: the calls of each tool; empty where nobody has counted them.
        tags: the cases of each tag.
        alarms: what is new and no statistics makes good.
        only_before: cases that only the first run has.
        only_after: cases that only the second run has.
        undecided: cases that both have, and at least one of them no number for.
        lost: those of them that the first run has a number for, and the second has none.
        expectations_changed: cases of which another thing is expected than before.
        inputs_changed: cases that are asked something else than before.
        is_same_run: whether a run is held against itself.
        evaluations: what the evaluations of the second run are called that were compared, in order.
        notes: what else should be known, each a sentence in every language.
    """

    before: SideSummary
    after: SideSummary
    main: Difference
    others: tuple[Difference, ...] = ()
    changes: tuple[CaseChange, ...] = ()
    same: int = 0
    tools: tuple[Slice, ...] = ()
    tags: tuple[Slice, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    only_before: Noted = Noted()
    only_after: Noted = Noted()
    undecided: Noted = Noted()
    lost: Noted = Noted()
    expectations_changed: Noted = Noted()
    inputs_changed: Noted = Noted()
    is_same_run: bool = False
    evaluations: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """What the comparison comes to."""
        return self.main.verdict

    @property
    def in_common(self) -> int:
        """How many cases both runs have, with a number or without."""
        return len(self.changes) + self.same

    @property
    def regressed_slices(self) -> tuple[Slice, ...]:
        """The tools and the tags whose verdict is `regressed`."""
        return tuple(
            each for each in (*self.tools, *self.tags) if each.difference.verdict == "regressed"
        )

    def changed(self, kind: ChangeKind) -> tuple[CaseChange, ...]:
        """The cases that went otherwise in this way."""
        return tuple(change for change in self.changes if change.kind == kind)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data that any JSON encoder accepts."""
        from callscore.comparing.export import comparison_to_dict

        return comparison_to_dict(self)
