"""What is measured: every metric is a name and a function from a trajectory to 0 ... 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import callscore

if TYPE_CHECKING:
    from collections.abc import Callable

    from validity.trajectories import Trajectory

    from callscore import Score

__all__ = ["METRICS", "RECOMMENDED", "Metric"]


class Metric(NamedTuple):
    """A way to say in one number how good a trajectory is.

    Attributes:
        section: what it stands under in tables and in the picture.
        name: what it is called there.
        measure: gives 1 to a trajectory without fault and less to any other.
    """

    section: str
    name: str
    measure: Callable[[Trajectory], float]


def _score(trajectory: Trajectory, **options: Any) -> Score:
    return callscore.score(trajectory.expected, trajectory.actual, **options)


def _f1(**options: Any) -> Callable[[Trajectory], float]:
    return lambda trajectory: _score(trajectory, **options).f1


LADDER = "strict to outcome, one setting at a time"
OTHERS = "beside them"

RECOMMENDED = Metric(LADDER, "outcome: … nested subsets", _f1(preset="outcome"))

# Other tools' definitions of the score join here, in a section of their own.
METRICS: tuple[Metric, ...] = (
    Metric(LADDER, "strict: every call", _f1(preset="strict")),
    Metric(LADDER, "only writes", _f1(count_calls="writes")),
    Metric(LADDER, "… without failed calls", _f1(count_calls="writes", failed_calls="ignore")),
    Metric(
        LADDER,
        "… arrays unordered",
        _f1(count_calls="writes", failed_calls="ignore", arrays="unordered"),
    ),
    RECOMMENDED,
    Metric(OTHERS, "outcome, repeats collapsed", _f1(preset="outcome", repeated_calls="collapse")),
    Metric(OTHERS, "flexible", _f1(preset="flexible")),
    Metric(OTHERS, "strict, in order", _f1(order="in_order")),
    Metric(OTHERS, "strict, exact match", lambda trajectory: float(_score(trajectory).is_exact)),
    Metric(OTHERS, "names alone", lambda trajectory: _score(trajectory).tool_selection),
)
