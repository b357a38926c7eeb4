"""What is read of the sessions of pi, and of agents with the same lines."""

from __future__ import annotations

from typing import Any

from callscore.formats.dialects import pi
from callscore.formats.reading import find_dialect
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace

SESSION = {"type": "session", "id": "s", "timestamp": "2026-01-01", "cwd": "/"}


def line(role: str, content: Any, kind: str = "message", **more: Any) -> dict[str, Any]:
    message = {"role": role, "content": content, **more}
    return {"type": kind, "timestamp": "2026-01-01", "message": message}


def asks(id_: str) -> dict[str, Any]:
    return {"type": "toolCall", "id": id_, "name": "bash", "arguments": {"command": id_}}


def only(*lines: Any) -> Trace:
    [trace] = pi.read([*lines], DEFAULT_READ_OPTIONS)
    return trace


def test_calls_and_results_are_paired_and_commands_of_the_user_are_left_out() -> None:
    trace = only(
        SESSION,
        line("user", "go"),
        line("assistant", [asks("a"), asks("b")]),
        line("toolResult", "1", toolCallId="b", isError=True),
        line("toolResult", "2", toolCallId="a", isError=False),
        line("bashExecution", "ls"),
        line("assistant", [asks("c")]),
    )

    assert (trace.id, trace.input) == ("s", "go")
    assert [(c.id, c.step, c.result, c.failed) for c in trace.calls or ()] == [
        ("a", 0, "2", False),
        ("b", 0, "1", True),
        ("c", 1, None, None),
    ]


def test_an_event_that_repeats_a_message_adds_no_call() -> None:
    message = line("assistant", [asks("a")])

    trace = only(SESSION, {**message, "type": "message_end"}, {**message, "type": "turn_end"})

    assert [call.id for call in trace.calls or ()] == ["a"]


def test_every_session_in_a_file_is_a_run() -> None:
    said = line("assistant", [asks("a")])

    traces = pi.read([SESSION, said, {**SESSION, "id": "t"}, said], DEFAULT_READ_OPTIONS)

    assert [(trace.id, len(trace.calls or ())) for trace in traces] == [("s", 1), ("t", 1)]


def test_lines_of_goose_are_left_to_its_own_format() -> None:
    said = line("assistant", [{"type": "text", "text": "x"}], created=1765495263)

    assert not pi.recognizes(said)
    found = find_dialect(said)
    assert found is not None
    assert found.name == "goose"
