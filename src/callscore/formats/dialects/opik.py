"""Opik traces and spans (API responses, exports, requests of the SDK)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.families.model_outputs import ModelOutputs
from callscore.formats.families.observed_runs import ObservedRun, ObservedStep, traces_of
from callscore.formats.families.tool_executions import executed_call
from callscore.formats.families.user_turns import count_turns
from callscore.formats.shape import as_list, at, dicts, first, list_of, text_of
from callscore.formats.signs import Signs

if TYPE_CHECKING:
    from callscore.core.call import Tool, ToolCall
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 269
EXAMPLE = [
    {
        "id": "s1",
        "trace_id": "t1",
        "project_name": "demo",
        "name": "get_weather",
        "type": "tool",
        "start_time": "2026-01-01T10:00:00Z",
        "input": {"city": "Paris"},
        "output": {"output": "18 degrees"},
    }
]
_MAX_SAMPLED = 20
_TYPES = ("general", "tool", "llm", "guardrail")
_HELD = ("spans", "content")
_MODEL_KEYS = ("messages", "prompt")
SIGNS = Signs(keys=("trace_id", "spans", "content"), item_keys=("trace_id", "spans"))


def recognizes(document: Any) -> bool:
    """Whether it is a span, a trace with its spans, a page of spans, or a list of these."""
    spans = _spans_in(document)[:_MAX_SAMPLED]
    return bool(spans) and all(map(joins_lines, spans))


def _spans_in(document: Any) -> list[Any]:
    found: list[Any] = []
    for item in as_list(document):
        held = first(item, *_HELD) if isinstance(item, dict) else None
        found += held if isinstance(held, list) else [item]
    return found


def joins_lines(line: Any) -> bool:
    """Whether a line is a span."""
    return (
        isinstance(at(line, "trace_id"), str)
        and isinstance(line.get("id"), str)
        and line.get("type") in _TYPES
        and "start_time" in line
        and "span_id" not in line
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per trace."""
    outputs = ModelOutputs(options)
    traces: dict[str | None, list[dict[str, Any]]] = {}
    for span in dicts(_spans_in(document)):
        traces.setdefault(text_of(span.get("trace_id")), []).append(span)
    runs = []
    for spans in traces.values():
        ordered = _in_order(spans)
        steps = [_observe(span, outputs, options) for span in ordered]
        is_trace = isinstance(document, dict) and isinstance(document.get("spans"), list)
        asked = document.get("input") if is_trace else at(ordered, 0, "input")
        runs.append(ObservedRun(steps, asked))
    return traces_of(runs or [ObservedRun([])], options)


def _in_order(spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The spans in the order in which they began; in the given order, if some have no start."""
    starts = [start for span in spans if isinstance(start := span.get("start_time"), str)]
    if len(starts) < len(spans):
        return spans
    return [spans[place] for place in sorted(range(len(spans)), key=starts.__getitem__)]


def _observe(span: dict[str, Any], outputs: ModelOutputs, options: ReadOptions) -> ObservedStep:
    id_, parent = text_of(span.get("id")), text_of(span.get("parent_span_id"))
    if span.get("type") == "llm":
        output = span.get("output")
        given = first(span.get("input"), *_MODEL_KEYS)
        return ObservedStep(
            id=id_,
            parent=parent,
            requests=outputs.calls(output),
            answers=partial(outputs.answers, given),
            turn=partial(count_turns, given),
            is_recorded=output is not None,
        )
    execution = _execution(span, options) if span.get("type") == "tool" else None
    return ObservedStep(id=id_, parent=parent, execution=execution)


def _execution(span: dict[str, Any], options: ReadOptions) -> ToolCall:
    error, output = span.get("error_info"), span.get("output")
    is_wrapped = isinstance(output, dict) and output.keys() == {"output"}
    result = output["output"] if is_wrapped and isinstance(output, dict) else output
    return executed_call(
        span.get("name"),
        span.get("input"),
        None,
        result=result if error is None else first(error, "message", "exception_type"),
        failed=error is not None,
        options=options,
    )


def read_tools(document: Any) -> list[Tool]:
    """The tools that the models were offered."""
    return [
        tool
        for span in dicts(_spans_in(document))
        for tool in read_definitions(list_of(at(span, "input", "tools")))
    ]
