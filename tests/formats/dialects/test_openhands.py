"""What is read of the events of OpenHands, before version 1."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.dialects import openhands
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace


def action(kind: str, id_: Any = None, **more: Any) -> dict[str, Any]:
    return {"id": id_, "source": "agent", "action": kind, "args": {}, **more}


def observed(kind: str, cause: Any, content: str = "x", **more: Any) -> dict[str, Any]:
    return {"source": "agent", "observation": kind, "cause": cause, "content": content, **more}


def asked(id_: str, answer: str | None = "r1", arguments: str = '{"command": "ls"}') -> Any:
    function = {"name": "execute_bash", "arguments": arguments}
    choice = {"message": {"tool_calls": [{"id": "other"}, {"id": id_, "function": function}]}}
    return {
        "function_name": "execute_bash",
        "tool_call_id": id_,
        "model_response": {"id": answer, "choices": [choice]},
    }


def only(document: Any) -> Trace:
    [trace] = openhands.read(document, DEFAULT_READ_OPTIONS)
    return trace


def test_a_call_is_what_the_model_asked_for_and_not_what_was_made_of_it() -> None:
    trace = only(
        [
            action("run", 1, args={"command": "ls", "thought": "x"}, tool_call_metadata=asked("a")),
            action("run", 2, tool_call_metadata=asked("b")),
            action("run", 3, tool_call_metadata=asked("c", "r2", "{")),
            observed("run", 2, tool_call_metadata=asked("b")),
        ]
    )

    first, second, third = trace.calls or ()
    assert (first.name, first.arguments, first.id) == ("execute_bash", {"command": "ls"}, "a")
    assert [first.step, second.step, third.step] == [0, 0, 1]
    assert [first.result, second.result] == [None, "x"]
    assert (third.arguments, third.error) == (None, "truncated_json")


def test_an_event_that_is_written_twice_is_one_call() -> None:
    event = action("run", 1, tool_call_metadata=asked("a"))

    assert len(only([event, event]).calls or ()) == 1


def test_without_the_answer_of_the_model_the_fields_of_the_action_are_taken() -> None:
    recorded = {**asked("a"), "model_response": None}
    fields = {"command": "ls", "is_input": False, "thought": "I look."}

    [call] = only([action("run", 1, args=fields, tool_call_metadata=recorded)]).calls or ()

    assert (call.name, call.arguments, call.id) == ("execute_bash", {"command": "ls"}, "a")


def test_tools_of_mcp_servers_are_marked() -> None:
    fields = {"name": "search", "arguments": {"q": "x"}, "thought": ""}

    [call] = only([action("call_tool_mcp", 1, args=fields)]).calls or ()

    assert (call.name, call.arguments, call.kind) == ("search", {"q": "x"}, "mcp")


def test_messages_and_actions_of_the_user_or_of_the_program_are_no_calls() -> None:
    trace = only(
        [
            action("message", args={"content": "I am done."}),
            action("recall"),
            action("condensation"),
            action("run", source="user", args={"command": "ls"}),
            {"source": "agent", "action": None},
        ]
    )

    assert trace.calls == ()


def test_a_result_belongs_to_the_action_that_caused_it() -> None:
    trace = only(
        [
            action("run", 1),
            observed("recall", None),
            observed("run", 7),
            observed("agent_state_changed", None),
            observed("run", 1, "a.py"),
        ]
    )

    [call] = trace.calls or ()
    assert call.result == "a.py"


@pytest.mark.parametrize(
    ("event", "failed"),
    [
        (observed("error", 1), True),
        (observed("user_rejected", 1), True),
        (observed("run", 1, success=False), True),
        (observed("run", 1, success=True, extras={"exit_code": 3}), False),
        (observed("run", 1, extras={"metadata": {"exit_code": 2}}), True),
        (observed("run", 1, extras={"exit_code": 0}), False),
        (observed("run", 1, exit_code=1), True),
        (observed("run", 1, "Error: x", extras={"metadata": {"exit_code": -1}}), True),
        (observed("read", 1), False),
    ],
)
def test_an_observation_says_whether_it_failed(event: dict[str, Any], failed: bool) -> None:
    [call] = only([action("run", 1), event]).calls or ()

    assert call.failed is failed


def test_the_events_of_old_versions_have_their_fields_at_the_top() -> None:
    trace = only(
        {
            "history": [
                {"action": "message", "content": "Fix it."},
                [
                    {"action": "run", "command": "ls", "thought": "", "is_confirmed": "confirmed"},
                    {"observation": "run", "content": "a.py", "exit_code": 0},
                ],
                {"action": "finish", "outputs": {"x": 1}},
            ]
        }
    )

    first, second = trace.calls or ()
    assert trace.input == "Fix it."
    assert (first.name, first.arguments, first.result) == ("run", {"command": "ls"}, "a.py")
    assert (second.name, second.arguments) == ("finish", {"outputs": {"x": 1}})


def test_a_run_has_the_name_of_its_instance_and_a_question() -> None:
    question = action("message", 0, source="user", args={"content": "Fix it."})

    trace = only({"instance_id": "shop-1", "history": [question]})

    assert (trace.id, trace.input) == ("shop-1", "Fix it.")


@pytest.mark.parametrize(
    "document",
    [
        {"instance_id": "shop-1", "instruction": "Fix it.", "test_result": {}, "history": None},
        {"issue": {}, "git_patch": "", "history": []},
    ],
)
def test_a_run_may_have_no_events(document: dict[str, Any]) -> None:
    assert openhands.recognizes(document)
    assert only(document).calls == ()
    assert not openhands.recognizes({**document, "history": [{"kind": "ActionEvent"}]})


def test_one_event_may_be_a_file() -> None:
    assert openhands.recognizes(action("run"))
    assert openhands.joins_lines(observed("run", 1))
    assert len(only(action("run")).calls or ()) == 1


@pytest.mark.parametrize(
    "document",
    [
        {"history": [{"role": "assistant", "action": "run", "agent": "main"}]},
        {"trajectory": [{"action": "run", "observation": "x", "thought": ""}]},
        {"history": [{"action": "buy"}], "events": 3},
        [{"action": "run", "command": "ls"}],
        {"source": "agent", "action": "run"},
        {"source": "shop", "action": "run", "args": {}},
    ],
)
def test_look_alikes_are_left_to_others(document: Any) -> None:
    assert not openhands.recognizes(document)
