"""Mistral conversations: entries, what Mistral runs itself, and streams."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import ToolCall
from callscore.formats.dialects import mistral
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def call(name: str, id_: str | None = None, arguments: Any = None) -> dict[str, Any]:
    return {"type": "function.call", "tool_call_id": id_, "name": name, "arguments": arguments}


@pytest.mark.parametrize(
    "document",
    [
        {"object": "chat.completion", "choices": []},
        {"outputs": [{"type": "function_call", "arguments": {}}]},
        {"outputs": []},
        {"inputs": "hello"},
        [{"type": "response.output_text.delta"}],
        [call("f"), {"type": "other"}],
    ],
)
def test_look_alikes_are_not_claimed(document: Any) -> None:
    assert not mistral.recognizes(document)


def test_results_find_their_calls_and_end_a_step() -> None:
    document = [
        call("f", "1", '{"a": 1}'),
        call("f", "2", "{'a': 1}"),
        {"type": "function.result", "tool_call_id": "2", "result": "Error: x"},
        {"type": "function.result", "tool_call_id": "1", "result": "y"},
        call("g", "3"),
        {"type": "message.input", "role": "user", "content": "more"},
        call("g", "4"),
    ]

    (trace,) = mistral.read(document, DEFAULT_READ_OPTIONS)

    assert mistral.recognizes(document)
    assert trace.calls == (
        ToolCall("f", {"a": 1}, id="1", step=0, result="y", failed=False),
        ToolCall(
            "f",
            None,
            id="2",
            step=0,
            result="Error: x",
            failed=True,
            raw="{'a': 1}",
            error="invalid_json",
        ),
        ToolCall("g", {}, id="3", step=1),
        ToolCall("g", {}, id="4", step=2),
    )


def test_what_mistral_runs_itself_is_marked() -> None:
    document = {
        "object": "conversation.response",
        "outputs": [
            {"type": "tool.execution", "id": "t", "name": "web_search", "info": {"results": 1}},
            {"type": "tool.execution", "name": "code_interpreter", "info": {"code": "1"}},
            {"type": "message.output", "content": "x"},
        ],
    }

    (trace,) = mistral.read(document, DEFAULT_READ_OPTIONS)

    assert trace.calls == (
        ToolCall("web_search", {}, id="t", step=0, kind="hosted", result={"results": 1}),
        ToolCall("code_interpreter", {"code": "1"}, step=0, kind="hosted"),
    )


def test_the_events_of_a_stream_may_stand_without_their_names() -> None:
    document = [
        {"type": "conversation.response.started", "conversation_id": "c"},
        {"type": "function.call.delta", "output_index": 0, "name": "f", "arguments": '{"a": '},
        {"type": "function.call.delta", "output_index": 0, "name": "f", "arguments": "1}"},
    ]

    assert mistral.recognizes(document)
    assert mistral.recognizes(document[0])
    assert mistral.joins_lines({"event": "x", "data": document[0]})
    assert not mistral.joins_lines(call("f"))
    assert mistral.read(document, DEFAULT_READ_OPTIONS)[0].calls == (
        ToolCall("f", {"a": 1}, step=0),
    )


def test_a_request_offers_tools() -> None:
    tools = [{"type": "function", "function": {"name": "f"}}, {"type": "web_search"}]

    assert [tool.name for tool in mistral.read_tools({"tools": tools})] == ["f"]
