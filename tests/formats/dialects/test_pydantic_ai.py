"""What is read of Pydantic AI histories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import pydantic_ai
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def call(id_: str, kind: str = "tool-call", **more: Any) -> dict[str, Any]:
    return {"part_kind": kind, "tool_name": "f", "args": {"x": 1}, "tool_call_id": id_, **more}


def returned(id_: str, kind: str = "tool-return", **more: Any) -> dict[str, Any]:
    return {
        "part_kind": kind,
        "tool_name": "f",
        "content": "fine",
        "tool_call_id": id_,
        **more,
    }


def response(*parts: Any) -> dict[str, Any]:
    return {"kind": "response", "parts": list(parts)}


def request(*parts: Any) -> dict[str, Any]:
    return {"kind": "request", "parts": list(parts)}


def read(*messages: Any) -> Trace:
    [trace] = pydantic_ai.read(list(messages), DEFAULT_READ_OPTIONS)
    return trace


def calls(*messages: Any) -> tuple[ToolCall, ...]:
    return read(*messages).calls or ()


def test_an_outcome_says_whether_a_call_has_failed() -> None:
    outcomes = ["success", "failed", "denied", "interrupted", "retried"]

    found = calls(
        response(*[call(outcome) for outcome in outcomes]),
        request(*[returned(outcome, outcome=outcome) for outcome in outcomes]),
    )

    assert [one.failed for one in found] == [False, True, True, True, True]


def test_without_an_outcome_the_text_tells() -> None:
    found = calls(
        response(call("a"), call("b")),
        request(returned("a", content="Error: oh"), returned("b")),
    )

    assert [one.failed for one in found] == [True, False]


def test_a_prompt_to_retry_is_the_result_of_a_failed_call() -> None:
    found = calls(
        response(call("a"), call("b")),
        request(
            returned("a", "retry-prompt", content=[{"msg": "oh"}]),
            returned("b", "retry-prompt", tool_name=None),
        ),
    )

    assert [(one.result, one.failed) for one in found] == [([{"msg": "oh"}], True), (None, None)]


def test_the_calls_of_a_response_share_a_step() -> None:
    found = calls(
        response(call("a"), {"part_kind": "text"}, call("b")),
        response({"part_kind": "text"}),
        response(call("c")),
    )

    assert [one.step for one in found] == [0, 0, 1]


def test_what_the_user_said_is_the_input() -> None:
    trace = read(
        request({"part_kind": "system-prompt", "content": "be brief"}),
        request({"part_kind": "user-prompt", "content": "go"}),
        request({"part_kind": "user-prompt", "content": "on"}),
    )

    assert trace.input == "go"


@pytest.mark.parametrize("kind", ["builtin-tool-call", "native-tool-call"])
def test_the_tools_of_the_provider_are_marked(kind: str) -> None:
    back = kind.replace("call", "return")

    [one] = calls(response(call("a", kind), returned("a", back, outcome="success")))

    assert (one.kind, one.result, one.failed) == ("hosted", "fine", False)


@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "call_tool", "tool_name": "ask", "tool_args": {"q": 1}},
        '{"action": "call_tool", "tool_name": "ask", "tool_args": {"q": 1}}',
    ],
)
def test_a_call_of_an_mcp_server_is_taken_out_of_its_wrapping(arguments: Any) -> None:
    part = call("a", "builtin-tool-call", tool_name="mcp_server:wiki", args=arguments)

    [one] = calls(response(part))

    assert (one.kind, one.name, one.arguments) == ("mcp", "ask", {"q": 1})


def test_a_call_of_an_mcp_server_without_wrapping_is_kept_as_it_is() -> None:
    name = "mcp_server:wiki"

    found = calls(
        response(
            call("a", "builtin-tool-call", tool_name=name),
            call("b", "builtin-tool-call", tool_name=name, args={"action": "list_tools"}),
            call("c", "builtin-tool-call", tool_name=name, args='{"action": "call'),
        )
    )

    assert [(one.kind, one.name, one.error) for one in found] == [
        ("mcp", name, None),
        ("mcp", name, "truncated_json"),
    ]


@pytest.mark.parametrize("name", ["messages", "all_messages", "message_history", "new_messages"])
def test_a_history_is_found_under_its_name(name: str) -> None:
    for document in ({name: [response(call("a"))]}, {"state": {name: [response(call("a"))]}}):
        [trace] = pydantic_ai.read(document, DEFAULT_READ_OPTIONS)

        assert pydantic_ai.recognizes(document)
        assert [one.id for one in trace.calls or ()] == ["a"]


@pytest.mark.parametrize("document", [response(call("a")), [call("a")], call("a")])
def test_what_histories_are_made_of_is_read_by_itself(document: Any) -> None:
    [trace] = pydantic_ai.read(document, DEFAULT_READ_OPTIONS)

    assert pydantic_ai.recognizes(document)
    assert [one.id for one in trace.calls or ()] == ["a"]


def test_the_events_of_a_stream_tell_what_was_run() -> None:
    events = [
        {"event_kind": "part_start", "part": call("a", args='{"x"')},
        {"event_kind": "function_tool_call", "part": call("a")},
        {"event_kind": "function_tool_result", "result": returned("a", outcome="failed")},
        {"event_kind": "output_tool_call", "part": call("b")},
        {"event_kind": "output_tool_call", "part": None},
    ]

    trace = read(*events)

    assert pydantic_ai.recognizes(events)
    assert trace.view == "executed"
    assert [(one.id, one.failed) for one in trace.calls or ()] == [("a", True), ("b", None)]


def test_parts_and_events_of_other_kinds_stand_among_them() -> None:
    parts = [{"part_kind": "text", "content": "Well."}, call("a")]
    events = [
        {"event_kind": "function_tool_call", "part": call("a")},
        {"event_kind": "agent_run_result", "result": []},
    ]

    for document in (parts, events):
        assert pydantic_ai.recognizes(document)
        assert [item.id for item in read(*document).calls or ()] == ["a"]
    assert not pydantic_ai.recognizes(parts[:1])
    assert not pydantic_ai.recognizes([call("a"), {"part_kind": 1}])
    assert not pydantic_ai.recognizes([call("a"), "text"])


def test_what_a_model_is_offered_are_tools_and_no_calls() -> None:
    tool = {"name": "f", "description": "d", "parameters_json_schema": {"type": "object"}}
    offered = {"function_tools": [tool], "native_tools": [], "output_tools": []}

    assert pydantic_ai.recognizes(offered)
    assert [item.name for item in pydantic_ai.read_tools(offered)] == ["f"]
    assert pydantic_ai.read(offered, DEFAULT_READ_OPTIONS)[0].calls == ()
    assert not pydantic_ai.recognizes({"function_tools": [tool]})


def test_lines_of_messages_and_of_events_are_one_document() -> None:
    assert pydantic_ai.joins_lines(response())
    assert pydantic_ai.joins_lines({"event_kind": "part_delta"})
    assert not pydantic_ai.joins_lines(call("a"))


def test_tools_stand_beside_a_history() -> None:
    tool = {"name": "f", "parameters_json_schema": {"type": "object"}}

    for document in ({"tools": [tool]}, {"model_request_parameters": {"output_tools": [tool]}}):
        [found] = pydantic_ai.read_tools(document)

        assert found.parameters == {"type": "object"}


@pytest.mark.parametrize(
    "document",
    [
        [],
        {"messages": []},
        {"messages": [{"role": "user", "parts": []}]},
        {"state": [], "messages": "x"},
        {"kind": "message", "role": "agent", "parts": []},
        [response(), {"role": "user"}],
        [{"part_kind": "text", "content": "x"}],
        {"kind": ["request"], "parts": []},
    ],
)
def test_the_documents_of_others_are_left_to_them(document: Any) -> None:
    assert not pydantic_ai.recognizes(document)
