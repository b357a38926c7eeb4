"""What is read of the events of OpenHands, from version 1 on."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.dialects import openhands_sdk
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace


def event(kind: str, source: str = "agent", **more: Any) -> dict[str, Any]:
    return {"kind": kind, "source": source, "id": "e", "timestamp": "2026-02-05", **more}


def acts(id_: str, answer: str | None = "r1", **more: Any) -> dict[str, Any]:
    call = {"id": id_, "name": "terminal", "arguments": '{"command": "ls"}'}
    fields = {"tool_name": "terminal", "tool_call_id": id_, "tool_call": call}
    return event("ActionEvent", **{**fields, "llm_response_id": answer, **more})


def observes(id_: Any, **observation: Any) -> dict[str, Any]:
    return event("ObservationEvent", "environment", tool_call_id=id_, observation=observation)


def only(document: Any) -> Trace:
    [trace] = openhands_sdk.read(document, DEFAULT_READ_OPTIONS)
    return trace


def test_the_actions_of_one_answer_are_one_step() -> None:
    calls = only([acts("a"), acts("b"), acts("c", "r2"), acts("d", None), acts("e", None)]).calls

    assert [call.step for call in calls or ()] == [0, 0, 1, 2, 3]


def test_an_event_that_is_written_twice_is_one_call() -> None:
    assert len(only([acts("a"), acts("a")]).calls or ()) == 1


@pytest.mark.parametrize(
    ("result", "failed"),
    [
        (observes("a", content="x", is_error=True), True),
        (observes("a", content="x", is_error=False, exit_code=2), True),
        (observes("a", content="x", is_error=False, exit_code=-1), False),
        (observes("a", content="x", exit_code=0), False),
        (observes("a", output="Error: x"), True),
        (event("AgentErrorEvent", tool_call_id="a", error="x"), True),
        (event("UserRejectObservation", tool_call_id="a", rejection_reason="x"), True),
    ],
)
def test_a_result_says_whether_the_call_failed(result: dict[str, Any], failed: bool) -> None:
    [call] = only([acts("a"), result]).calls or ()

    assert call.result in ("x", "Error: x")
    assert call.failed is failed


def test_a_result_without_its_call_is_no_call() -> None:
    trace = only([observes("z", content="x"), observes(None), {"kind": 3, "tool_call_id": "a"}])

    assert trace.calls == ()


def test_the_call_may_be_in_the_form_of_the_api_or_missing() -> None:
    function = {"name": "f", "arguments": '{"a": 1}'}
    first, second, third = (
        only(
            [
                acts("a", tool_name=None, tool_call={"id": "a", "function": function}),
                acts("b", tool_call=None, action={"command": "ls", "kind": "TerminalAction"}),
                acts("c", tool_call=None, action=None),
            ]
        ).calls
        or ()
    )

    assert (first.name, first.arguments) == ("f", {"a": 1})
    assert (second.name, second.arguments) == ("terminal", {"command": "ls"})
    assert third.arguments == {}


def test_tools_of_mcp_servers_are_marked() -> None:
    [call] = only([acts("a", action={"kind": "MCPToolAction", "data": {}})]).calls or ()

    assert call.kind == "mcp"


def test_a_reported_call_is_one_however_often_its_state_changes() -> None:
    def reports(id_: str, status: str, **more: Any) -> dict[str, Any]:
        title = {"title": "Run ls", "tool_kind": None, "raw_input": None, "is_error": False}
        return event("ACPToolCallEvent", **{**title, "tool_call_id": id_, "status": status, **more})

    first, second, third = (
        only(
            [
                reports("a", "pending", tool_kind="execute"),
                reports("a", "in_progress", raw_input={"command": "ls"}),
                reports("a", "completed", raw_output="a.py"),
                reports("b", "failed", raw_output="no"),
                reports("c", "pending"),
            ]
        ).calls
        or ()
    )

    assert (first.name, first.arguments) == ("execute", {"command": "ls"})
    assert (first.result, first.failed) == ("a.py", False)
    assert (second.name, second.result, second.failed) == ("Run ls", "no", True)
    assert (third.step, third.result) == (2, None)


@pytest.mark.parametrize("key", ["events", "items", "history"])
def test_events_may_be_under_a_key(key: str) -> None:
    question = event("MessageEvent", "user", llm_message={"content": [{"text": "Fix it."}]})
    document = {key: [question, acts("a")], "instance_id": "shop-1"}

    trace = only(document)

    assert openhands_sdk.recognizes(document)
    assert (trace.id, trace.input, len(trace.calls or ())) == ("shop-1", "Fix it.", 1)


def test_old_versions_list_their_tools_with_schemas() -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    listed = [tool, {"kind": "TerminalTool", "description": "x"}]

    tools = openhands_sdk.read_tools([event("SystemPromptEvent", tools=listed), acts("a")])

    assert [found.name for found in tools] == ["f"]


def test_one_event_may_be_a_file() -> None:
    assert openhands_sdk.recognizes(acts("a"))
    assert openhands_sdk.joins_lines(event("Condensation", "environment"))
    assert len(only(acts("a")).calls or ()) == 1


@pytest.mark.parametrize(
    "document",
    [
        {"kind": "ActionEvent"},
        {"kind": "request", "source": "agent"},
        [{"kind": 3, "source": "agent"}],
        {"events": "x"},
    ],
)
def test_look_alikes_are_left_to_others(document: Any) -> None:
    assert not openhands_sdk.recognizes(document)
