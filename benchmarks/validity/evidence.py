"""How well a number tells success from failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

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

__all__ = ["Evidence", "evidence", "intervals"]


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
    passes = [value >= 1 for value in scored]
    return Evidence(area(scored, outcomes), agreement(passes, outcomes))


def intervals(
    columns: Sequence[Sequence[float | None]], trajectories: Sequence[Trajectory]
) -> list[tuple[float, float]]:
    """A 95 % interval for the area of each metric, from a seeded bootstrap over tasks.

    All metrics are measured on the same draws.
    """
    outcomes = [trajectory.succeeded for trajectory in trajectories]
    tasks = numbered(trajectory.task for trajectory in trajectories)
    draws = bootstrap_draws(tasks, max(tasks) + 1)
    return [middle(areas_of(ranked(column, outcomes, tasks), draws)) for column in columns]
