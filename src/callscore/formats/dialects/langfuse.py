"""Langfuse observations (trace exports, API responses, JSON lines, SDK requests).

The answers of models are in the format of the provider, the framework or the instrumentation.
"""

from __future__ import annotations

from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from callscore.core.call import NOT_CAPTURED, Tool, ToolCall
from callscore.formats.definitions import read_definitions
from callscore.formats.dialects import openinference
from callscore.formats.families.call_phases import join_phases
from callscore.formats.families.genai_spans import observe_span, offered_tools_in
from callscore.formats.families.langchain_messages import fields_of
from callscore.formats.families.model_outputs import ModelOutputs
from callscore.formats.families.observed_runs import ObservedRun, ObservedStep, traces_of
from callscore.formats.families.span_origin import origin_of_spans
from callscore.formats.families.spans import (
    Span,
    parse_time,
    read_attributes,
    sort_by_start,
    spans_by_trace,
)
from callscore.formats.families.tool_executions import executed_call
from callscore.formats.families.user_turns import count_turns
from callscore.formats.shape import at, dicts, first, json_of, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 250
_EXAMPLE_CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
}
EXAMPLE = {
    "data": [
        {
            "id": "9d1f",
            "traceId": "c0de",
            "type": "GENERATION",
            "name": "ChatOpenAI",
            "startTime": "2026-01-01T09:00:00.000Z",
            "output": {"role": "assistant", "tool_calls": [_EXAMPLE_CALL]},
        }
    ]
}
_TYPES = frozenset(
    (
        *("GENERATION", "SPAN", "TOOL", "AGENT", "CHAIN", "EVENT"),
        *("RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"),
    )
)
_MARKS = frozenset(
    ("traceId", "trace_id", "startTime", "start_time", "parentObservationId", "output")
)
_MAX_SAMPLED = 20
_MAX_EMPTY_LENGTH = 50  # characters
_NAMES = ("gen_ai.tool.name", "ai.toolCall.name", "tool.name")
_IDS = ("gen_ai.tool.call.id", "ai.toolCall.id")
_ARGUMENTS = ("gen_ai.tool.call.arguments", "ai.toolCall.args", "gcp.vertex.agent.tool_call_args")
_RESULTS = ("gen_ai.tool.call.result", "ai.toolCall.result", "gcp.vertex.agent.tool_response")
_PREFIXES = ("execute_tool ", "running tool: ")
SIGNS = Signs(
    keys=("observations", "data", "trace", "batch", *_MARKS), item_keys=("batch", *_MARKS)
)


def recognizes(document: Any) -> bool:
    """Whether it is, or has, a list of observations."""
    if joins_lines(document):
        return True
    sampled = (document if isinstance(document, list) else _observations(document))[:_MAX_SAMPLED]
    return bool(sampled) and all(map(joins_lines, sampled))


def _observations(document: Any) -> list[Any]:
    """The observations of a trace or of a list; a downloaded trace can have all of them twice."""
    if not isinstance(document, dict):
        return _from_requests(list_of(document))
    if joins_lines(document):
        return _from_requests([document])
    held = document.get("data")
    if isinstance(held, dict):
        document = held
    both = [*list_of(document.get("observations")), *_of_trace(document)]
    inner = [item for trace in dicts(held) for item in list_of(trace.get("observations"))]
    return both or dicts(inner) or list_of(held)


def _from_requests(items: list[Any]) -> list[Any]:
    """The observations in what an SDK sends, each with all that was sent of it; others as they are."""
    events = [event for item in items for event in dicts(at(item, "batch"))]
    if not events:
        return items
    found: dict[str, dict[str, Any]] = {}
    for event in events:
        body = event.get("body")
        id_, kind = text_of(at(body, "id")), _type_of_event(event)
        if isinstance(body, dict) and id_ and kind:
            known = {key: value for key, value in body.items() if value is not None}
            found[id_] = {**found.get(id_, {"type": kind}), **known}
    return [item for item in items if at(item, "batch") is None] + list(found.values())


