"""Runs as a history shows them: by what they evaluated, each against the one before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from callscore.core.statistics import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Direction", "RunRow", "Step", "Timeline", "timelines"]

# The answers of an older run, under other settings: no step on the way of quality.
_AGAIN = "rescore"

Direction = Literal["up", "down", "same"]


class RunRow(Struct, frozen=True, gc=False, kw_only=True):
    """An evaluation of a run in a list of runs.

    Attributes:
        id: the id of the run.
        command: what made it: `run`, `rescore`, `score` ...
        status: whether it came to its end: `running`, `finished`, `interrupted`, or `abandoned`
            where its process was ended.
        started_at: when, in seconds since 1970.
        name: what somebody calls it.
        baselines: the names under which it is a baseline.
        git_commit: the commit of the project; None outside of a repository.
        git_dirty: whether files had changed since.
        is_partial: whether it was told to leave cases out.
        evaluation: what was evaluated; None where nothing was, or not yet.
        variant: under which variant; None where there is only one way to run it.
        place: the file that the evaluation stands in.
        key: what tells it from others of the same name.
        cases: how many cases have a decision.
        answered: how many answers there are.
        passed: how many of them pass.
        share: the mean over the cases of the share of their trials that pass; None without any.
        interval: the 95 % interval of the share.
        f1: the mean score of the cases; None where no calls are expected.
        errors: how many questions have no answer.
    """

    id: str
    command: str
    status: str = "finished"
    started_at: float
    name: str | None = None
    baselines: tuple[str, ...] = ()
    git_commit: str | None = None
    git_dirty: bool | None = None
    is_partial: bool = False
    evaluation: str | None = None
    variant: str | None = None
    place: str = ""
    key: str = ""
    cases: int = 0
    answered: int = 0
    passed: int = 0
    share: float | None = None
    interval: Interval | None = None
    f1: float | None = None
    errors: int = 0

    @property
    def counts(self) -> bool:
        """Whether others may be held against it: it is whole, its answers are its own, and there is a number."""
        is_whole = self.status == "finished" and not self.is_partial
        return is_whole and self.command != _AGAIN and self.share is not None

    @property
    def label(self) -> str:
        """What was evaluated, with the variant; empty where nothing was."""
        if self.variant is None:
            return self.evaluation or ""
        return f"{self.evaluation} [{self.variant}]"


class Step(Struct, frozen=True, gc=False, kw_only=True):
    """A run, and how it stands to the one before it.

    Attributes:
        row: the run.
        change: how far its share is above that of the run before; None where there is none that it
            can be held against.
        is_outside: whether its share is outside of the interval of the run before.
        has_other_cases: whether it has more cases than the run before, or fewer: then the shares
            of the two say nothing about each other.
    """

    row: RunRow
    change: float | None = None
    is_outside: bool = False
    has_other_cases: bool = False

    @property
    def direction(self) -> Direction | None:
        """Where it went; None where there is nothing to hold it against."""
        if self.change is None:
            return None
        return "same" if self.change == 0 else "up" if self.change > 0 else "down"


class Timeline(Struct, frozen=True, kw_only=True):
    """The runs of one evaluation, under one variant.

    Attributes:
        steps: the runs, the newest first.
    """

    steps: tuple[Step, ...]

    @property
    def label(self) -> str:
        """What was evaluated."""
        return self.steps[0].row.label

    @property
    def place(self) -> str:
        """The file that it stands in."""
        return self.steps[0].row.place

    @property
    def shares(self) -> tuple[float, ...]:
        """The shares of the runs that others may be held against, the oldest first."""
        rows = [step.row for step in reversed(self.steps)]
        return tuple([row.share for row in rows if row.counts and row.share is not None])


def timelines(rows: Sequence[RunRow], *, most: int | None = None) -> list[Timeline]:
    """The runs by what they evaluated; what was run last comes first.

    A run is held against the nearest before it that came to its end and left nothing out.

    Args:
        rows: the evaluations of the runs, those of the newest run first.
        most: of how many of the newest runs; others are only what these are held against.
    """
    shown = set(list(dict.fromkeys([row.id for row in rows]))[:most])
    groups: dict[tuple[str, str | None, str | None], list[RunRow]] = {}
    for row in rows:
        groups.setdefault((row.key, row.evaluation, row.variant), []).append(row)
    steps = [
        tuple([step for step in _steps(group) if step.row.id in shown]) for group in groups.values()
    ]
    return [Timeline(steps=of_one) for of_one in steps if of_one]


def _steps(group: Sequence[RunRow]) -> list[Step]:
    steps: list[Step] = []
    before: RunRow | None = None
    for row in reversed(group):
        steps.append(_step(row, before))
        before = row if row.counts else before
    return steps[::-1]


def _step(row: RunRow, before: RunRow | None) -> Step:
    if before is None or not row.counts or row.share is None or before.share is None:
        return Step(row=row)
    if row.cases != before.cases:
        return Step(row=row, has_other_cases=True)
    change = round(row.share - before.share, 9)  # of two shares that are made of other numbers
    low, high = before.interval or (before.share, before.share)
    return Step(row=row, change=change, is_outside=not low <= row.share <= high)
