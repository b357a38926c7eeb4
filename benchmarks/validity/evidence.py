"""How well a metric tells success from failure on the trajectories of a benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.advising.measuring import (
    agreement,
    area,
    areas_of,
    bootstrap_draws,
    middle,
    numbered,
    ranked,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from validity.trajectories import Trajectory

__all__ = ["Column", "evidence", "intervals"]

RESAMPLES = 1000

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
    return area(scored, outcomes), agreement([value >= 1 for value in scored], outcomes)


def intervals(
    columns: Sequence[Column], trajectories: Sequence[Trajectory]
) -> list[tuple[float, float]]:
    """A 95 % interval for the area of each metric, from a seeded bootstrap over tasks.

    All metrics are measured on the same draws.
    """
    outcomes = [trajectory.succeeded for trajectory in trajectories]
    tasks = numbered(trajectory.task for trajectory in trajectories)
    draws = bootstrap_draws(tasks, max(tasks) + 1, RESAMPLES)
    return [middle(areas_of(ranked(column, outcomes, tasks), draws)) for column in columns]
