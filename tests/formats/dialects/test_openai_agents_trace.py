"""OpenAI Agents SDK trace exports."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.dialects.openai_agents_trace import joins_lines, read, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace


def span(time: Any, data: Any, id: Any = None, parent: Any = None, **more: Any) -> dict[str, Any]:  # noqa: A002  (as the field is called)
    return {
        "object": "trace.span",
        "id": id,
        "trace_id": "trace_1",
        "parent_id": parent,
        "started_at": time,
        "span_data": data,
        "error": None,
        **more,
    }


def function(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "function", "name": name, "input": "{}", "output": "18C", **more}


def generation(*names: str, input: Any = None) -> dict[str, Any]:  # noqa: A002  (as the field is called)
    calls = [{"id": name, "function": {"name": name, "arguments": "{}"}} for name in names]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    return {"type": "generation", "input": input, "output": [message]}


def traces_of(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> list[Trace]:
    assert recognizes(document)
    return read(document, options)


def names_of(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> list[str]:
    return [call.name for trace in traces_of(document, options) for call in trace.calls or ()]


def test_what_the_model_asked_for_is_taken_unless_told_otherwise() -> None:
    spans = [span("2", function("g")), span("1", generation("f"))]

    assert names_of(spans) == ["f"]
    assert traces_of(spans)[0].view == "requested"
    assert names_of(spans, ReadOptions(view="executed")) == ["g"]
    assert traces_of(spans, ReadOptions(view="executed"))[0].view == "executed"


def test_the_view_is_the_only_one_that_there_is() -> None:
    executed = [span("1", {"type": "generation", "output": None}), span("2", function("g"))]
    requested = [span("1", generation("f"))]

    assert names_of(executed, ReadOptions(view="requested")) == ["g"]
    assert traces_of(executed)[0].view == "executed"
    assert names_of(requested, ReadOptions(view="executed")) == ["f"]


def test_spans_are_sorted_by_their_start() -> None:
    assert names_of(
        [span("3", function("c")), span("1", function("a")), span(None, function("b"))]
    ) == [
        "b",
        "a",
        "c",
    ]


def test_what_a_function_gave_and_whether_it_failed_is_known() -> None:
    spans = [
        span("1", function("a", output=None), "s1"),
        span("2", function("b"), "s2"),
        span("3", function("c"), "s3", error={"message": "Error running tool", "data": {}}),
        span("4", function("d", output=None), "s4", error={"message": "timed out"}),
        span("5", function("e", output="An error occurred while running the tool."), "s5"),
    ]

    (trace,) = traces_of(spans)

    assert [(call.result, call.failed) for call in trace.calls or ()] == [
        (None, None),
        ("18C", False),
        ("18C", True),
        ("timed out", True),
        ("An error occurred while running the tool.", True),
    ]


def test_a_trace_without_data_has_no_arguments_on_record() -> None:
    (trace,) = traces_of([span("1", function("f", input=None))])

    (call,) = trace.calls or ()
    assert (call.arguments, call.error) == (None, "not_captured")


def test_a_function_of_an_mcp_server_is_marked() -> None:
    (trace,) = traces_of(
        [span("1", function("f", mcp_data={"server": "s"})), span("2", function("g"))]
    )

    assert [call.kind for call in trace.calls or ()] == ["mcp", None]


def test_functions_between_two_answers_of_the_model_share_a_step() -> None:
    spans = [
        span("1", {"type": "response", "response_id": "r1"}),
        span("2", function("a")),
        span("3", function("b")),
        span("4", {"type": "response", "response_id": "r2"}),
        span("5", function("c")),
    ]

    (trace,) = traces_of(spans)

    assert [call.step for call in trace.calls or ()] == [0, 0, 1]


@pytest.mark.parametrize("kind", ["function", "guardrail"])
@pytest.mark.parametrize("view", ["requested", "executed"])
def test_calls_of_an_agent_within_a_tool_are_those_of_a_subagent(kind: str, view: Any) -> None:
    spans = [
        span("1", generation("outer")),
        span("2", {"type": kind, "name": "outer", "input": "{}"}, "tool", "agent"),
        span("3", {"type": "agent", "name": "b"}, "inner", "tool"),
        span("4", generation("nested"), None, "inner"),
        span("5", function("nested"), None, "inner"),
    ]

    (trace,) = traces_of(spans, ReadOptions(view=view))

    callers = {call.name: call.caller for call in trace.calls or ()}
    assert callers["nested"] == "subagent"
    assert callers.get("outer") is None


def test_spans_that_are_each_other_s_parents_do_no_harm() -> None:
    spans = [span("1", function("f"), "a", "b"), span("2", {"type": "agent"}, "b", "b")]

    assert names_of(spans) == ["f"]


def test_each_trace_is_a_run() -> None:
    spans = [
        span("1", function("a")),
        span("2", function("b"), trace_id="trace_2"),
        span("3", function("c"), trace_id=None),
        span("4", function("d")),
    ]

    assert [[call.name for call in trace.calls or ()] for trace in traces_of(spans)] == [
        ["a", "d"],
        ["b"],
        ["c"],
    ]


def test_the_results_of_what_was_asked_for_are_in_the_next_question() -> None:
    history = [
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "tool_call_id": "f", "content": "old"},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "tool_call_id": "f", "content": "18C"},
        {"role": "tool", "tool_call_id": "g", "content": "Error"},
        {"role": "user", "content": "Well?"},
    ]
    spans = [span("1", generation("f", "g")), span("2", generation(input=history))]

    (trace,) = traces_of(spans)

    assert [(call.result, call.failed) for call in trace.calls or ()] == [
        ("18C", False),
        ("Error", True),
    ]


def test_answers_may_be_whole_responses_or_their_items() -> None:
    call = {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "a", "output": "18C"}
    response = {"object": "response", "output": [call]}
    for data in (
        {"type": "response", "response": response},
        {"type": "response", "output": [call]},
        {"type": "generation", "output": [response]},
    ):
        then = {"type": "generation", "input": [call, output], "output": [{"role": "assistant"}]}

        (trace,) = traces_of([span("1", data), span("2", then)])

        assert [(found.name, found.result) for found in trace.calls or ()] == [("f", "18C")]


def test_spans_may_come_as_they_are_sent_or_one_by_one() -> None:
    head = {"object": "trace", "id": "trace_1", "workflow_name": "w"}

    assert names_of({"data": [head, span("1", function("f"))]}) == ["f"]
    assert names_of(span("1", function("f"))) == ["f"]
    assert joins_lines(span("1", {}))
    assert joins_lines(head)
    assert recognizes(head)
    assert read(head, DEFAULT_READ_OPTIONS) == []
    assert not joins_lines({"object": "trace"})


@pytest.mark.parametrize(
    "document",
    [
        [{"object": "trace", "workflow_name": "w"}],
        [span("1", {}), "text"],
        {"data": [{"object": "chat.completion"}]},
        {"object": "trace.span", "span_data": None},
    ],
)
def test_what_only_looks_alike_is_left_to_others(document: Any) -> None:
    assert not recognizes(document)
