"""What is read of the sessions of Kimi Code."""

from __future__ import annotations

from typing import Any

from callscore.formats.dialects import kimi_code
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "context.append_loop_event", "event": {"type": kind, **fields}, "time": 1}


def test_every_step_is_a_message_and_has_its_results() -> None:
    [trace] = kimi_code.read(
        [
            {"type": "turn.prompt", "input": [{"type": "text", "text": "go"}], "time": 1},
            event("step.begin"),
            event("tool.call", toolCallId="1", name="f", args={}),
            event("tool.result", toolCallId="1", result={"output": "x", "isError": True}),
            event("step.begin"),
            event("tool.call", toolCallId="2", name="g", args={}),
        ],
        DEFAULT_READ_OPTIONS,
    )

    assert trace.input == "go"
    assert [(call.name, call.step, call.result, call.failed) for call in trace.calls or ()] == [
        ("f", 0, "x", True),
        ("g", 1, None, None),
    ]


def test_lines_of_others_are_not_recognized() -> None:
    known = event("step.begin")

    assert kimi_code.recognizes([{"type": "llm.request", "time": 1}, known])
    assert not kimi_code.recognizes([{"type": "llm.request", "time": 1}])
    assert not kimi_code.recognizes([known, {"type": "message"}])
    assert not kimi_code.recognizes({"type": "metadata"})
