"""Cohere: both versions of the API, whole and streamed."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import ToolCall
from callscore.formats.dialects import cohere
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def calls_in(document: Any) -> tuple[ToolCall, ...] | None:
    return cohere.read(document, DEFAULT_READ_OPTIONS)[0].calls


@pytest.mark.parametrize(
    "document",
    [
        {"text": "x", "tool_calls": [{"name": "f", "parameters": {}}]},
        {"text": "x", "generation_id": "g", "tool_calls": [{"function": {"name": "f"}}]},
        {"message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"},
        {"message": {"role": "assistant"}, "finish_reason": "COMPLETE", "done": True},
        {"messages": [{"role": "assistant", "content": "x", "tool_plan": None}]},
        [{"role": "tool", "content": [{"type": "text", "text": "x"}]}],
        [{"role": "USER", "message": "x"}, {"role": "user", "content": "x"}],
        {"chat_history": []},
        {"type": "tool-call-delta", "toolCallId": "c", "argsTextDelta": "{"},
        {"type": "message-end"},
    ],
)
def test_look_alikes_are_not_claimed(document: Any) -> None:
    assert not cohere.recognizes(document)


def test_an_answer_without_calls_is_claimed() -> None:
    assert cohere.recognizes({"text": "x", "generation_id": "g", "tool_calls": None})
    assert calls_in({"text": "x", "generation_id": "g", "tool_calls": None}) == ()


def test_results_of_version_1_find_their_calls_by_name() -> None:
    history = [
        {"role": "CHATBOT", "tool_calls": [{"name": "f", "parameters": {"a": 1}}, {"name": "g"}]},
        {
            "role": "TOOL",
            "tool_results": [
                {"call": {"name": "g"}, "outputs": [{"text": "Error: x"}]},
                {"call": {"name": "f"}, "outputs": [{"n": 1}]},
            ],
        },
    ]
    expected = (
        ToolCall("f", {"a": 1}, step=0, result=[{"n": 1}]),
        ToolCall("g", {}, step=0, result=[{"text": "Error: x"}], failed=True),
    )

    assert cohere.recognizes(history)
    assert calls_in(history) == expected
    assert calls_in({"message": "q", "chat_history": history}) == expected


def test_calls_that_are_not_in_the_history_come_after_it() -> None:
    history = [{"role": "CHATBOT", "tool_calls": [{"name": "f", "parameters": {}}]}]
    document = {"text": "", "tool_calls": [{"name": "g"}], "chat_history": history}

    assert calls_in(document) == (ToolCall("f", {}, step=0), ToolCall("g", {}, step=1))


def test_results_without_a_history_bring_their_calls() -> None:
    call = {"name": "f", "parameters": {"a": 1}}
    document = {"message": "q", "tool_results": [{"call": call, "outputs": []}]}

    assert cohere.recognizes(document)
    assert calls_in(document) == (ToolCall("f", {"a": 1}, step=0, result=[]),)


def test_a_stream_of_version_1_that_ends_with_the_answer_is_read_from_its_end() -> None:
    document = [
        {"event_type": "stream-start", "generation_id": "g"},
        {"event_type": "stream-end", "response": {"tool_calls": [{"name": "f"}]}},
    ]

    assert cohere.recognizes(document)
    assert calls_in(document) == (ToolCall("f", {}, step=0),)


def test_the_pieces_of_version_2_may_come_in_lists() -> None:
    start = {"id": "1", "function": {"name": "f", "arguments": '{"a"'}}
    document = [
        {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": [start]}}},
        {
            "type": "tool-call-delta",
            "index": 0,
            "delta": {"message": {"tool_calls": {"function": {"arguments": ": 1}"}}}},
        },
        {"type": "tool-call-end", "index": 0},
        {"type": "tool-call-start", "index": 1, "delta": {"message": None}},
        {"type": "tool-call-delta", "index": 7, "delta": {"message": None}},
    ]

    assert cohere.recognizes(document)
    assert calls_in(document) == (
        ToolCall("f", {"a": 1}, id="1", step=0),
        ToolCall("", {}, step=0),
    )


def test_messages_with_a_plan_or_with_documents_are_cohere_s() -> None:
    plan = {
        "role": "assistant",
        "tool_plan": "p",
        "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{"}}],
    }
    documents = [{"type": "document", "document": {"data": "x"}}]
    answer = {"role": "tool", "tool_call_id": "1", "content": documents}
    expected = (
        ToolCall("f", None, id="1", step=0, raw="{", error="truncated_json", result=documents),
    )

    assert cohere.recognizes([plan])
    assert cohere.recognizes({"messages": [answer]})
    assert calls_in([plan, answer]) == expected
    assert calls_in({"messages": [plan, answer]}) == expected


def test_the_lines_of_a_stream_are_one_document() -> None:
    assert cohere.joins_lines({"event_type": "stream-start"})
    assert cohere.joins_lines({"type": "message-start", "delta": {"message": {}}})
    assert not cohere.joins_lines({"id": "c", "message": {"role": "assistant"}})


def test_parameters_of_version_1_become_a_schema() -> None:
    tools = [
        {"name": "f", "parameter_definitions": {"a": {"type": "STR", "required": True}, "b": None}},
        {"name": "g", "parameter_definitions": None},
        {"name": None, "parameter_definitions": {}},
    ]

    found = cohere.read_tools({"tools": tools})

    assert [(tool.name, tool.parameters) for tool in found] == [
        (
            "f",
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]},
        ),
        ("g", {"type": "object", "properties": {}}),
    ]


def test_an_answer_of_version_2_is_one_message() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    document = {
        "finish_reason": "TOOL_CALL",
        "message": {"role": "assistant", "tool_calls": [call]},
    }

    assert cohere.recognizes(document)
    assert calls_in(document) == (ToolCall("f", {}, id="1", step=0),)


def test_a_stream_of_version_1_repeats_its_calls_at_the_end() -> None:
    calls = [{"name": "f", "parameters": {}}]
    document = [
        {"event_type": "tool-calls-generation", "tool_calls": calls},
        {"event_type": "stream-end", "response": {"tool_calls": calls}},
    ]

    assert calls_in(document) == (ToolCall("f", {}, step=0),)
