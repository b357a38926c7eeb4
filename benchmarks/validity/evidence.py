"""How well a number tells success from failure."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from validity.trajectories import Trajectory

__all__ = ["Evidence", "agreement", "area", "evidence", "intervals"]

SEED = 2026
RESAMPLES = 2000
TAIL = 0.025  # of the resamples, on either side of the interval


class Evidence(NamedTuple):
    """What a metric's values say about success, over some trajectories.

    Trajectories that a metric refuses to score are left out.

    Attributes:
        area: the area under the ROC curve: how often a success has the higher value of a success
            and a failure drawn at random, where a tie is half a time.
        agreement: the share of trajectories in which a full score and success go together.
    """

    area: float
    agreement: float


def evidence(values: Sequence[float | None], trajectories: Sequence[Trajectory]) -> Evidence:
    """The evidence that a metric's values give."""
    found = [
        (value, trajectory.succeeded)
        for value, trajectory in zip(values, trajectories, strict=True)
        if value is not None
    ]
    scored, outcomes = [value for value, _ in found], [outcome for _, outcome in found]
    return Evidence(area(scored, outcomes), agreement(scored, outcomes))


def area(values: Sequence[float], outcomes: Sequence[bool]) -> float:
    """The area under the ROC curve, from the exact number of pairs won (Mann and Whitney)."""
    return _area(_ranks(values), outcomes, [1] * len(values))


def agreement(values: Sequence[float], outcomes: Sequence[bool]) -> float:
    """The share of values that are full exactly where the outcome is good."""
    agreeing = sum((value >= 1) == good for value, good in zip(values, outcomes, strict=True))
    return agreeing / len(outcomes)


def intervals(
    columns: Sequence[Sequence[float | None]], trajectories: Sequence[Trajectory]
) -> list[tuple[float, float]]:
    """A 95 % interval for the area of each metric, from a seeded bootstrap over tasks.

    All runs of one task, whichever the model or the trial, are drawn together or not at all; all
    metrics are measured on the same draws.
    """
    random = Random(SEED)
    outcomes = [trajectory.succeeded for trajectory in trajectories]
    numbers = {task: number for number, task in enumerate({one.task: 0 for one in trajectories})}
    tasks = [numbers[trajectory.task] for trajectory in trajectories]
    ranked = [_ranks(column) for column in columns]
    areas: list[list[float]] = [[] for _ in columns]
    for _ in range(RESAMPLES):
        drawn = [0] * len(numbers)
        for task in random.choices(range(len(numbers)), k=len(numbers)):
            drawn[task] += 1
        weights = [drawn[task] for task in tasks]
        for column, ranks, found in zip(columns, ranked, areas, strict=True):
            own = weights if None not in column else _scored(column, weights)
            found.append(_area(ranks, outcomes, own))
    return [_middle(sorted(found)) for found in areas]


def _scored(column: Sequence[float | None], weights: list[int]) -> list[int]:
    """The weights without those of what a metric refuses to score."""
    return [0 if value is None else weight for value, weight in zip(column, weights, strict=True)]


def _middle(found: list[float]) -> tuple[float, float]:
    left_out = int(TAIL * len(found))
    return found[left_out], found[-left_out - 1]


def _ranks(values: Sequence[float | None]) -> list[int]:
    """The values as whole numbers in the same order; equal values stay equal."""
    known = sorted({value for value in values if value is not None})
    numbers: dict[float | None, int] = {value: number for number, value in enumerate(known)}
    return [numbers.get(value, 0) for value in values]


def _area(ranks: Sequence[int], outcomes: Sequence[bool], weights: Sequence[int]) -> float:
    good = [0] * (max(ranks) + 1)
    bad = list(good)
    for rank, outcome, weight in zip(ranks, outcomes, weights, strict=True):
        (good if outcome else bad)[rank] += weight
    won = below = 0  # in half pairs, so that a tie is a whole number, too
    for successes, failures in zip(good, bad, strict=True):
        won += successes * (2 * below + failures)
        below += failures
    return won / (2 * sum(good) * below)
