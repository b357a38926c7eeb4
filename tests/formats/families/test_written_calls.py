"""Calls in the text of chat messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import (
    anthropic,
    gemini,
    langchain,
    ollama,
    openai_chat,
    openai_stream,
)
from callscore.formats.trace import DEFAULT_READ_OPTIONS

if TYPE_CHECKING:
    from callscore.core.call import ToolCall

ACTION = 'Thought: t\nAction: f\nAction Input: {"x": 1}'
TAGGED = '<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call>'


def calls_of(dialect: Any, document: Any) -> tuple[ToolCall, ...]:
    assert dialect.recognizes(document)
    (trace,) = dialect.read(document, DEFAULT_READ_OPTIONS)
    found: tuple[ToolCall, ...] = trace.calls
    return found


def answer(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


def response(content: Any, **more: Any) -> dict[str, Any]:
    return {"object": "chat.completion", "choices": [{"message": answer(content, **more)}]}


def piece(text: str) -> dict[str, Any]:
    return {"object": "chat.completion.chunk", "choices": [{"delta": {"content": text}}]}


@pytest.mark.parametrize("text", [ACTION, TAGGED])
def test_a_call_that_nothing_parsed_is_read(text: str) -> None:
    block = {"type": "text", "text": text}
    for dialect, document in (
        (openai_chat, response(text)),
        (openai_chat, response([block])),
        (openai_chat, [{"role": "user", "content": "w"}, answer(text)]),
        (openai_stream, [piece(text[:30]), piece(text[30:])]),
        (ollama, {"model": "m", "message": answer(text), "done": True, "created_at": "t"}),
        (langchain, [{"type": "ai", "content": text, "tool_calls": []}]),
        (anthropic, {"type": "message", "stop_reason": "end_turn", **answer([block])}),
        (gemini, {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]}),
    ):
        (call,) = calls_of(dialect, document)
        assert (call.name, call.arguments, call.step) == ("f", {"x": 1}, 0)


def test_the_text_beside_a_call_is_not_read() -> None:
    own = {"id": "a", "type": "function", "function": {"name": "g", "arguments": "{}"}}

    assert [call.name for call in calls_of(openai_chat, response(ACTION, tool_calls=[own]))] == [
        "g"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Write a <tool_call> tag, and then the call.",
        '```json\n{"name": "f", "arguments": {}}\n```',
        "[f(x=1)]",
        "Action: call the bank.",
        "Final Answer: 42",
        None,
    ],
)
def test_what_may_be_an_answer_is_not_taken_for_a_call(text: Any) -> None:
    assert calls_of(openai_chat, response(text)) == ()


def test_what_a_user_writes_is_not_a_call() -> None:
    assert calls_of(openai_chat, [{"role": "user", "content": ACTION}, answer("Fine.")]) == ()


def test_a_result_in_a_single_answer_was_invented() -> None:
    text = f"{ACTION}\nObservation: 18C\nAction: g\nAction Input: {{}}"

    first, second = calls_of(openai_chat, response(text))

    assert (first.name, first.result, first.step) == ("f", None, 0)
    assert (second.name, second.step) == ("g", 1)


def test_results_come_after_the_action_or_in_the_next_message() -> None:
    messages = [
        answer(f"{ACTION}\nObservation: 18C"),
        answer(ACTION),
        {"role": "user", "content": "Observation: Error: none"},
        answer("Final Answer: 42"),
    ]

    for dialect, document in (
        (openai_chat, messages),
        (langchain, [{**each, "type": _KINDS[each["role"]]} for each in messages]),
    ):
        calls = calls_of(dialect, document)
        assert [(call.result, call.failed) for call in calls] == [
            ("18C", False),
            ("Error: none", True),
        ]


_KINDS = {"assistant": "ai", "user": "human"}
