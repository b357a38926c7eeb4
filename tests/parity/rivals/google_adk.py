"""The real Agent Development Kit of Google."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.adk.evaluation.eval_case import IntermediateData, Invocation
from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
from google.genai.types import Content, FunctionCall, Part

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["PACKAGE", "measures"]

PACKAGE = "google-adk"

_ASKED = Content(parts=[Part(text="go")], role="user")


def measures() -> dict[str, Measure]:
    """What the package says, by configuration."""
    found = {}
    for match in ToolTrajectoryCriterion.MatchType:
        found[match.name] = _measure(match, ignore_args=False)
        found[f"{match.name}/ignore_args"] = _measure(match, ignore_args=True)
    return found


def _measure(match: Any, *, ignore_args: bool) -> Measure:
    criterion = ToolTrajectoryCriterion(threshold=1.0, match_type=match, ignore_args=ignore_args)
    evaluator = TrajectoryEvaluator(
        eval_metric=EvalMetric(metric_name="tool_trajectory_avg_score", criterion=criterion)
    )

    def measure(expected: Calls, actual: Calls) -> Any:
        result = evaluator.evaluate_invocations([_invocation(actual)], [_invocation(expected)])
        return result.overall_score

    return measure


def _invocation(calls: Calls) -> Any:
    uses = [FunctionCall(name=call["name"], args=call["arguments"]) for call in calls]
    return Invocation(user_content=_ASKED, intermediate_data=IntermediateData(tool_uses=uses))
