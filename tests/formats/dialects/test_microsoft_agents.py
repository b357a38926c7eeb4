"""What is read of the messages of Microsoft.Extensions.AI and the Agent Framework."""

from __future__ import annotations

from typing import Any

from callscore.formats.dialects import microsoft_agents
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def message(role: Any, *contents: Any) -> dict[str, Any]:
    return {"role": role, "contents": [*contents]}


def test_calls_of_both_languages_have_their_results() -> None:
    dotnet = {"$type": "functionCall", "callId": "1", "name": "f", "arguments": {}}
    python = {"type": "function_call", "call_id": "2", "name": "g", "arguments": "{}"}

    [trace] = microsoft_agents.read(
        [
            message("user", {"$type": "text", "text": "go"}),
            message("assistant", dotnet, python),
            message("tool", {"$type": "functionResult", "callId": "1", "result": 5}),
            message(
                {"value": "tool"}, {"type": "function_result", "call_id": "2", "exception": "no"}
            ),
            message("assistant", {**dotnet, "callId": "3"}),
        ],
        DEFAULT_READ_OPTIONS,
    )

    assert trace.input == "go"
    assert [(call.id, call.step, call.result, call.failed) for call in trace.calls or ()] == [
        ("1", 0, 5, None),
        ("2", 0, "no", True),
        ("3", 1, None, None),
    ]


def test_contents_without_types_are_of_others() -> None:
    assert not microsoft_agents.recognizes([message("user", {"text": "go"})])
    assert not microsoft_agents.recognizes([message("USER", {"type": "TEXT", "text": "go"})])
    assert not microsoft_agents.recognizes([message("user")])
    assert not microsoft_agents.recognizes([[[[[message("user", {"$type": "text"})]]]]])
