"""The real DeepEval."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any

from tests.parity.configurations.deepeval import varied

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["PACKAGE", "measures"]

PACKAGE = "deepeval"

_ORDERS: dict[str, dict[str, bool]] = {
    "unordered": {},
    "ordering": {"should_consider_ordering": True},
    "exact": {"should_exact_match": True},
}


@cache
def measures() -> dict[str, Measure]:
    """What the package says, by configuration."""
    os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "1"
    os.environ["DEEPEVAL_DISABLE_DOTENV"] = "1"
    from deepeval.test_case import ToolCallParams

    arguments, output = ToolCallParams.INPUT_PARAMETERS, ToolCallParams.OUTPUT
    compared = {
        "names": [],
        "args": [arguments],
        "outputs": [output],
        "args+outputs": [arguments, output],
    }
    found: dict[str, Measure] = {}
    for order, options in _ORDERS.items():
        for name, parameters in compared.items():
            measure = _measure(evaluation_params=parameters, **options)
            found[f"{name}_{order}/varied"] = _varied(measure)
            if "outputs" not in name:
                found[f"{name}_{order}"] = measure
        strict = _measure(evaluation_params=[arguments], strict_mode=True, **options)
        found[f"args_{order}(strict_mode=True)"] = strict
    found["args_exact(should_consider_ordering=True)"] = _measure(
        evaluation_params=[arguments], should_exact_match=True, should_consider_ordering=True
    )
    found["names_unordered(default)"] = found.pop("names_unordered")
    found["args_ordering(threshold=0.9)"] = _measure(
        evaluation_params=[arguments], threshold=0.9, should_consider_ordering=True
    )
    return found


def _measure(**options: Any) -> Measure:
    from deepeval.metrics import ToolCorrectnessMetric
    from deepeval.test_case import LLMTestCase, ToolCall

    metric = ToolCorrectnessMetric(model=_no_model(), async_mode=False, **options)

    def tool_calls(calls: Calls) -> list[Any]:
        return [
            ToolCall(
                name=call["name"], input_parameters=call["arguments"], output=call.get("output")
            )
            for call in calls
        ]

    def measure(expected: Calls, actual: Calls) -> Any:
        case = LLMTestCase(
            input="a question",
            actual_output="an answer",
            tools_called=tool_calls(actual),
            expected_tools=tool_calls(expected),
        )
        return metric.measure(case, _show_indicator=False)

    return measure


def _no_model() -> Any:
    """A model that is never asked: the metric wants one, but needs none without available tools."""
    from deepeval.models import DeepEvalBaseLLM

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("no model is to be asked.")

    members = {
        "load_model": lambda self: self,
        "get_model_name": lambda _: "none",
        "generate": refuse,
        "a_generate": refuse,
    }
    return type("NoModel", (DeepEvalBaseLLM,), members)()


def _varied(measure: Measure) -> Measure:
    return lambda expected, actual: measure(varied(expected), varied(actual))
