"""What is read of the interface messages of Cline and Roo Code."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore.formats.dialects import cline_ui
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace


def says(what: str, text: Any = "", kind: str = "say", **more: Any) -> dict[str, Any]:
    shown = text if isinstance(text, str) else msgspec.json.encode(text).decode()
    return {"ts": 1, "type": kind, kind: what, "text": shown, **more}


def only(*messages: dict[str, Any]) -> Trace:
    [trace] = cline_ui.read([*messages], DEFAULT_READ_OPTIONS)
    return trace


def test_what_a_call_wrote_is_an_argument_and_what_it_read_is_its_result() -> None:
    first, second, third = (
        only(
            says("tool", {"tool": "newFileCreated", "path": "a", "content": "x"}),
            says("tool", {"tool": "searchFiles", "path": "a", "regex": "r", "content": "found"}),
            says("tool", {"tool": "readFile", "path": "a", "content": "/home/a", "reason": "r"}),
        ).calls
        or ()
    )

    assert (first.arguments, first.result) == ({"path": "a", "content": "x"}, None)
    assert (second.arguments, second.result) == ({"path": "a", "regex": "r"}, "found")
    assert (third.arguments, third.result) == ({"path": "a"}, None)


def test_the_output_of_a_command_comes_in_pieces() -> None:
    first, second = (
        only(
            says("command", "lsREQ_APP", "ask"),
            says("command_output", "a"),
            says("command_output", ""),
            says("command_output", "b", "ask"),
            says("command", "pwd"),
            says("command_output", "/home"),
        ).calls
        or ()
    )

    assert (first.name, first.arguments) == ("execute_command", {"command": "ls"})
    assert (first.result, second.result) == ("a\nb", "/home")
    assert [first.step, second.step] == [0, 1]


def test_servers_and_the_browser_are_called() -> None:
    call = {"type": "use_mcp_tool", "serverName": "s", "toolName": "f", "arguments": '{"a": 1}'}
    resource = {"type": "access_mcp_resource", "serverName": "s", "uri": "u"}

    calls = (
        only(
            says("use_mcp_server", call, "ask"),
            says("mcp_server_response", "Error: no"),
            says("use_mcp_server", resource),
            says("browser_action_launch", "https://x"),
            says("browser_action_result", "{}"),
            says("browser_action", {"action": "click"}),
        ).calls
        or ()
    )

    assert [(made.name, made.arguments, made.kind, made.failed) for made in calls] == [
        ("f", {"a": 1}, "mcp", True),
        ("access_mcp_resource", {"serverName": "s", "uri": "u"}, "mcp", None),
        ("browser_action", {"action": "launch", "url": "https://x"}, None, False),
        ("browser_action", {"action": "click"}, None, None),
    ]


def test_requests_notes_and_unfinished_messages_are_no_calls() -> None:
    trace = only(
        says("text", "Fix it."),
        says("api_req_started", {"request": "<read_file>"}),
        says("tool", {"tool": "readFile"}, partial=True),
        says("completion_result", "Done."),
        {"ts": 1, "type": "ask", "ask": "command"},
        {"ts": 1, "type": "say", "say": 3, "text": "x"},
    )

    assert (trace.input, trace.calls, trace.view) == ("Fix it.", (), "executed")


def test_a_call_that_cannot_be_read_is_still_a_call() -> None:
    [call] = only(says("tool", "{")).calls or ()

    assert (call.name, call.error) == ("", "not_captured")


def test_messages_are_claimed_and_look_alikes_are_not() -> None:
    assert cline_ui.recognizes(says("text"))
    assert cline_ui.recognizes([says("tool", kind="ask")])
    assert cline_ui.joins_lines(says("text"))
    assert len(cline_ui.read(says("command", "ls"), DEFAULT_READ_OPTIONS)[0].calls or ()) == 1


@pytest.mark.parametrize(
    "document",
    [{"type": "say", "say": "text"}, {"ts": 1, "type": "say", "ask": "x"}, {"ts": 1, "type": "x"}],
)
def test_look_alikes_are_left_to_others(document: Any) -> None:
    assert not cline_ui.recognizes(document)
