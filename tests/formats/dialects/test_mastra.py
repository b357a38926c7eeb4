"""What is read of the traces of Mastra."""

from __future__ import annotations

from typing import Any

from callscore.formats.dialects import mastra
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions


def span(id_: str, kind: str, parent: str | None = None, **more: Any) -> dict[str, Any]:
    return {"traceId": "t", "spanId": id_, "parentSpanId": parent, "spanType": kind, **more}


def answer(*ids: str) -> dict[str, Any]:
    return {"toolCalls": [{"toolCallId": id_, "toolName": "f", "args": {}} for id_ in ids]}


def tool(id_: str, call_id: str, **more: Any) -> dict[str, Any]:
    found = {"entityId": "f", "input": {}, "attributes": {"toolCallId": call_id}}
    return span(id_, "tool_call", "a", **{**found, **more})


def test_the_answer_of_a_model_counts_once_and_has_the_result_of_the_tool() -> None:
    spans = [
        span("a", "agent_run", input="go"),
        span("b", "model_generation", "a", output={"text": ""}),
        span("c", "model_step", "b", output=answer("1", "2")),
        span("d", "model_inference", "c", output=answer("1", "2")),
        tool("e", "1", output="x"),
        tool("f", "2", error={"message": "no"}),
    ]

    [trace] = mastra.read({"spans": spans}, DEFAULT_READ_OPTIONS)

    assert trace.input == "go"
    assert [(call.id, call.result, call.failed) for call in trace.calls or ()] == [
        ("1", "x", False),
        ("2", "no", True),
    ]


def test_the_executed_view_has_the_tools() -> None:
    spans = [span("c", "model_step", output=answer("1")), tool("e", "1", output="x")]

    [trace] = mastra.read({"spans": spans}, ReadOptions(view="executed"))

    assert (trace.view, [call.id for call in trace.calls or ()]) == ("executed", ["1"])


def test_the_start_and_the_end_of_a_span_are_one_call() -> None:
    events = [
        {"type": "span_started", "exportedSpan": tool("e", "1")},
        {"type": "span_ended", "exportedSpan": tool("e", "1", output="x")},
    ]

    assert mastra.recognizes(events)
    [trace] = mastra.read(events, DEFAULT_READ_OPTIONS)
    assert [(call.name, call.result) for call in trace.calls or ()] == [("f", "x")]


def test_a_tool_without_an_entity_is_named_by_its_span() -> None:
    named = {**tool("e", "1"), "entityId": None, "name": "tool: 'get_weather'"}

    [trace] = mastra.read([named], DEFAULT_READ_OPTIONS)

    assert [call.name for call in trace.calls or ()] == ["get_weather"]


def test_spans_are_read_in_the_order_of_their_starts() -> None:
    spans = [tool("e", "2", startedAt="12:02"), tool("d", "1", startedAt="12:01")]

    [trace] = mastra.read(spans, DEFAULT_READ_OPTIONS)

    assert [call.id for call in trace.calls or ()] == ["1", "2"]
