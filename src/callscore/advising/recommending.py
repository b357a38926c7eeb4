"""Recommends settings, and measures the recommendation on tasks that it was not chosen on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from callscore.advising.candidates import presets
from callscore.advising.choosing import Measured, Sample, choose_preset, choose_settings
from callscore.advising.learning import learn
from callscore.advising.measuring import chance_of, folds_of
from callscore.advising.runs import Column, Runs

if TYPE_CHECKING:
    from callscore.core.settings import Settings

FOLDS = 5
_SIMPLEST = presets()[0]
_RESAMPLES = 2000
_MOST_CHANCE = 0.025  # one end of a 95 % interval


class Recommendation(NamedTuple):
    """What is recommended.

    Attributes:
        chosen: the settings, chosen on all runs.
        held_out: the score of each run under settings that were chosen without its task.
        is_separating: whether the settings tell success from failure at all.
    """

    chosen: Measured
    held_out: Column
    is_separating: bool


def choose_in_steps(sample: Sample) -> tuple[Measured, ...]:
    """The best preset, then with changes of single settings, then with what labels teach."""
    preset = choose_preset(sample)
    changed = choose_settings(sample)
    return preset, changed, learn(sample, changed)


def recommend(runs: Runs, base: Settings) -> Recommendation:
    """The simplest settings that are not clearly worse than the best, as far as the labels show.

    The settings are chosen in steps: a preset, changes of it, and what is learned about tools and
    arguments. A step is taken only if it tells success from failure better beyond noise on tasks
    that it was not chosen on.
    """
    held_out = cross_validated(runs, base)
    sample = Sample(runs, base, resamples=_RESAMPLES)
    chosen = choose_in_steps(sample)
    taken = 0
    for step in range(1, len(chosen)):
        if sample.is_clearly_better(held_out[taken], held_out[step]):
            taken = step
    if not _is_separating(sample, held_out[taken]):
        (simplest, *_) = sample.measured([_SIMPLEST])
        return Recommendation(simplest, simplest.column, is_separating=False)
    return Recommendation(chosen[taken], held_out[taken], is_separating=True)


def _is_separating(sample: Sample, held_out: Column) -> bool:
    """Whether scores tell success from failure beyond chance.

    Where few tasks have another score than most, the interval is too narrow; and the same runs, each
    time without a fold, have chosen one of several presets. So chance must also rarely do as well.
    """
    if sample.interval(held_out)[0] <= 1 / 2:
        return False
    runs = sample.runs
    columns = {each.column.values for each in sample.measured(presets())} | {held_out.values}
    chance = chance_of(sample.area(held_out), columns, runs.outcomes, runs.tasks)
    return chance <= _MOST_CHANCE


def cross_validated(runs: Runs, base: Settings) -> Sequence[Column]:
    """After each step, the score of each run under settings that were chosen without its task."""
    folds = folds_of(runs.names, runs.outcomes, min(FOLDS, runs.task_count))
    columns: list[tuple[list[float], list[bool]]] = []
    for fold in sorted(set(folds)):
        others = [number for number, other in enumerate(folds) if other != fold]
        for step, found in enumerate(choose_in_steps(Sample(runs, base, others))):
            if step == len(columns):
                columns.append(([0.0] * len(folds), [False] * len(folds)))
            for number, own in enumerate(folds):
                if own == fold:
                    columns[step][0][number] = found.column.values[number]
                    columns[step][1][number] = found.column.passes[number]
    return [Column(tuple(values), tuple(passes)) for values, passes in columns]
