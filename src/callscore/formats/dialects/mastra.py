"""Mastra traces (spans of its observability: storage, API responses, JSON exports).

A step of a model and the inference within it have the same answer, and every tool has a span.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.formats.definitions import read_definitions
from callscore.formats.families.model_outputs import ModelOutputs
from callscore.formats.families.observed_runs import ObservedRun, ObservedStep, traces_of
from callscore.formats.families.tool_executions import executed_call
from callscore.formats.shape import as_list, at, dicts, first, text_of
from callscore.formats.signs import Signs

if TYPE_CHECKING:
    from callscore.core.call import Tool, ToolCall
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 199
EXAMPLE = {
    "traceId": "t1",
    "spans": [
        {
            "traceId": "t1",
            "spanId": "s1",
            "spanType": "tool_call",
            "name": "tool: 'get_weather'",
            "entityType": "tool",
            "entityId": "get_weather",
            "attributes": {"toolCallId": "call_1", "success": True},
            "input": {"city": "Paris"},
            "output": {"degrees": 18},
        }
    ],
}
_MAX_SAMPLED = 20
_MAX_DEPTH = 100
_TOOLS = ("tool_call", "mcp_tool_call", "client_tool_call", "provider_tool_call")
_KINDS = {"mcp_tool_call": "mcp", "provider_tool_call": "hosted"}
# The spans that have the answers of models: the first of these kinds that a trace has counts.
_MODELS = ("model_step", "model_inference", "model_generation", "llm_step", "llm_generation")
_OTHERS = frozenset(
    (
        *("agent_run", "model_chunk", "llm_chunk", "processor_run", "generic", "memory_operation"),
        *("workflow_run", "workflow_step", "workflow_conditional", "workflow_parallel"),
        *("workflow_conditional_eval", "workflow_loop", "workflow_sleep", "workflow_wait_event"),
    )
)
_TYPES = frozenset((*_TOOLS, *_MODELS)) | _OTHERS
SIGNS = Signs(keys=("spans", "spanType", "span", "exportedSpan", "isRootSpan"))


def recognizes(document: Any) -> bool:
    """Whether it is a trace, a span or a tree of spans, or a list of these."""
    values = document if isinstance(document, list) else [document]
    found = values[:_MAX_SAMPLED]
    return bool(found) and all(map(_is_own, found))


def _is_own(value: Any) -> bool:
    spans = at(value, "spans")
    if isinstance(spans, list):
        return bool(spans) and all(_is_span(_bare(span)) for span in spans[:_MAX_SAMPLED])
    return _is_span(_bare(value))


def _bare(value: Any) -> Any:
    """The span in a node of a tree, or in an event of an exporter."""
    inner = first(value, "span", "exportedSpan")
    return inner if isinstance(inner, dict) else value


def _is_span(span: Any) -> bool:
    return (
        isinstance(at(span, "traceId"), str)
        and ("spanType" in span or "isRootSpan" in span)
        and _type_of(span) in _TYPES
        and isinstance(first(span, "spanId", "id"), str)
        and not {"resource", "instrumentationScope", "observations"} & span.keys()
    )


def _type_of(span: Any) -> Any:
    kind = first(span, "spanType", "type")
    return kind if isinstance(kind, str) else None


def joins_lines(line: Any) -> bool:
    """Whether a line is a span, or an event with one."""
    return isinstance(line, dict) and "spans" not in line and _is_own(line)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per trace, in the order in which they began."""
    outputs = ModelOutputs(options)
    runs = []
    for spans in _traces_in(document):
        kinds = {_type_of(span) for span in spans}
        model = next((kind for kind in _MODELS if kind in kinds), None)
        steps = [_observe(span, model, outputs, options) for span in spans]
        roots = [span for span in spans if _parent_of(span) is None]
        runs.append(ObservedRun(steps, at(roots, 0, "input")))
    return traces_of(runs or [ObservedRun([])], options)


def _traces_in(document: Any) -> list[list[dict[str, Any]]]:
    """The spans of each trace; the last state of a span that was written more than once."""
    traces: dict[Any, dict[Any, dict[str, Any]]] = {}
    for value in dicts(as_list(document)):
        held = value["spans"] if isinstance(value.get("spans"), list) else [value]
        for span in _flat(held, 0):
            spans = traces.setdefault(text_of(span.get("traceId")), {})
            name = text_of(first(span, "spanId", "id")) or len(spans)
            spans[name] = {**spans.get(name, {}), **span}
    return [_in_order(list(spans.values())) for spans in traces.values()]


def _flat(values: Any, depth: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for value in dicts(values):
        span = _bare(value)
        if _is_span(span):
            found.append(span)
        if depth < _MAX_DEPTH:
            found += _flat(value.get("children"), depth + 1)
    return found


def _in_order(spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The spans in the order in which they began; in the given order, if some have no start."""
    starts = [first(span, "startedAt", "startTime") for span in spans]
    kinds = {type(start) for start in starts}
    if kinds not in ({str}, {int}, {float}, {int, float}):
        return spans
    return [spans[place] for place in sorted(range(len(spans)), key=starts.__getitem__)]


def _parent_of(span: dict[str, Any]) -> str | None:
    return text_of(first(span, "parentSpanId", "parentId"))


def _observe(
    span: dict[str, Any], model: str | None, outputs: ModelOutputs, options: ReadOptions
) -> ObservedStep:
    id_, parent, kind = text_of(first(span, "spanId", "id")), _parent_of(span), _type_of(span)
    if kind is not None and kind == model:
        requests = outputs.calls(span.get("output"))
        is_recorded = bool(requests) or isinstance(at(span, "output", "text"), str)
        return ObservedStep(id=id_, parent=parent, requests=requests, is_recorded=is_recorded)
    execution = _execution(span, options) if kind in _TOOLS else None
    return ObservedStep(id=id_, parent=parent, execution=execution)


def _execution(span: dict[str, Any], options: ReadOptions) -> ToolCall:
    error = first(span, "error", "errorInfo")
    message = first(error, "message") if isinstance(error, dict) else error
    has_failed = at(span, "attributes", "success") is False or message is not None
    call = executed_call(
        first(span, "entityId", "entityName") or _quoted(span.get("name")),
        span.get("input"),
        text_of(at(span, "attributes", "toolCallId")),
        result=span.get("output") if message is None else message,
        failed=has_failed,
        options=options,
    )
    kind = _KINDS.get(_type_of(span))
    return call if kind is None else replace(call, kind=kind)


def _quoted(name: Any) -> Any:
    """The name of a tool in the name of its span: `tool: 'get_weather'`."""
    return name.partition("'")[2].rstrip("'") or name if isinstance(name, str) else name


def read_tools(document: Any) -> list[Tool]:
    """The tools that the models were offered."""
    return [
        tool
        for spans in _traces_in(document)
        for span in spans
        for tool in read_definitions(at(span, "attributes", "tools"))
    ]
