"""MLflow traces.

The answers of models are in the format of the provider or of the framework.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.core.case import Origin
from callscore.formats.definitions import read_definitions
from callscore.formats.families.model_outputs import ModelOutputs
from callscore.formats.families.observed_runs import ObservedRun, ObservedStep, traces_of
from callscore.formats.families.span_origin import origin_of_spans
from callscore.formats.families.span_records import convention_of
from callscore.formats.families.spans import Span, is_span_line, read_spans, spans_by_trace
from callscore.formats.families.tool_executions import exception_in, executed_call
from callscore.formats.families.user_turns import count_turns
from callscore.formats.shape import at, first, json_of, text_of
from callscore.formats.signs import Signs

if TYPE_CHECKING:
    from callscore.core.call import Tool, ToolCall
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 240
EXAMPLE = {
    "info": {"trace_id": "tr-1", "state": "OK"},
    "data": {
        "spans": [
            {
                "name": "get_weather",
                "span_id": "I72P8rXnA58=",
                "attributes": {
                    "mlflow.spanType": '"TOOL"',
                    "mlflow.spanInputs": '{"city": "Paris"}',
                    "mlflow.spanOutputs": '"18"',
                },
            }
        ]
    },
}
_MODELS = ("CHAT_MODEL", "LLM")
_INPUTS = "mlflow.spanInputs"
_OUTPUTS = "mlflow.spanOutputs"
_TRACE_ID = "mlflow.traceRequestId"
SIGNS = Signs(keys=("info",), item_keys=(), kind=(convention_of, "mlflow"))

joins_lines = is_span_line


def recognizes(document: Any) -> bool:
    """Whether its spans have the attributes of MLflow, or it is a trace without any spans."""
    return convention_of(document) == "mlflow" or (
        isinstance(document, dict)
        and "info" in document
        and at(document, "data", "spans") == []
        and first(document["info"], "trace_id", "request_id") is not None
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per trace."""
    outputs = ModelOutputs(options)
    runs = [
        ObservedRun(
            [_observe(span, outputs, options) for span in spans],
            _value(spans[0], _INPUTS),
            origin=_origin(document, spans),
        )
        for spans in spans_by_trace(read_spans(document))
    ]
    return traces_of(runs or [ObservedRun([])], options)


def _origin(document: Any, spans: list[Span]) -> Origin | None:
    """Where a run was recorded; MLflow has ids of its own for traces, `tr-` and then that of the spans."""
    found = origin_of_spans(spans)
    named = (_value(span, _TRACE_ID) for span in spans)
    name = next((name for name in named if isinstance(name, str)), None)
    if name is None and isinstance(document, dict):
        name = text_of(first(document.get("info"), "trace_id", "request_id"))
    return found if not name else replace(found or Origin(), trace_id=name)


def _value(span: Span, name: str) -> Any:
    return json_of(span.attributes.get(name))


def _observe(span: Span, outputs: ModelOutputs, options: ReadOptions) -> ObservedStep:
    kind = _value(span, "mlflow.spanType")
    if kind == "TOOL":
        return ObservedStep(id=span.id, parent=span.parent, execution=_execution(span, options))
    if kind not in _MODELS:
        return ObservedStep(id=span.id, parent=span.parent)
    return ObservedStep(
        id=span.id,
        parent=span.parent,
        requests=outputs.calls(_value(span, _OUTPUTS)),
        answers=lambda: outputs.answers(_value(span, _INPUTS)),
        turn=lambda: count_turns(_value(span, _INPUTS)),
    )


def _execution(span: Span, options: ReadOptions) -> ToolCall:
    result = _value(span, _OUTPUTS)
    message = first(result, "content") if first(result, "tool_call_id") is not None else None
    return executed_call(
        _name_of(span),
        _value(span, _INPUTS),
        first(result, "tool_call_id"),
        result=exception_in(span) if result is None else message or result,
        failed=span.failed or first(result, "status") == "error",
        options=options,
    )


def _name_of(span: Span) -> str:
    """The name of a tool, without the number that MLflow 2 gave to spans of the same name."""
    function = _value(span, "mlflow.spanFunctionName")
    if isinstance(function, str) and function and span.name.startswith(f"{function}_"):
        return function if span.name[len(function) + 1 :].isdigit() else span.name
    return span.name


def read_tools(document: Any) -> list[Tool]:
    """The tools that the models were offered."""
    tools: list[Tool] = []
    for span in read_spans(document):
        offered = _value(span, "mlflow.chat.tools")
        if offered is None and _value(span, "mlflow.spanType") in _MODELS:
            offered = first(_value(span, _INPUTS), "tools", "functions")
        tools += read_definitions(offered)
    return tools
