"""What is read of the trajectories of SWE-agent."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.dialects import swe_agent
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace


def entry(role: str, content: Any = "", **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, "agent": "main", **more}


def asks(id_: str, name: str = "open") -> dict[str, Any]:
    call = {"id": id_, "type": "function", "function": {"name": name, "arguments": '{"path": "a"}'}}
    return entry("assistant", action=f"{name} a", tool_calls=[call])


def step(action: Any, observation: Any = "") -> dict[str, Any]:
    return {"action": action, "observation": observation, "thought": "", "state": {}}


def only(document: Any) -> Trace:
    [trace] = swe_agent.read(document, DEFAULT_READ_OPTIONS)
    return trace


def test_a_result_names_its_calls_in_a_list() -> None:
    trace = only(
        {
            "history": [
                entry("user", [{"type": "text", "text": "Fix it."}]),
                asks("a"),
                entry("tool", "x", tool_call_ids=["a"]),
                asks("b"),
                entry("tool", "Error: no", tool_call_id="b"),
            ]
        }
    )

    first, second = trace.calls or ()
    assert trace.input == "Fix it."
    assert (first.id, first.step, first.result, first.failed) == ("a", 0, "x", False)
    assert (second.step, second.result, second.failed) == (1, "Error: no", True)


def test_a_demonstration_in_the_prompt_is_left_out() -> None:
    demo = {**asks("a"), "is_demo": True}

    trace = only({"history": [demo, entry("user", "Fix it."), asks("b")]})

    assert [call.id for call in trace.calls or ()] == ["b"]


def test_commands_are_read_of_the_steps_and_not_again_of_the_messages() -> None:
    said = entry("assistant", action="ls\n", tool_calls=None)

    trace = only({"trajectory": [step("ls\n", "a.py")], "history": [said]})

    [call] = trace.calls or ()
    assert (call.name, call.arguments, call.result) == ("bash", {"command": "ls"}, "a.py")


def test_commands_are_read_of_the_messages_if_there_are_no_steps() -> None:
    trace = only({"history": [entry("assistant", action="ls"), entry("user", "a.py")]})

    assert [call.arguments for call in trace.calls or ()] == [{"command": "ls"}]


def test_what_the_program_wrote_in_place_of_an_action_is_left_out() -> None:
    steps = [step(""), step(None), step("exit_cost"), step("exit_format"), step("exit_forfeit")]

    trace = only({"trajectory": steps, "history": []})

    assert [call.arguments for call in trace.calls or ()] == [{"command": "exit_forfeit"}]


@pytest.mark.parametrize("encoded", [True, False])
def test_a_run_has_the_name_of_its_problem(encoded: bool) -> None:
    config: Any = {"problem_statement": {"id": "shop-1"}}
    if encoded:
        config = '{"problem_statement": {"id": "shop-1"}}'

    assert only({"history": [asks("a")], "replay_config": config}).id == "shop-1"
    assert only({"history": [asks("a")], "instance_id": "shop-2"}).id == "shop-2"


def test_the_chosen_attempt_is_the_run() -> None:
    attempts = [{"trajectory": [step("ls")]}, {"trajectory": [step("pwd")]}]

    chosen = only({"attempts": attempts, "trajectory": [step("pwd")], "history": []})

    assert [call.arguments for call in chosen.calls or ()] == [{"command": "pwd"}]


def test_all_attempts_are_runs_if_none_is_chosen() -> None:
    attempts = [{"trajectory": [step("ls")]}, {"trajectory": [step("pwd")]}]

    traces = swe_agent.read({"attempts": attempts}, DEFAULT_READ_OPTIONS)

    assert swe_agent.recognizes({"attempts": attempts})
    assert [(trace.trial, len(trace.calls or ())) for trace in traces] == [(0, 1), (1, 1)]


def test_a_run_may_end_before_its_first_step() -> None:
    document: dict[str, Any] = {"trajectory": [], "history": [], "info": {"exit_status": None}}

    assert swe_agent.recognizes(document)
    assert only(document).calls == ()


@pytest.mark.parametrize(
    "document",
    [
        {"trajectory": [], "history": []},
        {"history": [{"role": "user", "content": "x"}]},
        {"trajectory": [{"action": "run", "args": {}, "source": "agent"}]},
        {"trajectory": [{"action": "run", "observation": "x"}]},
        {"history": "x", "trajectory": 3, "attempts": [1]},
        [{"history": [asks("a")]}],
    ],
)
def test_look_alikes_are_left_to_others(document: Any) -> None:
    assert not swe_agent.recognizes(document)
