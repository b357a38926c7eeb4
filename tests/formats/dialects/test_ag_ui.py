"""What is read of the events of AG-UI."""

from __future__ import annotations

from typing import Any

from callscore.formats.dialects import ag_ui
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def test_chunks_without_an_id_continue_the_last_call_and_the_end_may_be_missing() -> None:
    [trace] = ag_ui.read(
        [
            {"type": "TOOL_CALL_CHUNK", "toolCallId": "1", "toolCallName": "f", "delta": '{"a"'},
            {"type": "TOOL_CALL_CHUNK", "delta": ": 1}"},
            {"type": "TOOL_CALL_RESULT", "toolCallId": "1", "content": "x"},
            {"type": "TOOL_CALL_START", "toolCallId": "2", "toolCallName": "g"},
        ],
        DEFAULT_READ_OPTIONS,
    )

    assert [(c.name, c.arguments, c.step, c.result) for c in trace.calls or ()] == [
        ("f", {"a": 1}, 0, "x"),
        ("g", {}, 1, None),
    ]


def test_types_that_others_have_are_not_enough() -> None:
    event: dict[str, Any] = {"type": "CUSTOM", "name": "x"}

    assert not ag_ui.recognizes([event])
    assert ag_ui.recognizes([event, {"type": "RUN_STARTED", "runId": "1"}])
    assert not ag_ui.recognizes([{"type": "RUN_STARTED", "runId": "1"}, {"type": "text"}])
