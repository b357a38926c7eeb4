"""LangWatch traces (exports, API responses, collector requests).

Inputs and outputs of spans are objects with a `type` and a `value`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.families.model_outputs import ModelOutputs
from callscore.formats.families.observed_runs import ObservedRun, ObservedStep, traces_of
from callscore.formats.families.tool_executions import executed_call
from callscore.formats.families.user_turns import count_turns
from callscore.formats.shape import at, dicts, first, json_of, list_of, text_of
from callscore.formats.signs import Signs

if TYPE_CHECKING:
    from callscore.core.call import Tool, ToolCall
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 197
EXAMPLE = {
    "trace_id": "trace-1",
    "spans": [
        {
            "span_id": "span-1",
            "type": "tool",
            "name": "get_weather",
            "input": {"type": "json", "value": {"city": "Paris"}},
            "output": {"type": "text", "value": "18 degrees"},
            "timestamps": {"started_at": 1700000000000, "finished_at": 1700000000500},
        }
    ],
}
_VALUE_TYPES = frozenset(
    (
        *("text", "chat_messages", "json", "raw", "list"),
        *("guardrail_result", "evaluation_result"),
    )
)
_MAX_SAMPLED = 20
SIGNS = Signs(keys=("spans", "traces", "data"), item_keys=("spans",))


def recognizes(document: Any) -> bool:
    """Whether it is a trace, or all are traces, with spans that have typed values."""
    traces = _traces_in(document)[:_MAX_SAMPLED]
    return all(map(_is_trace, traces)) and any(map(_has_own_spans, traces))


def _traces_in(document: Any) -> list[Any]:
    if isinstance(document, dict):
        held = first(document, "traces", "data")
        return held if isinstance(held, list) else [document]
    return list_of(document)


def _is_trace(trace: Any) -> bool:
    return isinstance(first(trace, "trace_id", "traceId"), str) and isinstance(
        at(trace, "spans"), list
    )


def _has_own_spans(trace: Any) -> bool:
    spans = dicts(trace["spans"])[:_MAX_SAMPLED]
    return any(
        isinstance(first(span, "span_id", "id"), str)
        and isinstance(span.get("type"), str)
        and (
            _is_typed(span.get("input"))
            or _is_typed(span.get("output"))
            or _start_of(span) is not None
        )
        for span in spans
    )


def _is_typed(value: Any) -> bool:
    kind = value.get("type") if isinstance(value, dict) and "value" in value else None
    return isinstance(kind, str) and kind in _VALUE_TYPES


def _start_of(span: dict[str, Any]) -> Any:
    return first(span.get("timestamps"), "started_at", "startedAt")


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per trace."""
    outputs = ModelOutputs(options)
    runs = []
    for trace in dicts(_traces_in(document)):
        steps = [_observe(span, outputs, options) for span in _spans_of(trace)]
        runs.append(ObservedRun(steps, _value_of(trace.get("input"))))
    return traces_of(runs or [ObservedRun([])], options)


def _spans_of(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """The spans in the order in which they began; in the given order, if some have no start."""
    spans = dicts(trace.get("spans"))
    starts = [_start_of(span) for span in spans]
    if not all(isinstance(start, int | float) for start in starts):
        return spans
    return [spans[place] for place in sorted(range(len(spans)), key=starts.__getitem__)]


def _observe(span: dict[str, Any], outputs: ModelOutputs, options: ReadOptions) -> ObservedStep:
    id_ = text_of(first(span, "span_id", "id"))
    parent = text_of(first(span, "parent_id", "parentId"))
    if span.get("type") == "llm":
        output = span.get("output")
        if isinstance(output, list):  # of several answers, as in older versions
            output = at(output, options.choose(range(len(output))))
        requests = outputs.calls(_value_of(output))
        answers = partial(outputs.answers, _value_of(span.get("input")))
        return ObservedStep(
            id=id_,
            parent=parent,
            requests=requests,
            answers=answers,
            turn=partial(count_turns, _value_of(span.get("input"))),
            is_recorded=bool(requests) or outputs.is_plain(_value_of(output)),
        )
    execution = _execution(span, options) if span.get("type") == "tool" else None
    return ObservedStep(id=id_, parent=parent, execution=execution)


def _execution(span: dict[str, Any], options: ReadOptions) -> ToolCall:
    error = span.get("error")
    message = first(error, "message") if isinstance(error, dict) else error
    return executed_call(
        span.get("name"),
        _value_of(span.get("input")),
        None,
        result=_value_of(span.get("output")) if message is None else message,
        failed=at(error, "has_error") is True or message is not None,
        options=options,
    )


def _value_of(value: Any) -> Any:
    """The value, without its type; messages in a notation that the readers of messages know."""
    if not _is_typed(value):
        return value
    held = value["value"]
    if value["type"] == "list":
        return [_value_of(item) for item in list_of(held)]
    if value["type"] == "chat_messages":
        return [_with_known_parts(message) for message in dicts(json_of(held))]
    return held


def _with_known_parts(message: dict[str, Any]) -> dict[str, Any]:
    parts = message.get("content")
    if not any(part.get("type") in ("tool_call", "tool_result") for part in dicts(parts)):
        return message
    return {**message, "content": [_known_part(part) for part in dicts(parts)]}


def _known_part(part: dict[str, Any]) -> dict[str, Any]:
    """A part of a message as the Vercel AI SDK writes it."""
    if part.get("type") == "tool_call":
        return {"type": "tool-call", "input": part.get("args"), **_without_type(part)}
    if part.get("type") == "tool_result":
        output = {"type": "text", "value": part.get("result")}
        return {"type": "tool-result", "output": output, **_without_type(part)}
    return part


def _without_type(part: dict[str, Any]) -> dict[str, Any]:
    return {key: part.get(key) for key in ("toolCallId", "toolName")}


def read_tools(document: Any) -> list[Tool]:
    """The tools that the models were offered."""
    return [
        tool
        for trace in dicts(_traces_in(document))
        for span in _spans_of(trace)
        for tool in read_definitions(first(span.get("params"), "tools", "functions"))
    ]
