"""OpenAI Agents SDK trace exports.

Generations have the requests, if their data were recorded, and spans of functions have the
executions. Spans are written when they end; they are sorted by their start.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from callscore.core.call import NOT_CAPTURED
from callscore.core.case import Origin
from callscore.formats.dialects.openai_chat import take_message
from callscore.formats.families.response_items import is_item, take_items, with_sdk_errors
from callscore.formats.shape import as_list, at, dicts, first, text_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace, View
from callscore.formats.transcript import Transcript

ORDER = 270
EXAMPLE = [
    {
        "object": "trace.span",
        "id": "span_1",
        "trace_id": "trace_1",
        "parent_id": None,
        "started_at": "2026-11-15T06:29:37.180000+00:00",
        "ended_at": "2026-11-15T06:29:37.190000+00:00",
        "span_data": {
            "type": "function",
            "name": "get_weather",
            "input": '{"city": "Paris"}',
            "output": "18C",
        },
        "error": None,
    }
]
_MAX_SAMPLED = 20
_SPANS = (
    *("agent", "custom", "function", "generation", "guardrail", "handoff", "mcp_tools"),
    *("response", "speech", "speech_group", "task", "transcription", "turn"),
)
SIGNS = Signs(keys=("span_data", "workflow_name", "data"), item_keys=("span_data",))


def recognizes(document: Any) -> bool:
    """Whether it is a span or a list of spans, alone or in an upload."""
    if isinstance(document, dict) and "object" not in document:
        document = document.get("data")
    if isinstance(document, list):
        return any(map(_is_span, document[:_MAX_SAMPLED])) and all(
            isinstance(item, dict) for item in document
        )
    return joins_lines(document)


def joins_lines(line: Any) -> bool:
    """Whether a line is one span, or the head of a trace."""
    return _is_span(line) or (at(line, "object") == "trace" and "workflow_name" in line)


def _is_span(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("object") == "trace.span"
        and isinstance(value.get("span_data"), dict)
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """A run for each trace, in the order of their first spans."""
    if isinstance(document, dict) and "object" not in document:
        document = document.get("data")
    spans = list(filter(_is_span, as_list(document)))
    by_trace: dict[Any, list[dict[str, Any]]] = {}
    for span in sorted(spans, key=lambda span: text_of(span.get("started_at")) or ""):
        by_trace.setdefault(text_of(span.get("trace_id")), []).append(span)
    return [_read_trace(own_spans, options) for own_spans in by_trace.values()]


def _read_trace(spans: list[dict[str, Any]], options: ReadOptions) -> Trace:
    transcript = Transcript(options, failure=with_sdk_errors(options.failure))
    nested: list[bool] = []  # for each call, whether an agent within the agent made it
    view = _choose_view(spans, options)
    by_id = {span["id"]: span for span in spans if isinstance(span.get("id"), str)}
    for span in spans:
        if (kind := span["span_data"].get("type")) not in _SPANS:
            transcript.unknown(kind, span["span_data"])
        if view == "requested":
            _take_answer(span["span_data"], transcript)
        else:
            _take_execution(span, transcript)
        nested += [_is_nested(span, by_id)] * (len(transcript) - len(nested))
    calls = zip(transcript.calls(), nested, strict=True)
    return Trace(
        calls=tuple([replace(call, caller="subagent") if inner else call for call, inner in calls]),
        view=view,
        origin=_origin_of(spans),
    )


def _origin_of(spans: list[dict[str, Any]]) -> Origin | None:
    """The ids of the trace, of its outermost span, and of the last response."""
    trace = text_of(spans[0].get("trace_id"))
    ids = {text_of(span.get("id")) for span in spans}
    root = next((span for span in spans if text_of(span.get("parent_id")) not in ids), spans[0])
    answered = [data for span in spans if (data := span["span_data"]).get("type") == "response"]
    responses = [first(data, "response_id") or at(data, "response", "id") for data in answered]
    response = next((id_ for id_ in reversed(responses) if isinstance(id_, str)), None)
    return None if trace is None else Origin(trace, text_of(root.get("id")), response)


def _choose_view(spans: list[dict[str, Any]], options: ReadOptions) -> View:
    is_requested = any(_answers_in(span["span_data"]) for span in spans)
    is_executed = any(span["span_data"].get("type") == "function" for span in spans)
    if is_requested and not (is_executed and options.view == "executed"):
        return "requested"
    return "executed"


def _is_nested(span: dict[str, Any], by_id: dict[str, dict[str, Any]]) -> bool:
    """Whether a span is within the span of a tool or a guardrail, which may run agents."""
    seen = set()
    parent = span.get("parent_id")
    while isinstance(parent, str) and parent in by_id and parent not in seen:
        seen.add(parent)
        if by_id[parent]["span_data"].get("type") in ("function", "guardrail"):
            return True
        parent = by_id[parent].get("parent_id")
    return False


def _answers_in(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The answers of a model in a span: messages, items, or whole responses."""
    kind = data.get("type")
    if kind == "generation":
        return dicts(data.get("output"))
    if kind == "response":
        return dicts([data.get("response")]) or dicts(data.get("output"))
    return []


def _take_answer(data: dict[str, Any], transcript: Transcript) -> None:
    answers = _answers_in(data)
    if answers:
        _take_results(data.get("input"), transcript)
    if any(map(is_item, answers)):
        take_items(answers, transcript)
        return
    for answer in answers:
        if isinstance(answer.get("output"), list):
            take_items(answer["output"], transcript)
        else:
            take_message(answer, transcript)


def _take_results(value: Any, transcript: Transcript) -> None:
    """Add the last results that the model received; the others were added before."""
    results = []
    for entry in reversed(dicts(value)):
        if entry.get("role") == "tool" or str(entry.get("type")).endswith("_output"):
            results.append(entry)
        elif entry.get("role") == "assistant" or entry.get("type") == "function_call":
            break
    for entry in reversed(results):
        take_message(entry, transcript)
        take_items([entry], transcript)


def _take_execution(span: dict[str, Any], transcript: Transcript) -> None:
    data, error = span["span_data"], span.get("error")
    if data.get("type") in ("generation", "response"):
        transcript.step()  # the functions that follow are the calls of this answer
    if data.get("type") != "function":
        return
    value, output = data.get("input"), data.get("output")
    transcript.call(
        data.get("name"),
        value,
        span.get("id"),
        kind="mcp" if data.get("mcp_data") else None,
        error=NOT_CAPTURED if value is None else None,
    )
    if error is not None:
        reason = at(error, "message") if output is None else output
        transcript.result(reason, span.get("id"), failed=True)
    elif output is not None:
        transcript.result(output, span.get("id"))
