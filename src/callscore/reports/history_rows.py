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
    """A run in a list of runs.

    Attributes:
        id: its id.
        command: what made it: `run`, `rescore`, `score` ...
        status: whether it came to its end: `running`, `finished`, `interrupted`.
        started_at: when, in seconds since 1970.
        name: what somebody calls it.
        baselines: the names under which it is a baseline.
        git_commit: the commit of the project; None outside of a repository.
        git_dirty: whether files had changed since.
        suites: what it evaluated.
        is_partial: whether it was told to leave cases out.
        cases: how many cases have a decision.
        answered: how many answers there are.
        passed: how many of them pass.
        share: the mean over the cases of the share of their trials that pass; None without any.
        interval: the 95 % interval of the share.
        f1: the macro F1; None where no calls are expected.
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
    suites: tuple[str, ...] = ()
    is_partial: bool = False
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


class Step(Struct, frozen=True, gc=False, kw_only=True):
    """A run, and how it stands to the one before it.

    Attributes:
        row: the run.
        change: how far its share is above that of the run before; None where there is none.
        is_outside: whether its share is outside of the interval of the run before.
    """

    row: RunRow
    change: float | None = None
    is_outside: bool = False

    @property
    def direction(self) -> Direction | None:
        """Where it went; None where there is nothing to hold it against."""
        if self.change is None:
            return None
        return "same" if self.change == 0 else "up" if self.change > 0 else "down"


class Timeline(Struct, frozen=True, kw_only=True):
    """The runs that evaluated the same things.

    Attributes:
        suites: what they evaluated.
        steps: the runs, the newest first.
    """

    suites: tuple[str, ...]
    steps: tuple[Step, ...]

    @property
    def shares(self) -> tuple[float, ...]:
        """The shares of the runs that others may be held against, the oldest first."""
        rows = [step.row for step in reversed(self.steps)]
        return tuple([row.share for row in rows if row.counts and row.share is not None])


def timelines(rows: Sequence[RunRow]) -> list[Timeline]:
    """The runs by what they evaluated; what was run last comes first.

    A run is held against the nearest before it that came to its end and left nothing out.

    Args:
        rows: the runs, the newest first.
    """
    groups: dict[tuple[str, ...], list[RunRow]] = {}
    for row in rows:
        groups.setdefault(row.suites, []).append(row)
    return [Timeline(suites=suites, steps=_steps(group)) for suites, group in groups.items()]


def _steps(group: Sequence[RunRow]) -> tuple[Step, ...]:
    steps: list[Step] = []
    before: RunRow | None = None
    for row in reversed(group):
        steps.append(_step(row, before))
        before = row if row.counts else before
    return tuple(reversed(steps))


def _step(row: RunRow, before: RunRow | None) -> Step:
    if before is None or not row.counts or row.share is None or before.share is None:
        return Step(row=row)
    change = round(row.share - before.share, 9)  # of two shares that are made of other numbers
    low, high = before.interval or (before.share, before.share)
    return Step(row=row, change=change, is_outside=not low <= row.share <= high)
