"""What is read of the sessions of OpenCode."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.dialects import opencode
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace


def part(id_: str, message: str = "m1", session: str | None = "s", **state: Any) -> dict[str, Any]:
    fields = {"id": f"p{id_}", "callID": id_, "messageID": message, "sessionID": session}
    return {**fields, "type": "tool", "tool": "bash", "state": {"status": "completed", **state}}


def said(role: str, *parts: Any, id_: str = "m1") -> dict[str, Any]:
    return {"info": {"id": id_, "role": role, "sessionID": "s"}, "parts": [*parts]}


def updated(found: dict[str, Any]) -> dict[str, Any]:
    return {"type": "message.part.updated", "properties": {"part": found}}


def session(id_: str, **more: Any) -> dict[str, Any]:
    return {"type": "session.updated", "properties": {"info": {"id": id_, **more}}}


def only(document: Any) -> Trace:
    [trace] = opencode.read(document, DEFAULT_READ_OPTIONS)
    return trace


@pytest.mark.parametrize(
    ("state", "result", "failed"),
    [
        ({"output": "x", "metadata": {"exit": 0}}, "x", False),
        ({"output": "x", "metadata": {"exit": 1}}, "x", True),
        ({"output": "Error is a word", "metadata": {}}, "Error is a word", False),
        ({"status": "error", "error": "denied"}, "denied", True),
        ({"status": "success", "output": "x"}, "x", False),
        ({"status": "running"}, None, None),
    ],
)
def test_the_state_has_the_result(state: dict[str, Any], result: Any, failed: Any) -> None:
    [call] = only([part("a", **state)]).calls or ()

    assert (call.result, call.failed) == (result, failed)


def test_the_arguments_of_a_call_that_has_not_begun_are_incomplete() -> None:
    cut = part("a", status="pending", input={}, raw='{"command": "l')
    empty = part("b", status="pending", input={}, raw="")

    first, second = only([cut, empty]).calls or ()

    assert (first.raw, first.error) == ('{"command": "l', "truncated_json")
    assert (second.arguments, second.error) == (None, "truncated_json")


def test_arguments_that_an_export_hides_are_not_captured() -> None:
    [call] = only([part("a", input={"redacted": "tool-input:p1"})]).calls or ()

    assert (call.arguments, call.error) == (None, "not_captured")


def test_the_calls_of_one_message_up_to_the_next_step_belong_together() -> None:
    start = {"type": "step-start", "id": "x", "messageID": "m1", "sessionID": "s"}
    parts = [part("a"), part("b"), start, part("c"), part("d", "m2")]

    assert [call.step for call in only(parts).calls or ()] == [0, 0, 1, 2]


def test_a_part_counts_once_in_its_last_state() -> None:
    trace = only(
        [
            session("s"),
            updated(part("a", status="pending", input={}, raw="")),
            updated(part("b", input={})),
            {"payload": updated(part("a", input={"command": "ls"}, output="x"))},
            {"type": "session.idle", "properties": {"sessionID": "s"}},
        ]
    )

    first, second = trace.calls or ()
    assert (first.id, first.arguments, first.result) == ("a", {"command": "ls"}, "x")
    assert second.id == "b"


def test_every_session_is_a_run_and_those_of_subagents_are_marked() -> None:
    traces = opencode.read(
        [
            session("s"),
            session("t", parentID="s"),
            updated(part("a", session="s")),
            updated(part("b", session="t")),
        ],
        DEFAULT_READ_OPTIONS,
    )

    found = [(trace.id, [call.caller for call in trace.calls or ()]) for trace in traces]
    assert found == [("s", [None]), ("t", ["subagent"])]


def test_an_exported_session_has_a_name_and_a_question() -> None:
    note = {"type": "text", "text": "Called the Read tool", "synthetic": True}
    question = said("user", note, {"type": "text", "text": "Fix it."}, id_="m0")
    bare = {key: value for key, value in part("a").items() if key not in ("sessionID", "messageID")}
    document = {
        "info": {"id": "s", "parentID": "r"},
        "messages": [question, said("assistant", bare)],
    }

    trace = only(document)

    [call] = trace.calls or ()
    assert opencode.recognizes(document)
    assert (trace.id, trace.input, call.caller) == ("s", "Fix it.", "subagent")


def test_the_next_version_has_calls_in_the_content() -> None:
    state = {"status": "completed", "input": {"command": "ls"}, "content": [{"type": "text"}]}
    document = [
        {
            "type": "assistant",
            "content": [{"type": "tool", "id": "a", "name": "bash", "state": state}],
        }
    ]

    [call] = only(document).calls or ()

    assert opencode.recognizes(document)
    assert (call.name, call.id, call.arguments) == ("bash", "a", {"command": "ls"})


def test_a_session_may_be_empty() -> None:
    document: dict[str, Any] = {"info": {"id": "s"}, "messages": []}

    assert opencode.recognizes(document)
    assert (only(document).id, only(document).calls) == ("s", ())
    assert only([]).calls == ()


def test_lines_are_joined_and_a_whole_session_is_not() -> None:
    assert opencode.joins_lines({"type": "text", "sessionID": "s", "part": {}})
    assert opencode.joins_lines({"type": "server.connected", "properties": {}})
    assert opencode.joins_lines(part("a"))
    assert not opencode.joins_lines({"type": "object", "properties": {}})
    assert not opencode.joins_lines({"info": {"id": "s"}, "messages": [said("user")]})


@pytest.mark.parametrize(
    "document",
    [
        {"info": {"mini_version": "1"}, "messages": [{"role": "user"}]},
        {"type": "tool", "content": "x", "tool_call_id": "a"},
        {"type": "tool_use", "id": "a", "name": "f", "input": {}},
        {"type": "session.updated", "properties": "x"},
        [{"type": "assistant", "message": {"role": "assistant", "content": []}}],
        {"role": "user", "parts": [{"type": "text"}]},
    ],
)
def test_look_alikes_are_left_to_others(document: Any) -> None:
    assert not opencode.recognizes(document)
