"""How well a number tells success from failure."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from validity.trajectories import Trajectory

__all__ = ["Column", "agreement", "area", "evidence", "intervals"]

SEED = 2026
RESAMPLES = 1000
TAIL = 0.025  # of the resamples, on either side of the interval

# The value of a metric for each trajectory; None where it refuses to score.
Column = list[float | None]


def evidence(column: Column, trajectories: Sequence[Trajectory]) -> tuple[float, float]:
    """Area and agreement, without the trajectories that the metric refuses to score."""
    found = [
        (value, trajectory.succeeded)
        for value, trajectory in zip(column, trajectories, strict=True)
        if value is not None
    ]
    scored, outcomes = [value for value, _ in found], [outcome for _, outcome in found]
    return area(scored, outcomes), agreement(scored, outcomes)


def area(values: Sequence[float], outcomes: Sequence[bool]) -> float:
    """The area under the ROC curve, from the exact number of pairs won (Mann and Whitney).

    It says how often a success has the higher value, of a success and a failure drawn at random; a
    tie is half a time.
    """
    return _area(_counted(values, outcomes, range(len(values))), [1] * len(values))


def agreement(values: Sequence[float], outcomes: Sequence[bool]) -> float:
    """The share of values that are full exactly where the outcome is good."""
    agreeing = sum((value >= 1) == good for value, good in zip(values, outcomes, strict=True))
    return agreeing / len(outcomes)


def intervals(
    columns: Sequence[Column], trajectories: Sequence[Trajectory]
) -> list[tuple[float, float]]:
    """A 95 % interval for the area of each metric, from a seeded bootstrap over tasks.

    All runs of one task, whichever the model or the trial, are drawn together or not at all; all
    metrics are measured on the same draws.
    """
    random = Random(SEED)
    outcomes = [trajectory.succeeded for trajectory in trajectories]
    numbers = {task: number for number, task in enumerate({one.task: 0 for one in trajectories})}
    tasks = [numbers[trajectory.task] for trajectory in trajectories]
    draws = []
    for _ in range(RESAMPLES):
        drawn = [0] * len(numbers)
        for task in random.choices(range(len(numbers)), k=len(numbers)):
            drawn[task] += 1
        draws.append(drawn)
    found = []
    for column in columns:
        counted = _counted(column, outcomes, tasks)
        found.append(_middle(sorted(_area(counted, drawn) for drawn in draws)))
    return found


def _middle(found: list[float]) -> tuple[float, float]:
    left_out = int(TAIL * len(found))
    return found[left_out], found[-left_out - 1]


# For each value, the lowest first: successes and failures, each as pairs of a task and how many.
_Counted = list[tuple[list[tuple[int, int]], list[tuple[int, int]]]]


def _counted(
    values: Sequence[float | None], outcomes: Sequence[bool], tasks: Sequence[int]
) -> _Counted:
    counts: dict[float, tuple[dict[int, int], dict[int, int]]] = {}
    for value, good, task in zip(values, outcomes, tasks, strict=True):
        if value is not None:
            own = counts.setdefault(value, ({}, {}))[0 if good else 1]
            own[task] = own.get(task, 0) + 1
    return [(list(good.items()), list(bad.items())) for _, (good, bad) in sorted(counts.items())]


def _area(counted: _Counted, weights: Sequence[int]) -> float:
    won = below = good = 0  # in half pairs, so that a tie is a whole number, too
    for succeeded, failed in counted:
        successes = sum([weights[task] * count for task, count in succeeded])
        failures = sum([weights[task] * count for task, count in failed])
        won += successes * (2 * below + failures)
        below += failures
        good += successes
    return won / (2 * good * below)
