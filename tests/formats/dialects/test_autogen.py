"""What is read of AutoGen messages and states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import autogen
from callscore.formats.trace import DEFAULT_READ_OPTIONS

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def call(id_: str, arguments: str = '{"x": 1}') -> dict[str, Any]:
    return {"id": id_, "name": "f", "arguments": arguments}


def result(id_: str, **more: Any) -> dict[str, Any]:
    return {"call_id": id_, "name": "f", "content": "fine", **more}


def requested(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"type": "ToolCallRequestEvent", "source": "a", "content": list(calls)}


def executed(*results: dict[str, Any]) -> dict[str, Any]:
    return {"type": "ToolCallExecutionEvent", "source": "a", "content": list(results)}


def remembered(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"type": "AssistantMessage", "source": "a", "content": list(calls)}


def calls(document: Any) -> tuple[ToolCall, ...]:
    [trace] = autogen.read(document, DEFAULT_READ_OPTIONS)
    return trace.calls or ()


def test_results_are_attached_and_errors_are_failures() -> None:
    found = calls(
        [
            requested(call("a"), call("b"), call("c")),
            executed(result("b", is_error=True), result("a", is_error=False)),
            executed(result("c", content="Error: oh")),
            {"type": "AssistantMessage", "source": "a", "content": "hm"},
            requested(call("d")),
        ]
    )

    assert [(one.failed, one.step) for one in found] == [
        (False, 0),
        (True, 0),
        (True, 0),
        (None, 1),
    ]


def test_a_summary_is_no_second_call() -> None:
    summary = {"type": "ToolCallSummaryMessage", "content": "ok", "tool_calls": [call("a")]}

    assert [one.id for one in calls([requested(call("a")), summary])] == ["a"]


def test_the_result_at_the_end_of_a_stream_is_no_second_run() -> None:
    messages = [requested(call("a"))]

    assert len(calls([*messages, {"messages": messages, "stop_reason": None}])) == 1


def test_messages_of_types_of_ones_own_are_passed_over() -> None:
    messages = [{"type": "StructuredMessage[Plan]", "content": {}}, requested(call("a"))]

    assert autogen.recognizes(messages)
    assert len(calls(messages)) == 1


def test_malformed_arguments_are_kept() -> None:
    [one] = calls([requested(call("a", '{"x":'))])

    assert (one.raw, one.error) == ('{"x":', "truncated_json")


def test_what_the_user_said_is_the_input() -> None:
    messages = [
        {"type": "TextMessage", "source": "planner", "content": "hm"},
        {"type": "TextMessage", "source": "user", "content": "go"},
    ]

    [trace] = autogen.read(messages, DEFAULT_READ_OPTIONS)

    assert trace.input == "go"
    assert trace.calls == ()


@pytest.mark.parametrize(
    "document",
    [
        {"messages": [requested(call("a"))], "stop_reason": None},
        requested(call("a")),
        {"chat_message": requested(call("a")), "inner_messages": None},
        {
            "chat_message": {"type": "TextMessage", "content": "so"},
            "inner_messages": [requested(call("a"))],
        },
        {"type": "AssistantAgentState", "llm_context": {"messages": [remembered(call("a"))]}},
        {"finish_reason": "function_calls", "content": [call("a")], "usage": {}, "cached": False},
    ],
)
def test_results_responses_and_states_are_read(document: Any) -> None:
    assert autogen.recognizes(document)
    assert [one.id for one in calls(document)] == ["a"]


def test_the_thread_of_a_team_is_taken_where_it_has_the_calls() -> None:
    context = {"agent_state": {"llm_context": {"messages": [remembered(call("a"))]}}}
    others = {"agent_state": {"llm_context": {"messages": [remembered(call("b"))]}}}
    talk = {"type": "TextMessage", "content": "hm"}
    team = {"one": context, "two": others, "manager": {"message_thread": [talk]}}
    whole = {**team, "manager": {"message_thread": [talk, requested(call("c"))]}}

    assert [one.id for one in calls({"agent_states": team})] == ["a", "b"]
    assert [one.id for one in calls({"agent_states": whole})] == ["c"]
    assert autogen.recognizes({"agent_states": team})


def test_lines_of_messages_are_one_document() -> None:
    assert autogen.joins_lines(requested())
    assert not autogen.joins_lines({"type": "TextMessage"})


@pytest.mark.parametrize(
    "document",
    [
        {"messages": [{"type": "ai", "content": ""}]},
        [{"role": "assistant", "content": "x"}],
        [requested(), {"role": "user", "content": "x"}],
        {"type": "message", "role": "assistant", "content": []},
        {"agent_states": {}},
        {"finish_reason": "stop", "content": "x"},
    ],
)
def test_the_documents_of_others_are_left_to_them(document: Any) -> None:
    assert not autogen.recognizes(document)
