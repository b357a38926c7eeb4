"""What is measured: every metric is a name and a function from a trajectory to 0 ... 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import callscore
from callscore.metrics.registry import headline_metrics, metric_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from validity.trajectories import Trajectory

    from callscore import Score
    from callscore.metrics.metric import Metric as Asked

__all__ = ["METRICS", "RECOMMENDED", "TOOLS", "Metric"]


class Metric(NamedTuple):
    """A way to say in one number how good a trajectory is.

    Attributes:
        section: what it stands under in tables and in the picture.
        name: what it is called there.
        measure: gives 1 to a trajectory without fault and less to any other; None where it refuses.
    """

    section: str
    name: str
    measure: Callable[[Trajectory], float | None]

    @property
    def tool(self) -> str:
        """Whose it is, where the name says so."""
        return self.name.partition(".")[0]


def _score(trajectory: Trajectory, **options: Any) -> Score:
    return callscore.score(trajectory.expected, trajectory.actual, **options)


def _f1(**options: Any) -> Callable[[Trajectory], float]:
    return lambda trajectory: _score(trajectory, **options).f1


def _where_calls_are_expected(trajectory: Trajectory) -> float | None:
    """To compare with tools that refuse the others."""
    return _score(trajectory, preset="outcome").f1 if trajectory.expected else None


def _by(tool: Asked) -> Metric:
    return Metric(TOOLS, tool.name, lambda one: tool.value_of(one.expected, one.actual).value)


LADDER = "strict to outcome, one setting at a time"
OTHERS = "other settings"
TOOLS = "other tools' metrics"

# What other tools offer beside the metric that each is known for, and that looks at arguments.
_FURTHER = (
    "agentevals.trajectory_match:trajectory_match_mode=superset",
    "agentevals.trajectory_match:trajectory_match_mode=unordered",
    "azure.navigation_f1",
    "deepeval.tool_correctness:input_parameters=true",
    "deepeval.tool_correctness:input_parameters=true,should_consider_ordering=true",
    "google_adk.trajectory:match_type=ANY_ORDER",
    "ragas.tool_call_accuracy:strict_order=false",
    "ragas.tool_call_f1",
    "spring_ai_ragas.tool_call_accuracy:mode=flexible",
    "tau2.partial_action_reward",
    "tool_scorer.argument_f1",
    "tool_scorer.tool_correctness_with_args",
    "vertex_ai.trajectory_precision",
    "vertex_ai.trajectory_recall",
)

RECOMMENDED = Metric(LADDER, "outcome: … nested subsets", _f1(preset="outcome"))

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
    Metric(OTHERS, "outcome, cases with expected calls", _where_calls_are_expected),
    Metric(OTHERS, "flexible", _f1(preset="flexible")),
    Metric(OTHERS, "strict, in order", _f1(order="in_order")),
    Metric(OTHERS, "strict, exact match", lambda trajectory: float(_score(trajectory).is_exact)),
    Metric(OTHERS, "names only", lambda trajectory: _score(trajectory).tool_selection),
    *map(
        _by,
        sorted(
            [*headline_metrics()[1:], *map(metric_named, _FURTHER)], key=lambda metric: metric.name
        ),
    ),
)
