"""Every metric over every trajectory of a benchmark, and what was found as numbers to keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec import Struct
from validity.advising import advised
from validity.evidence import evidence, intervals
from validity.held_out import HeldOut, held_out
from validity.metrics import metrics_of
from validity.trajectories import half_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from validity.evidence import Column
    from validity.metrics import Metric
    from validity.trajectories import Benchmark, Trajectory

__all__ = ["Measured", "Row", "measure"]

DIGITS = 4

_Key = TypeVar("_Key", str, int)


class Row(Struct, frozen=True):
    """What was found for one metric.

    Attributes:
        section: what it is listed under.
        name: what it is called there.
        area: the AUC over all trajectories that it scores.
        low: the lower end of its interval.
        high: the upper end.
        agreement: the share of trajectories in which a full score and success go together.
        full_failures: the number of failures with a full score.
        other_successes: the number of successes without a full score.
        scored: the number of trajectories that it scores.
        halves: the AUC in each half of the tasks.
        groups: the AUC by group of trajectories; None where all of a group succeeded or failed.
        variant: which of several ways to give it the calls was the best for it.
    """

    section: str
    name: str
    area: float
    low: float
    high: float
    agreement: float
    full_failures: int
    other_successes: int
    scored: int
    halves: tuple[float, float]
    groups: dict[str, float | None]
    variant: str = ""

    @property
    def tool(self) -> str:
        """Whose it is, if the name says so."""
        return self.name.partition(".")[0]


class Measured(Struct, frozen=True):
    """What was found on one benchmark.

    Attributes:
        benchmark: its name.
        date: when it was measured, as YYYY-MM-DD; empty if it is measured every time.
        trajectories: the number of runs.
        successes: the number of runs that did the task.
        tasks: the number of tasks in each half.
        groups: the number of runs in each group.
        rows: the metrics.
        held_out: what was chosen on one half of the tasks, and reported on the other.
    """

    benchmark: str
    date: str
    trajectories: int
    successes: int
    tasks: tuple[int, int]
    groups: dict[str, int]
    rows: tuple[Row, ...]
    held_out: tuple[HeldOut, ...]

    def row(self, name: str) -> Row:
        """The row of a metric."""
        return next(row for row in self.rows if row.name == name)

    def chosen(self, name: str) -> HeldOut:
        """What was chosen in a certain way."""
        return next(one for one in self.held_out if one.name == name)


class _Best(NamedTuple):
    """The best way to give a metric the calls."""

    metric: Metric
    column: Column
    variant: str


def measure(benchmark: Benchmark, date: str = "") -> Measured:
    """Every metric over every trajectory."""
    runs = benchmark.trajectories
    found = [_best(metric, runs) for metric in metrics_of(benchmark)]
    ranges = intervals([one.column for one in found], runs)
    rows = tuple(_row(one, interval, runs) for one, interval in zip(found, ranges, strict=True))
    tasks = {one.task for one in runs}
    second = sum(map(half_of, tasks))
    names = sorted({one.group for one in runs})
    return Measured(
        benchmark=benchmark.name,
        date=date,
        trajectories=len(runs),
        successes=sum(one.succeeded for one in runs),
        tasks=(len(tasks) - second, second),
        groups={name: sum(one.group == name for one in runs) for name in names},
        rows=rows,
        held_out=(*held_out(rows), advised(benchmark)),
    )


def _best(metric: Metric, runs: Sequence[Trajectory]) -> _Best:
    """The column with the highest area; of equal ones, the one that scores the most."""
    columns = {
        variant: [measured(one) for one in runs] for variant, measured in metric.variants.items()
    }
    variant = max(
        columns, key=lambda name: (evidence(columns[name], runs)[0], -columns[name].count(None))
    )
    return _Best(metric, columns[variant], variant)


def _row(one: _Best, interval: tuple[float, float], runs: Sequence[Trajectory]) -> Row:
    area, agreement = evidence(one.column, runs)
    full = [
        (run.succeeded, value >= 1)
        for value, run in zip(one.column, runs, strict=True)
        if value is not None
    ]
    halves = _areas_by(lambda run: half_of(run.task), one.column, runs)
    return Row(
        section=one.metric.section,
        name=one.metric.name,
        area=round(area, DIGITS),
        low=round(interval[0], DIGITS),
        high=round(interval[1], DIGITS),
        agreement=round(agreement, DIGITS),
        full_failures=full.count((False, True)),
        other_successes=full.count((True, False)),
        scored=len(runs) - one.column.count(None),
        halves=(_known(halves[0]), _known(halves[1])),
        groups=_areas_by(lambda run: run.group, one.column, runs),
        variant=one.variant,
    )


def _areas_by(
    key: Callable[[Trajectory], _Key], column: Column, runs: Sequence[Trajectory]
) -> dict[_Key, float | None]:
    """The AUC of each part of the runs; None where all of a part succeeded or failed."""
    parts: dict[_Key, list[int]] = {}
    for at, run in enumerate(runs):
        parts.setdefault(key(run), []).append(at)
    return {part: _area_of(column, runs, parts[part]) for part in sorted(parts)}


def _known(area: float | None) -> float:
    if area is None:
        raise ValueError("one half of the tasks has only successes or only failures")
    return area


def _area_of(column: Column, runs: Sequence[Trajectory], own: list[int]) -> float | None:
    scored = [at for at in own if column[at] is not None]
    if len({runs[at].succeeded for at in scored}) == 1:
        return None
    area, _ = evidence([column[at] for at in scored], [runs[at] for at in scored])
    return round(area, DIGITS)
