"""What is read of the sessions of Qwen Code."""

from __future__ import annotations

from typing import Any

from callscore.formats.dialects import claude_code, qwen_code
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def line(kind: str, role: str, *parts: Any, **more: Any) -> dict[str, Any]:
    return {"type": kind, "sessionId": "s", "message": {"role": role, "parts": [*parts]}, **more}


def called(id_: str) -> dict[str, Any]:
    return {"functionCall": {"id": id_, "name": "ls", "args": {}}}


def answered(id_: str, value: Any) -> dict[str, Any]:
    return {"functionResponse": {"id": id_, "name": "ls", "response": value}}


def test_the_status_beside_a_result_decides_whether_the_call_failed() -> None:
    [trace] = qwen_code.read(
        [
            line("user", "user", {"text": "go"}),
            line("assistant", "model", called("a"), called("b"), called("c")),
            line("tool_result", "user", answered("a", 1), toolCallResult={"status": "success"}),
            line("tool_result", "user", answered("b", 2), toolCallResult={"status": "cancelled"}),
            line("tool_result", "user", answered("c", {"error": "no"})),
        ],
        DEFAULT_READ_OPTIONS,
    )

    assert (trace.id, trace.input) == ("s", "go")
    assert [(call.step, call.result, call.failed) for call in trace.calls or ()] == [
        (0, 1, False),
        (0, 2, True),
        (0, {"error": "no"}, True),
    ]


def test_every_session_is_a_run() -> None:
    lines = [line("assistant", "model", called("a")), line("assistant", "model", called("b"))]

    traces = qwen_code.read([lines[0], {**lines[1], "sessionId": "t"}], DEFAULT_READ_OPTIONS)

    assert [(trace.id, len(trace.calls or ())) for trace in traces] == [("s", 1), ("t", 1)]


def test_lines_are_told_from_those_of_claude_code() -> None:
    said = line("user", "user", {"text": "go"})
    other = {**said, "message": {"role": "user", "content": "go"}}

    assert qwen_code.recognizes(said)
    assert not claude_code.recognizes(said)
    assert claude_code.recognizes(other)
    assert not qwen_code.recognizes(other)
