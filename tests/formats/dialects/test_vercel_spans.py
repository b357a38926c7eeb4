"""What is read of Vercel AI SDK spans beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore.formats.dialects import vercel_spans
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def span(name: str, id_: str, time: int, parent: str | None = None, **more: Any) -> dict[str, Any]:
    attributes = more.pop("attributes", {})
    return {
        "traceId": "t",
        "id": id_,
        "parentId": parent,
        "name": name,
        "timestamp": time,
        "attributes": {"ai.operationId": name, **attributes},
        "status": {"code": 0},
        "events": [],
        **more,
    }


def asked(*ids: str, **more: Any) -> dict[str, Any]:
    calls = [{"toolCallId": id_, "toolName": "ping", "input": '{"n": 1}'} for id_ in ids]
    return {"ai.response.toolCalls": msgspec.json.encode(calls).decode(), **more}


def done(id_: str, **more: Any) -> dict[str, Any]:
    given = {"name": "ping", "id": id_, "args": '{"n": 1}', **more}
    return {f"ai.toolCall.{key}": value for key, value in given.items()}


def model(id_: str, time: int, *ids: str, **more: Any) -> dict[str, Any]:
    attributes = asked(*ids, **more.pop("attributes", {})) if ids else more.pop("attributes", {})
    name = "ai.generateText.doGenerate"
    return span(name, id_, time, **{"parent": "root", **more, "attributes": attributes})


def tool(id_: str, time: int, call_id: str, **more: Any) -> dict[str, Any]:
    attributes = done(call_id, **more.pop("given", {}))
    return span("ai.toolCall", id_, time, **{"parent": "root", **more, "attributes": attributes})


def trace_of(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> Trace:
    [trace] = vercel_spans.read(document, options)
    return trace


def calls_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    calls = trace_of(document, options).calls
    assert calls is not None
    return calls


def test_results_and_failures_of_tools_are_attached_to_the_calls_of_models() -> None:
    exception = {"name": "exception", "attributes": {"exception.message": "down"}}
    failed = {"status": {"code": 2}, "events": [exception]}

    first, second = calls_in(
        [
            tool("3", 4, "b", **failed),
            tool("2", 3, "a", given={"result": '{"t": 18}'}),
            model("1", 2, "a", "b"),
            span("ai.generateText", "root", 1),
        ]
    )

    assert (first.id, first.result, first.step) == ("a", {"t": 18}, 0)
    assert (second.id, second.result, second.failed) == ("b", "down", True)


def test_what_is_around_the_models_repeats_the_last_of_them() -> None:
    spans = [
        model("1", 2, "a"),
        tool("2", 3, "a"),
        model("3", 4, "b"),
        span("ai.generateText", "root", 1, attributes=asked("b")),
    ]

    assert [item.id for item in calls_in(spans)] == ["a", "b"]
    assert [item.id for item in calls_in(spans[3:])] == ["b"]


def test_results_are_read_from_what_the_next_model_is_given() -> None:
    given = [
        {
            "role": "assistant",
            "content": [{"type": "tool-call", "toolCallId": "a", "toolName": "ping", "input": {}}],
        },
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": "a",
                    "toolName": "ping",
                    "output": {"type": "error-text", "value": "down"},
                }
            ],
        },
    ]
    prompt = {"ai.prompt.messages": msgspec.json.encode(given).decode()}

    [found] = calls_in([model("1", 1, "a"), model("2", 2, attributes=prompt)])

    assert (found.result, found.failed) == ("down", True)


def test_arguments_that_were_not_recorded_are_not_taken_for_none() -> None:
    hidden = [model("1", 1), tool("2", 2, "a", given={"args": None})]

    [found] = calls_in(hidden)

    assert trace_of(hidden).view == "executed"
    assert (found.name, found.arguments, found.error) == ("ping", None, "not_captured")


def test_runs_that_record_and_runs_that_do_not_are_viewed_each_in_its_way() -> None:
    hidden = [model("1", 1), tool("2", 2, "a", given={"args": None})]
    open_ = [{**model("3", 3, "b"), "traceId": "u"}]

    traces = vercel_spans.read([*hidden, *open_], DEFAULT_READ_OPTIONS)

    assert [trace.view for trace in traces] == ["executed", "requested"]


def test_where_each_span_is_a_trace_the_tools_repeat_the_models() -> None:
    spans = [model("1", 1, "a"), {**tool("2", 2, "a"), "traceId": "u"}]

    assert [item.id for item in calls_in(spans)] == ["a"]
    assert trace_of(spans).view == "requested"


def test_the_view_that_is_asked_for_is_taken() -> None:
    spans = [model("1", 1, "a", "b"), tool("2", 2, "a")]

    assert [item.id for item in calls_in(spans)] == ["a", "b"]
    assert [item.id for item in calls_in(spans, ReadOptions(view="executed"))] == ["a"]


def test_the_calls_of_a_model_within_a_tool_are_marked() -> None:
    spans = [
        model("1", 1, "a"),
        tool("2", 2, "a"),
        model("3", 3, "b", parent="2"),
    ]

    assert [item.caller for item in calls_in(spans)] == [None, "subagent"]


@pytest.mark.parametrize(
    ("prompt", "question"),
    [
        ('{"prompt": "Hello"}', "Hello"),
        ('{"messages": [1]}', [1]),
        ('{"system": "Be brief"}', {"system": "Be brief"}),
        (None, None),
    ],
)
def test_what_was_asked_is_read(prompt: str | None, question: Any) -> None:
    spans = [span("ai.generateText", "root", 1, attributes={"ai.prompt": prompt}), model("1", 2)]

    assert trace_of(spans).input == question


def test_tools_are_read_from_what_models_were_offered() -> None:
    offered = ['{"type": "function", "name": "ping", "inputSchema": {"type": "object"}}']

    [found] = vercel_spans.read_tools([model("1", 1, attributes={"ai.prompt.tools": offered})])

    assert (found.name, found.parameters) == ("ping", {"type": "object"})


def test_lines_of_spans_are_one_document() -> None:
    assert vercel_spans.joins_lines(model("1", 1, "a"))
    assert not vercel_spans.joins_lines({"name": "no span"})


@pytest.mark.parametrize(
    "document",
    [
        [{"name": "chat", "attributes": {"gen_ai.output.messages": "[]"}}],
        [{"name": "LLM", "attributes": {"openinference.span.kind": "LLM"}}],
        [{"type": "tool-call", "toolCallId": "a", "toolName": "ping"}],
        {"steps": [{"content": []}]},
    ],
)
def test_what_others_write_is_not_claimed(document: Any) -> None:
    assert not vercel_spans.recognizes(document)
