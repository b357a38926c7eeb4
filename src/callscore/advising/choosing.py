"""Chooses the simplest settings that are not clearly worse than the best, on some of the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from callscore.advising.candidates import presets, single_changes
from callscore.advising.measuring import area_of, areas_of, bootstrap_draws, middle, ranked

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from callscore.advising.candidates import Candidate
    from callscore.advising.measuring import Draws, Ranked
    from callscore.advising.runs import Column, Runs
    from callscore.core.settings import Settings

__all__ = ["SMALL", "Sample", "choose_preset", "choose_settings"]

SMALL = 0.005  # a difference of AUCs that does not matter
_MOST_CHANGES = 3
_STARTS = 2  # how many presets the search for changes begins with
_RESAMPLES = 500


class Sample:
    """Some of the runs: those that settings may be chosen on.

    Args:
        runs: all runs.
        base: the settings that no candidate varies.
        chosen: the numbers of the runs to look at; by default all.
        resamples: how many resamples an interval is made of.
    """

    def __init__(
        self,
        runs: Runs,
        base: Settings,
        chosen: Sequence[int] | None = None,
        resamples: int = _RESAMPLES,
    ) -> None:
        self.runs = runs
        self.base = base
        self.chosen = range(len(runs.runs)) if chosen is None else chosen
        self._tasks = [runs.tasks[number] for number in self.chosen]
        self._outcomes = [runs.outcomes[number] for number in self.chosen]
        self._weights = [1] * runs.task_count
        self._resamples = resamples
        self._drawn: Draws | None = None
        self._areas: dict[int, tuple[Column, list[float | None]]] = {}  # by the id of a column

    @property
    def draws(self) -> Draws:
        """The resamples of the tasks, the same for every comparison."""
        if self._drawn is None:
            count = self.runs.task_count
            self._drawn = bootstrap_draws(self._tasks, count, self._resamples)
        return self._drawn

    def ranked(self, column: Column) -> Ranked:
        """The scores of these runs by rank."""
        values = [column.values[number] for number in self.chosen]
        return ranked(values, self._outcomes, self._tasks)

    def area(self, column: Column) -> float:
        """How well the scores tell success from failure in these runs."""
        found = area_of(self.ranked(column), self._weights)
        return 0.5 if found is None else found

    def areas(self, column: Column) -> list[float | None]:
        """The same in every resample."""
        known = self._areas.get(id(column))
        if known is None:
            known = self._areas[id(column)] = column, areas_of(self.ranked(column), self.draws)
        return known[1]

    def interval(self, column: Column) -> tuple[float, float]:
        """The 95 % interval of the area."""
        return middle(self.areas(column))

    def gain_interval(self, before: Column, after: Column) -> tuple[float, float]:
        """The 95 % interval of how much larger the area is, over the same resamples."""
        pairs = zip(self.areas(before), self.areas(after), strict=True)
        return middle(None if old is None or new is None else new - old for old, new in pairs)

    def is_clearly_better(self, before: Column, after: Column) -> bool:
        """Whether the gain matters, and is beyond noise."""
        if self.area(after) - self.area(before) < SMALL:
            return False
        return self.gain_interval(before, after)[0] > 0

    def measured(self, candidates: Iterable[Candidate]) -> list[Measured]:
        """The candidates that can score every run, each with its scores."""
        found = []
        for candidate in candidates:
            column = self.runs.column(candidate.settings(self.base))
            if column is not None:
                found.append(Measured(candidate, column, self.area(column)))
        return found


class Measured(NamedTuple):
    """A candidate, its scores, and its area in a sample."""

    candidate: Candidate
    column: Column
    area: float


def choose_preset(sample: Sample) -> Measured:
    """The best preset; among presets that are about equal, the simplest."""
    return _simplest_of_best(sample.measured(presets()))


def _simplest_of_best(found: Sequence[Measured]) -> Measured:
    """The best of candidates; among those that are about equal, the first in order of simplicity."""
    best = max(each.area for each in found)
    near = [each for each in found if each.area > best - SMALL]
    return min(near, key=lambda each: each.candidate.rank)


def choose_settings(sample: Sample) -> Measured:
    """The simplest candidate that is not clearly worse than the best that was found."""
    found = _searched(sample)
    best = max(found, key=lambda each: each.area)
    for complexity in sorted({each.candidate.complexity for each in found}):
        simple = _simplest_of_best(
            [each for each in found if each.candidate.complexity == complexity]
        )
        if not sample.is_clearly_better(simple.column, best.column):
            return simple
    return best


def _searched(sample: Sample) -> list[Measured]:
    """The presets, and what a greedy search from the best of them meets."""
    found = sample.measured(presets())
    known = {each.candidate.settings(sample.base) for each in found}
    ordered = sorted(found, key=lambda each: (-each.area, each.candidate.rank))
    for start in ordered[:_STARTS]:
        current = start
        for _ in range(_MOST_CHANGES):
            further = [
                each
                for each in sample.measured(single_changes(current.candidate))
                if each.column.values != current.column.values
            ]
            if not further:
                break
            found += [each for each in further if each.candidate.settings(sample.base) not in known]
            known |= {each.candidate.settings(sample.base) for each in further}
            best = _simplest_of_best(further)
            if best.area - current.area < SMALL:
                break
            current = best
    return found