def _type_of_event(event: dict[str, Any]) -> str | None:
    """The type of the observation that an event creates or updates."""
    name, _, action = (text_of(event.get("type")) or "").rpartition("-")
    kind = text_of(at(event, "body", "type")) if name == "observation" else name.upper()
    return kind if action in ("create", "update") and kind in _TYPES else None


def _of_trace(document: dict[str, Any]) -> list[Any]:
    return list_of(at(document, "trace", "observations"))


def joins_lines(line: Any) -> bool:
    """Whether a line is an observation, or a batch of them that an SDK sends."""
    kind = at(line, "type")
    if isinstance(kind, str) and kind in _TYPES and not _MARKS.isdisjoint(line):
        return True
    batch = list_of(at(line, "batch"))
    return any(
        isinstance(event.get("body"), dict)
        and isinstance(event.get("type"), str)
        and event["type"].endswith(("-create", "-update"))
        for event in dicts(batch[:_MAX_SAMPLED])
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per trace."""
    outputs = ModelOutputs(options)
    spans = join_phases(_spans_in(document))
    runs = [
        ObservedRun(
            [_observe(span, outputs, options) for span in group],
            _question(document, group),
            origin=origin_of_spans(group),
        )
        for group in spans_by_trace(spans)
    ]
    return traces_of(runs or [ObservedRun([], _question(document, []))], options)


def _question(document: Any, spans: list[Span]) -> Any:
    """The input of the trace, or of its first observation; exports encode it twice."""
    if first(document, "observations") is not None:
        asked = first(first(document, "trace") or document, "input")
    else:
        asked = spans[0].record.get("input") if spans else None
    return json_of(json_of(asked))


def _spans_in(document: Any) -> list[Span]:
    """The observations as spans, each of them once."""
    spans = [_span_of(item) for item in dicts(_observations(document))]
    seen: set[tuple[str | None, str]] = set()
    kept = []
    for span in spans:
        place = (span.trace, span.id or "")
        if not span.id or place not in seen:
            seen.add(place)
            kept.append(span)
    return sort_by_start(kept)


def _span_of(item: dict[str, Any]) -> Span:
    """The observation as a span."""
    value = at(json_of(item.get("metadata")), "attributes")
    return Span(
        name=text_of(item.get("name")) or "",
        attributes=read_attributes(value) if value else {},
        start=parse_time(first(item, "startTime", "start_time")),
        id=text_of(item.get("id")),
        parent=text_of(first(item, "parentObservationId", "parent_observation_id")),
        trace=text_of(first(item, "traceId", "trace_id")),
        failed=item.get("level") == "ERROR",
        record=item,
    )


def _observe(span: Span, outputs: ModelOutputs, options: ReadOptions) -> ObservedStep:
    item = span.record
    if item.get("type") == "GENERATION":
        requests = _requests(span, outputs, options)
        return ObservedStep(
            id=span.id,
            parent=span.parent,
            requests=requests,
            answers=partial(outputs.answers, item.get("input")),
            turn=partial(count_turns, item.get("input")),
            is_recorded=bool(requests) or outputs.is_plain(item.get("output")),
        )
    message = _tool_message(item)
    is_tool = item.get("type") == "TOOL" or message or _is_tool_span(span)
    return ObservedStep(
        id=span.id,
        parent=span.parent,
        execution=_execution(span, message, options) if is_tool else None,
    )


def _is_tool_span(span: Span) -> bool:
    attributes = span.attributes
    return bool(attributes) and (
        attributes.get("openinference.span.kind") == "TOOL" or bool(first(attributes, *_NAMES))
    )


def _requests(span: Span, outputs: ModelOutputs, options: ReadOptions) -> tuple[ToolCall, ...]:
    """The calls in an answer; if it was not recorded, those in other fields."""
    item = span.record
    output = item.get("output")
    calls = outputs.calls(output)
    if calls:
        known = {call.id for call in calls}
        others = () if None in known else _listed(item, options)
        return (*calls, *[call for call in others if call.id is not None and call.id not in known])
    # Empty JSON values are short.
    is_long = isinstance(output, str) and len(output) > _MAX_EMPTY_LENGTH
    if is_long or json_of(output):
        return _listed(item, options)
    return (
        outputs.calls(first(span.attributes, "ai.response.toolCalls"))
        or openinference.requests_in(span, outputs, options)
        or observe_span(span, outputs, options).requests
        or _listed(item, options)
    )


def _listed(item: dict[str, Any], options: ReadOptions) -> tuple[ToolCall, ...]:
    """The calls that Langfuse itself found: names in one list, and the rest in another."""
    transcript = Transcript(options)
    calls = list_of(first(item, "toolCalls", "tool_calls"))
    names = list_of(first(item, "toolCallNames", "tool_call_names"))
    for name, value in zip_longest(names, calls):
        call = json_of(value)
        error = NOT_CAPTURED if call is None else None
        transcript.call(
            name or first(call, "name"), first(call, "arguments"), first(call, "id"), error=error
        )
    return transcript.calls()


def _tool_message(item: dict[str, Any]) -> dict[str, Any] | None:
    """The message that a tool of LangChain returned; its observation can have any type."""
    output = item.get("output")
    if isinstance(output, str):
        output = json_of(output) if '"tool_call_id"' in output else None
    kind, fields = fields_of(output)
    return fields if kind == "tool" and "tool_call_id" in fields else None


def _execution(span: Span, message: dict[str, Any] | None, options: ReadOptions) -> ToolCall:
    item, attributes = span.record, span.attributes
    name = value = id_ = result = None
    if attributes:
        name, id_ = first(attributes, *_NAMES), first(attributes, *_IDS)
        value, result = first(attributes, *_ARGUMENTS), first(attributes, *_RESULTS)
    failed = span.failed
    if message is not None:
        id_, result = id_ or message.get("tool_call_id"), message.get("content")
        failed = failed or message.get("status") == "error"
    if result is None:
        result = first(item, "output", "statusMessage", "status_message")
    bare_name = span.name
    for prefix in _PREFIXES:
        bare_name = bare_name.removeprefix(prefix)
    return executed_call(
        bare_name if name is None else name,
        _input_of(span) if value is None else value,
        id_,
        result=json_of(result),
        failed=failed,
        options=options,
    )


def _input_of(span: Span) -> Any:
    """The input of a tool, without the wrapper of some integrations."""
    item = span.record
    metadata = item.get("metadata")
    if isinstance(metadata, str):
        metadata = json_of(metadata) if '"inputs"' in metadata else None
    inputs = at(metadata, "inputs")  # beside a text that is not JSON
    value = json_of(item.get("input"))
    if isinstance(value, dict) and len(value) == 1 and isinstance(value.get("input"), dict):
        return value["input"]
    if isinstance(inputs, dict):
        return inputs
    if value is None and span.attributes:
        value = openinference.arguments_in(span.attributes)
    return openinference.unwrapped(value)


def read_tools(document: Any) -> list[Tool]:
    """The tools that the models were offered."""
    spans = _spans_in(document)
    models = [span for span in spans if span.record.get("type") == "GENERATION"]
    return [tool for span in models for tool in _offered_tools(span)]


def _offered_tools(span: Span) -> list[Tool]:
    item, attributes = span.record, span.attributes
    value, metadata = json_of(item.get("input")), json_of(item.get("metadata"))
    by_name = first(item, "toolDefinitions", "tool_definitions")
    named = by_name.items() if isinstance(by_name, dict) else ()
    # The integration of LangChain puts definitions among the messages.
    messages = [message for message in dicts(value) if message.get("role") == "tool"]
    contents = [message.get("content") for message in messages]
    for offered in (
        first(value, "tools", "functions"),
        at(value, "config", "tools"),
        first(metadata, "tools"),
        openinference.offered_tools_in(attributes),
        offered_tools_in(attributes),
        [content for content in contents if at(content, "type") == "function"],
        at(json_of(item.get("output")), "tools"),
        {name: json_of(tool) for name, tool in named},
    ):
        tools = read_definitions(offered)
        if tools:
            return tools
    return []
