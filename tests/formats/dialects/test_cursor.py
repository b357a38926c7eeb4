"""What is read of the transcripts of Cursor."""

from __future__ import annotations

from typing import Any

from callscore.formats.dialects import cursor
from callscore.formats.trace import DEFAULT_READ_OPTIONS


def line(role: str, *content: Any) -> dict[str, Any]:
    return {"role": role, "message": {"content": [*content]}}


def test_a_result_whose_id_no_call_has_belongs_to_the_last_calls_in_order() -> None:
    used = {"type": "tool_use", "name": "Shell", "input": {}}
    done = {"type": "tool_result", "content": "x"}

    [trace] = cursor.read(
        [
            line("user", {"type": "text", "text": "go"}),
            line("assistant", used, {**used, "id": "b"}),
            line(
                "user", {**done, "tool_use_id": "b"}, {**done, "tool_use_id": "9", "content": "y"}
            ),
        ],
        DEFAULT_READ_OPTIONS,
    )

    assert trace.input == "go"
    assert [(call.id, call.result) for call in trace.calls or ()] == [(None, "y"), ("b", "x")]


def test_a_role_within_the_message_or_a_type_beside_it_is_of_other_agents() -> None:
    known = line("user", {"type": "text", "text": "go"})

    assert cursor.recognizes(known)
    assert not cursor.recognizes({**known, "type": "user"})
    assert not cursor.recognizes({**known, "message": {**known["message"], "role": "user"}})
    assert not cursor.recognizes([known, {"role": "user", "content": "go"}])
