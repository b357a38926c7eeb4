"""The real Azure AI Evaluation, asked for its private evaluator of task navigation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from azure.ai.evaluation._evaluators._task_navigation_efficiency import (
    _TaskNavigationEfficiencyEvaluator,
)

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["PACKAGE", "measures"]

PACKAGE = "azure-ai-evaluation"

_KEY = "task_navigation_efficiency"


def measures() -> dict[str, Measure]:
    """What the package says, by configuration."""
    found = {}
    for match in ("exact_match", "in_order_match", "any_order_match"):
        evaluator = _TaskNavigationEfficiencyEvaluator(matching_mode=match)
        found[f"{match}/names [match,P,R,F1]"] = _measure(evaluator, _names)
        found[f"{match}/names+params [match,P,R,F1]"] = _measure(evaluator, _names_and_parameters)
    return found


def _measure(evaluator: Any, ground_truth: Any) -> Measure:
    def measure(expected: Calls, actual: Calls) -> Any:
        result = evaluator(response=_response(actual), ground_truth=ground_truth(expected))
        rates = result[f"{_KEY}_properties"]
        return [
            result[_KEY],
            *(rates[f"{name}_score"] for name in ("precision", "recall", "f1")),
        ]

    return measure


def _names(calls: Calls) -> list[str]:
    return [call["name"] for call in calls]


def _names_and_parameters(calls: Calls) -> tuple[list[str], dict[str, Any]]:
    return _names(calls), {call["name"]: call["arguments"] for call in calls}


def _response(calls: Calls) -> list[dict[str, Any]]:
    content = [
        {
            "type": "tool_call",
            "tool_call_id": f"call_{position}",
            "name": call["name"],
            "arguments": call["arguments"],
        }
        for position, call in enumerate(calls)
    ]
    return [{"role": "assistant", "content": content}]
