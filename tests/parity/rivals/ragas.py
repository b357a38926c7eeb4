"""The real Ragas: its older classes, and those of `ragas.metrics.collections`."""

from __future__ import annotations

import asyncio
import os
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

from tests.parity.configurations.ragas import bare

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["PACKAGE", "measures"]

PACKAGE = "ragas"


@cache
def measures() -> dict[str, Measure]:
    """What the package says, by configuration."""
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"
    from ragas.metrics import collections

    # Ragas warns whenever the numbers of calls differ.
    warnings.filterwarnings("ignore", module=r"ragas\..*")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        older = _older()
    newer = {
        "collections.ToolCallAccuracy(strict_order=True)": collections.ToolCallAccuracy(),
        "collections.ToolCallAccuracy(strict_order=False)": collections.ToolCallAccuracy(
            strict_order=False
        ),
        "collections.ToolCallF1": collections.ToolCallF1(),
    }
    loop = asyncio.new_event_loop()
    found = {name: _older_measure(metric, loop) for name, metric in older.items()}
    found |= {name: _newer_measure(metric, loop) for name, metric in newer.items()}
    return found | {f"{name}/bare": _bare(found[name]) for name in newer}


def _older() -> dict[str, Any]:
    from ragas.metrics import (
        DistanceMeasure,
        NonLLMStringSimilarity,
        StringPresence,
        ToolCallAccuracy,
        ToolCallF1,
    )

    metrics = {
        "legacy.ToolCallAccuracy(strict_order=True)": ToolCallAccuracy(),
        "legacy.ToolCallAccuracy(strict_order=False)": ToolCallAccuracy(strict_order=False),
        "legacy.ToolCallF1": ToolCallF1(),
    }
    arguments = {
        "NonLLMStringSimilarity": NonLLMStringSimilarity(),
        "StringPresence": StringPresence(),
    } | {
        f"NonLLMStringSimilarity(distance_measure={measure.name})": NonLLMStringSimilarity(
            distance_measure=measure
        )
        for measure in DistanceMeasure
    }
    for name, metric in arguments.items():
        metrics[f"legacy.ToolCallAccuracy(arg_comparison_metric={name})"] = ToolCallAccuracy(
            arg_comparison_metric=metric
        )
    metrics["legacy.ToolCallAccuracy(strict_order=False, arg_comparison_metric=StringPresence)"] = (
        ToolCallAccuracy(strict_order=False, arg_comparison_metric=StringPresence())
    )
    return metrics


def _older_measure(metric: Any, loop: asyncio.AbstractEventLoop) -> Measure:
    from ragas import MultiTurnSample

    def measure(expected: Calls, actual: Calls) -> Any:
        sample = MultiTurnSample(
            user_input=_messages(actual), reference_tool_calls=_tool_calls(expected)
        )
        return loop.run_until_complete(metric.multi_turn_ascore(sample))

    return measure


def _newer_measure(metric: Any, loop: asyncio.AbstractEventLoop) -> Measure:
    def measure(expected: Calls, actual: Calls) -> Any:
        score = metric.ascore(
            user_input=_messages(actual), reference_tool_calls=_tool_calls(expected)
        )
        return loop.run_until_complete(score).value

    return measure


def _bare(measure: Measure) -> Measure:
    return lambda expected, actual: measure(bare(expected), bare(actual))


def _messages(actual: Calls) -> list[Any]:
    from ragas.messages import AIMessage, HumanMessage

    answer = AIMessage(content="", tool_calls=_tool_calls(actual))
    return [HumanMessage(content="a question"), answer]


def _tool_calls(calls: Calls) -> list[Any]:
    from ragas.messages import ToolCall

    return [ToolCall(name=call["name"], args=call["arguments"]) for call in calls]
