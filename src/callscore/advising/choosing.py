"""Chooses the simplest settings that are not clearly worse than the best, on some of the runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from callscore.advising.candidates import Candidate, presets, single_changes
from callscore.advising.measuring import (
    Draws,
    Ranked,
    agreement,
    area_of,
    areas_of,
    bootstrap_draws,
    middle,
    ranked,
)

if TYPE_CHECKING:
    from callscore.advising.runs import Column, Runs
    from callscore.core.settings import Settings

SMALL = 0.005  # a difference of AUCs that does not matter
SMALL_AGREEMENT = 0.02  # likewise, of shares of runs
_MOST_CHANGES = 3
_STARTS = 2  # how many presets are changed more than once
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

    def agreement(self, column: Column) -> float:
        """The share of these runs that pass exactly if they succeeded."""
        return agreement([column.passes[number] for number in self.chosen], self._outcomes)

    def _agreement_gain(self, before: Column, after: Column) -> float:
        """The lower end of the 95 % interval of how much larger the agreement is."""
        count = self.runs.task_count
        gained, runs = [0] * count, [0] * count
        for number, task, outcome in zip(self.chosen, self._tasks, self._outcomes, strict=True):
            runs[task] += 1
            gained[task] += after.passes[number] == outcome
            gained[task] -= before.passes[number] == outcome
        return middle(
            sum(map(mul, weights, gained)) / sum(map(mul, weights, runs)) for weights in self.draws
        )[0]

    def is_clearly_better(self, before: Column, after: Column, least: float = SMALL) -> bool:
        """Whether the gain matters, because it is `least` or more, and is beyond noise.

        Where both tell success from failure about equally well, the one whose passing runs are more
        often the successful ones is better.
        """
        gain = self.area(after) - self.area(before)
        if gain >= least and self.gain_interval(before, after)[0] > 0:
            return True
        agreed = self.agreement(after) - self.agreement(before)
        is_gain = gain > -least and agreed >= SMALL_AGREEMENT
        return is_gain and self._agreement_gain(before, after) > 0

    def measured(self, candidates: Iterable[Candidate]) -> list[Measured]:
        """The candidates that can score every run, each with its scores."""
        found = []
        for candidate in candidates:
            column = self.runs.column(candidate.settings(self.base))
            if column is not None:
                area, agreed = self.area(column), self.agreement(column)
                found.append(Measured(candidate, column, area, agreed))
        return found


class Measured(NamedTuple):
    """A candidate, its scores, and its area and agreement in a sample."""

    candidate: Candidate
    column: Column
    area: float
    agreement: float


def choose_preset(sample: Sample) -> Measured:
    """The best preset; among presets that are about equal, the simplest."""
    return _simplest_of_best(sample.measured(presets()))


def _simplest_of_best(found: Sequence[Measured]) -> Measured:
    """The best of candidates; among those that are about equal, the first in order of simplicity."""
    near = _near_best(found)
    most = max(each.agreement for each in near)
    equal = [each for each in near if each.agreement > most - SMALL_AGREEMENT]
    return min(equal, key=lambda each: each.candidate.rank)


def _near_best(found: Sequence[Measured]) -> list[Measured]:
    """The candidates that tell success from failure about as well as the best."""
    best = max(each.area for each in found)
    return [each for each in found if each.area > best - SMALL]


def choose_settings(sample: Sample) -> Measured:
    """The simplest candidate that is not clearly worse than the best that was found."""
    found = _searched(sample)
    best = max(_near_best(found), key=lambda each: (each.agreement, each.area))
    for complexity in sorted({each.candidate.complexity for each in found}):
        simple = _simplest_of_best(
            [each for each in found if each.candidate.complexity == complexity]
        )
        if not sample.is_clearly_better(simple.column, best.column):
            return simple
    return best


def _searched(sample: Sample) -> list[Measured]:
    """The presets, each change of them, and what a greedy search from the best of them meets."""
    found = sample.measured(presets())
    known = {each.candidate.settings(sample.base) for each in found}
    ordered = sorted(found, key=lambda each: (-each.area, each.candidate.rank))
    for place, start in enumerate(ordered):
        current = start
        for _ in range(_MOST_CHANGES if place < _STARTS else 1):
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
            gain, agreed = best.area - current.area, best.agreement - current.agreement
            if gain < SMALL and (gain <= -SMALL or agreed < SMALL_AGREEMENT):
                break
            current = best
    return found
