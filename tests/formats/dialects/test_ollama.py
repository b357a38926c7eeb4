"""Ollama: answers, streams of them, and requests."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import ToolCall
from callscore.formats.dialects import ollama
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def answer(*names: str, done: bool = False) -> dict[str, Any]:
    calls = [{"function": {"name": name, "arguments": {}}} for name in names]
    return {"message": {"role": "assistant", "tool_calls": calls}, "done": done}


@pytest.mark.parametrize(
    "document",
    [
        {"message": {"role": "assistant"}},
        {"message": "x", "done": True},
        {"messages": [{"role": "tool", "content": "x"}]},
        [
            {
                "role": "assistant",
                "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": {}}}],
            }
        ],
        [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}],
        [{"role": "assistant", "tool_calls": ["x"]}],
    ],
)
def test_look_alikes_are_not_claimed(document: Any) -> None:
    assert not ollama.recognizes(document)


def test_each_answer_in_a_list_is_a_run_and_its_pieces_are_one_message() -> None:
    document = [answer("f"), answer("g", done=True), answer("h")]

    traces = ollama.read(document, DEFAULT_READ_OPTIONS)

    assert ollama.recognizes(document)
    assert [trace.calls for trace in traces] == [
        (ToolCall("f", {}, step=0), ToolCall("g", {}, step=0)),
        (ToolCall("h", {}, step=0),),
    ]


def test_only_what_goes_on_in_the_next_line_is_joined() -> None:
    assert ollama.joins_lines(answer("f"))
    assert not ollama.joins_lines(answer("f", done=True))


def test_results_name_the_tool_or_the_call() -> None:
    document = [
        {"role": "user", "content": "q"},
        {"role": "user", "content": "more"},
        answer("f", "g", "f")["message"],
        {"role": "tool", "tool_name": "g", "content": "1"},
        {"role": "tool", "tool_name": "f", "content": "Error: x"},
        {"role": "tool", "tool_name": "f", "content": "3"},
    ]

    (trace,) = ollama.read(document, DEFAULT_READ_OPTIONS)

    assert ollama.recognizes(document)
    assert trace.input == "q"
    assert [(call.name, call.result, call.failed) for call in trace.calls or ()] == [
        ("f", "Error: x", True),
        ("g", "1", False),
        ("f", "3", False),
    ]


def test_a_request_offers_tools() -> None:
    tools = [{"type": "function", "function": {"name": "f"}}]

    assert [tool.name for tool in ollama.read_tools({"tools": tools})] == ["f"]


def test_an_answer_alone_is_a_run() -> None:
    (trace,) = ollama.read(answer("f", done=True), DEFAULT_READ_OPTIONS)

    assert trace.calls == (ToolCall("f", {}, step=0),)
