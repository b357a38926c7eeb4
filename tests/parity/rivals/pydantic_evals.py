"""The real Pydantic Evals."""

from __future__ import annotations

import json  # noqa: TID251  (what the instrumentation of the package's own agents writes)
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from pydantic_evals.evaluators import (
    ArgumentCorrectness,
    EvaluatorContext,
    ToolCorrectness,
    TrajectoryMatch,
)
from pydantic_evals.otel.span_tree import SpanNode, SpanTree

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["PACKAGE", "measures"]

PACKAGE = "pydantic-evals"

_START = datetime(2026, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)


def measures() -> dict[str, Measure]:
    """What the package says, by configuration."""
    found = {
        f"TrajectoryMatch({order})": _trajectory_match(order)
        for order in ("exact", "in_order", "any_order")
    }
    for allow_extra in (False, True):
        found[f"ToolCorrectness(allow_extra={allow_extra})"] = _tool_correctness(
            allow_extra=allow_extra
        )
    for mode in ("subset", "exact"):
        configuration = f"ArgumentCorrectness({mode}) per expected call, occurrence=k"
        found[configuration] = _argument_correctness(mode)
    return found


def _trajectory_match(order: Any) -> Measure:
    def measure(expected: Calls, actual: Calls) -> Any:
        names = [call["name"] for call in expected]
        return TrajectoryMatch(names, order=order).evaluate(_context(actual)).value

    return measure


def _tool_correctness(*, allow_extra: bool) -> Measure:
    def measure(expected: Calls, actual: Calls) -> Any:
        names = [call["name"] for call in expected]
        return ToolCorrectness(names, allow_extra=allow_extra).evaluate(_context(actual)).value

    return measure


def _argument_correctness(mode: Any) -> Measure:
    def measure(expected: Calls, actual: Calls) -> Any:
        context = _context(actual)
        seen: Counter[str] = Counter()
        verdicts = []
        for call in expected:
            name = call["name"]
            evaluator = ArgumentCorrectness(
                name, call["arguments"], match_mode=mode, occurrence=seen[name]
            )
            seen[name] += 1
            verdicts.append(evaluator.evaluate(context).value)
        return verdicts

    return measure


def _context(calls: Calls) -> Any:
    tree = SpanTree()
    tree.add_spans([_span(position, call) for position, call in enumerate(calls)])
    return EvaluatorContext(
        name=None,
        inputs=None,
        metadata=None,
        expected_output=None,
        output=None,
        duration=0.0,
        _span_tree=tree,
        attributes={},
        metrics={},
    )


def _span(position: int, call: dict[str, Any]) -> Any:
    start = _START + position * _SECOND
    return SpanNode(
        name=f"execute_tool {call['name']}",
        trace_id=1,
        span_id=position + 1,
        parent_span_id=None,
        start_timestamp=start,
        end_timestamp=start,
        attributes={
            "gen_ai.tool.name": call["name"],
            "gen_ai.tool.call.arguments": json.dumps(call["arguments"]),
        },
    )
