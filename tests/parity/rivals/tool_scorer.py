"""The real Toolscore."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolscore import evaluate, metrics
from toolscore.adapters.base import ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.parity.configuration import Calls, Measure

__all__ = ["PACKAGE", "measures"]

PACKAGE = "tool-scorer"

_SINGLE = {
    "invocation_accuracy": metrics.calculate_invocation_accuracy,
    "selection_accuracy": metrics.calculate_selection_accuracy,
    "required_call_recall": metrics.calculate_required_call_recall,
}
# Of a metric that gives several numbers: the one that is meant.
_MEMBERS: dict[str, tuple[Callable[..., Any], str, dict[str, Any]]] = {
    "argument_f1": (metrics.calculate_argument_f1, "f1", {}),
    "sequence_accuracy": (metrics.calculate_edit_distance, "sequence_accuracy", {}),
    "tool_correctness": (metrics.calculate_tool_correctness, "tool_correctness", {}),
    "tool_correctness_strict_order": (
        metrics.calculate_tool_correctness,
        "tool_correctness",
        {"strict_order": True},
    ),
    "tool_correctness_with_args": (
        metrics.calculate_tool_correctness_with_args,
        "tool_correctness_strict",
        {},
    ),
    "trajectory_accuracy": (metrics.calculate_trajectory_accuracy, "trajectory_accuracy", {}),
    "step_match_rate": (metrics.calculate_trajectory_accuracy, "step_match_rate", {}),
    "path_efficiency": (metrics.calculate_trajectory_accuracy, "path_efficiency", {}),
    "redundant_rate": (metrics.calculate_redundant_call_rate, "redundant_rate", {}),
    "identical_rate": (metrics.calculate_redundant_call_rate, "identical_rate", {}),
    "partial_trajectory": (
        metrics.calculate_partial_trajectory_accuracy,
        "partial_trajectory_accuracy",
        {},
    ),
    "partial_trajectory_name_variations": (
        metrics.calculate_partial_trajectory_accuracy,
        "partial_trajectory_accuracy",
        {"allow_tool_name_variations": True},
    ),
}


def measures() -> dict[str, Measure]:
    """What the package says, by configuration."""
    found = {
        "evaluate(default)": _evaluated(strict=False),
        "evaluate(strict=True)": _evaluated(strict=True),
    }
    for name, metric in _SINGLE.items():
        found[name] = _single(metric)
    for name, (metric, key, options) in _MEMBERS.items():
        found[name] = _member(metric, key, options)
    return found


def _evaluated(*, strict: bool) -> Measure:
    def measure(expected: Calls, actual: Calls) -> Any:
        result = evaluate(_dicts(expected), _dicts(actual), strict=strict)
        numbers = result.metrics
        trajectory, efficiency = numbers["trajectory_metrics"], numbers["efficiency_metrics"]
        return {
            "score": result.score,
            "grade": result.grade,
            "invocation_accuracy": numbers["invocation_accuracy"],
            "selection_accuracy": numbers["selection_accuracy"],
            "argument": numbers["argument_metrics"],
            "sequence": numbers["sequence_metrics"],
            "tool_correctness": numbers["tool_correctness_metrics"]["tool_correctness"],
            "trajectory_accuracy": trajectory["trajectory_accuracy"],
            "step_match_rate": trajectory["step_match_rate"],
            "path_efficiency": trajectory["path_efficiency"],
            "redundant_rate": efficiency["redundant_rate"],
            "identical_rate": efficiency["identical_rate"],
            "required_call_recall": numbers["required_call_recall"],
        }

    return measure


def _single(metric: Callable[..., Any]) -> Measure:
    return lambda expected, actual: metric(_calls(expected), _calls(actual))


def _member(metric: Callable[..., Any], key: str, options: dict[str, Any]) -> Measure:
    return lambda expected, actual: metric(_calls(expected), _calls(actual), **options)[key]


def _dicts(calls: Calls) -> list[dict[str, Any]]:
    return [{"tool": call["name"], "args": call["arguments"]} for call in calls]


def _calls(calls: Calls) -> list[Any]:
    return [ToolCall(tool=call["name"], args=call["arguments"]) for call in calls]
