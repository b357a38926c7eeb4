"""What is read of the messages of LangChain4j."""

from __future__ import annotations

from typing import Any

from callscore.formats.dialects import langchain4j
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def test_results_belong_to_the_call_with_their_id_or_else_their_name() -> None:
    calls = [{"id": "1", "name": "f"}, {"name": "g", "arguments": "{}"}]
    sunny = {"contents": [{"type": "TEXT", "text": "sunny"}], "type": "TOOL_EXECUTION_RESULT"}

    [trace] = langchain4j.read(
        [
            {"type": "USER", "contents": [{"type": "TEXT", "text": "go"}]},
            {"type": "AI", "toolExecutionRequests": calls},
            {**sunny, "id": "", "toolName": "g"},
            {**sunny, "id": "1", "toolName": "f", "isError": True},
        ],
        DEFAULT_READ_OPTIONS,
    )

    assert trace.input == "go"
    assert [(call.name, call.result, call.failed) for call in trace.calls or ()] == [
        ("f", "sunny", True),
        ("g", "sunny", False),
    ]


def test_messages_of_others_are_not_recognized() -> None:
    known: dict[str, Any] = {"type": "AI", "toolExecutionRequests": []}

    assert langchain4j.recognizes([known, {"type": "SYSTEM", "text": "x"}])
    assert not langchain4j.recognizes([{"type": "SYSTEM", "text": "x"}])
    assert not langchain4j.recognizes([known, {"type": "human"}])
    assert not langchain4j.recognizes({**known, "role": "assistant"})
