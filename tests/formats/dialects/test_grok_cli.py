"""What is read of the sessions of Grok CLI."""

from __future__ import annotations

from typing import Any

from callscore.formats.dialects import grok_cli
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def line(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "content": "x", **more}


def test_what_the_program_adds_is_not_the_question() -> None:
    calls = [{"id": "1", "name": "f", "arguments": "{}"}]

    [trace] = grok_cli.read(
        [
            line("user", synthetic_reason="environment_context"),
            line("user", content="go"),
            line("assistant", tool_calls=calls),
            line("tool_result", tool_call_id="1"),
        ],
        DEFAULT_READ_OPTIONS,
    )

    assert trace.input == "go"
    assert [(call.name, call.result) for call in trace.calls or ()] == [("f", "x")]


def test_lines_of_others_are_not_recognized() -> None:
    known = line("assistant", model_id="grok-4.5")

    assert grok_cli.recognizes([line("user"), known])
    assert not grok_cli.recognizes([line("user"), line("assistant")])
    assert not grok_cli.recognizes([known, line("message")])
    assert not grok_cli.recognizes([known, line("user", role="user")])
    assert not grok_cli.recognizes([known, line("user", message={})])
