"""tau2-bench: simulations beside their tasks, with calls of the agent and of the user."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import expect
from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.formats.dialects import tau2
from callscore.formats.reading import read_document
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace


def call(name: str, id_: str, requestor: str = "assistant") -> dict[str, Any]:
    return {"id": id_, "name": name, "arguments": {}, "requestor": requestor}


def message(*calls: Any, role: str = "assistant") -> dict[str, Any]:
    return {"role": role, "content": None, "tool_calls": list(calls)}


def answer(id_: str, content: str, **fields: Any) -> dict[str, Any]:
    return {"role": "tool", "id": id_, "content": content, "requestor": "assistant", **fields}


def task(id_: str, *names: str) -> dict[str, Any]:
    actions = [{"action_id": f"{id_}_{name}", "name": name, "arguments": {}} for name in names]
    scenario = {"instructions": f"do {id_}"}
    return {"id": id_, "user_scenario": scenario, "evaluation_criteria": {"actions": actions}}


@pytest.mark.parametrize(
    "document",
    [
        {"task_id": "1", "messages": [{"role": "user", "content": "x"}]},
        {"messages": [message({"function": {"name": "f"}})]},
        {"simulations": []},
        {"task_id": 1, "termination_reason": "user_stop"},
        {"evaluation_criteria": {"actions": None}},
        [task("a"), {"x": 1}],
    ],
)
def test_look_alikes_are_not_claimed(document: Any) -> None:
    assert not tau2.recognizes(document)


def test_a_simulation_without_calls_is_claimed() -> None:
    run = {"task_id": "1", "termination_reason": "max_steps", "messages": None}

    assert tau2.recognizes([run])
    assert tau2.read(run, DEFAULT_READ_OPTIONS) == [Trace(calls=(), id="1")]


def test_a_result_alone_tells() -> None:
    assert tau2.recognizes([{"role": "user", "content": "x"}, answer("1", "x")])


def test_calls_of_the_user_are_marked_and_errors_are_told_by_their_flag() -> None:
    document = [
        message(call("f", "1"), call("g", "2")),
        answer("1", "Error: not really", error=False),
        answer("2", "x", error=True),
        message(call("h", "3", "user"), role="user"),
        answer("3", "Error: x"),
    ]

    (trace,) = tau2.read(document, DEFAULT_READ_OPTIONS)

    assert tau2.recognizes(document)
    assert trace.calls == (
        ToolCall("f", {}, id="1", step=0, result="Error: not really", failed=False),
        ToolCall("g", {}, id="2", step=0, result="x", failed=True),
        ToolCall("h", {}, id="3", step=1, result="Error: x", failed=True, caller="user"),
    )


def test_a_results_file_joins_runs_and_tasks() -> None:
    run = {"task_id": "a", "messages": [message(call("f", "1"))]}
    document = {
        "simulations": [{**run, "trial": 0}, {**run, "trial": 1}, {**run, "task_id": "z"}],
        "tasks": [task("a", "f"), task("b", "g")],
    }
    expected = (ToolCall("f", {}, id="a_f"),)
    calls = (ToolCall("f", {}, id="1", step=0),)

    assert tau2.recognizes(document)
    assert tau2.read(document, DEFAULT_READ_OPTIONS) == [
        Trace(calls=calls, expected=expected, id="a", trial=0, input="do a"),
        Trace(calls=calls, expected=expected, id="a", trial=1, input="do a"),
        Trace(calls=calls, id="z"),
        Trace(expected=(ToolCall("g", {}, id="b_g"),), id="b", input="do b"),
    ]


def test_a_run_without_its_task_may_say_what_it_was_checked_against() -> None:
    checks = [{"action": {"name": "f", "arguments": {}, "requestor": "user"}}]
    run = {"task_id": "a", "messages": [], "reward_info": {"action_checks": checks}}

    (trace,) = tau2.read(run, DEFAULT_READ_OPTIONS)

    assert trace.expected == (ToolCall("f", {}, caller="user"),)


USER_ACTION = {"action_id": "u", "name": "toggle", "arguments": {}, "requestor": "user"}
SOLO_RUN = {"task_id": "a", "messages": [message(call("toggle", "1"))]}


@pytest.mark.parametrize(
    ("user", "messages", "caller"),
    [
        ("dummy_user", [], None),
        ("user_simulator", [], "user"),
        ("user_simulator", [{"role": "user", "content": "x"}], "user"),
        (None, [], None),
        (None, [{"role": "user", "content": "x"}], "user"),
        (None, [answer("2", "x", requestor="user")], "user"),
        (None, [message(call("g", "2", "user"))], "user"),
    ],
)
def test_where_no_user_is_simulated_the_actions_of_the_user_are_the_agents(
    user: str | None, messages: list[Any], caller: str | None
) -> None:
    run = {**SOLO_RUN, "messages": [*messages, message(call("toggle", "1"))]}
    actions = {"evaluation_criteria": {"actions": [USER_ACTION]}}
    document = {
        "info": None if user is None else {"user_info": {"implementation": user}},
        "simulations": [run],
        "tasks": [{"id": "a", "user_scenario": {}, **actions}],
    }
    checked = {**run, "reward_info": {"action_checks": [{"action": USER_ACTION}]}}

    (trace,) = tau2.read(document, DEFAULT_READ_OPTIONS)

    assert trace.expected == (ToolCall("toggle", {}, id="u", caller=caller),)
    if user is None:
        (alone,) = tau2.read(checked, DEFAULT_READ_OPTIONS)
        assert alone.expected == trace.expected


def test_a_run_without_a_call_does_not_say_that_there_was_no_user() -> None:
    checks = [{"action": USER_ACTION}]
    run = {"task_id": "a", "messages": [message()], "reward_info": {"action_checks": checks}}

    (trace,) = tau2.read(run, DEFAULT_READ_OPTIONS)

    assert trace.expected == (ToolCall("toggle", {}, id="u", caller="user"),)


@pytest.mark.parametrize(
    ("compared", "arguments", "error"),
    [
        (None, {"a": 1, "b": 2}, None),
        ([], None, NOT_CAPTURED),
        (["a"], {"a": 1, "b": expect.optional(expect.any())}, None),
        (["a", "b", "z"], {"a": 1, "b": 2, "z": expect.absent()}, None),
    ],
)
def test_an_action_says_which_arguments_are_compared(
    compared: Any, arguments: Any, error: str | None
) -> None:
    action = {"name": "f", "arguments": {"a": 1, "b": 2}, "compare_args": compared}

    (trace,) = tau2.read({"evaluation_criteria": {"actions": [action]}}, DEFAULT_READ_OPTIONS)

    (found,) = trace.any_calls
    assert (found.arguments, found.error) == (arguments, error)


def test_several_results_may_come_in_one_message() -> None:
    document = {
        "messages": [
            message(call("f", "1"), call("g", "2")),
            {"role": "tool", "tool_messages": [answer("2", "y"), answer("1", "x")]},
        ]
    }

    (trace,) = tau2.read(document, DEFAULT_READ_OPTIONS)

    assert [found.result for found in trace.calls or ()] == ["x", "y"]


def test_a_task_without_criteria_says_nothing_about_calls() -> None:
    document = {"id": "a", "user_scenario": {"instructions": "i"}, "evaluation_criteria": None}

    assert tau2.recognizes(document)
    assert tau2.read(document, DEFAULT_READ_OPTIONS) == [Trace(id="a", input="i")]


def test_the_ticks_of_a_spoken_run_are_its_messages() -> None:
    run = {
        "task_id": "a",
        "termination_reason": "user_stop",
        "messages": None,
        "ticks": [
            {"agent_tool_calls": [call("f", "1")], "agent_tool_results": [answer("1", "x")]},
            {"agent_tool_calls": [], "user_tool_calls": [call("g", "2", "user")]},
        ],
    }

    (trace,) = tau2.read(run, DEFAULT_READ_OPTIONS)

    assert trace.calls == (
        ToolCall("f", {}, id="1", step=0, result="x", failed=False),
        ToolCall("g", {}, id="2", step=1, caller="user"),
    )


def shared_results(*requestors: str, user: str = "user_simulator") -> dict[str, Any]:
    shared = task("a", *requestors)
    for action, requestor in zip(shared["evaluation_criteria"]["actions"], requestors, strict=True):
        action["requestor"] = requestor
    talk = [
        message(call("assistant", "1")),
        message(call("user", "2", "assistant" if user == "dummy_user" else "user"), role="user"),
    ]
    run = {"task_id": "a", "termination_reason": "user_stop", "messages": talk}
    info = {"user_info": {"implementation": user}}
    return {"tasks": [shared], "simulations": [run], "info": info}


def names(calls: Any) -> list[tuple[str, str | None]]:
    return [(call.name, call.caller) for call in calls or ()]


def test_calls_of_the_user_count_if_the_task_expects_some() -> None:
    (trace,) = read_document(shared_results("assistant", "user"))

    assert trace.callers == ("agent", "user")
    assert names(trace.calls) == names(trace.expected) == [("assistant", None), ("user", "user")]


def test_calls_of_the_user_do_not_count_if_the_task_expects_none() -> None:
    (trace,) = read_document(shared_results("assistant"))

    assert trace.callers is None
    assert names(trace.calls) == names(trace.expected) == [("assistant", None)]


def test_without_a_user_all_actions_are_those_of_the_agent() -> None:
    (trace,) = read_document(shared_results("assistant", "user", user="dummy_user"))

    assert trace.callers is None
    assert names(trace.calls) == names(trace.expected) == [("assistant", None), ("user", None)]


def test_a_wish_decides_whose_calls_count() -> None:
    document = shared_results("assistant", "user")

    (agents,) = read_document(document, ReadOptions(callers=("agent",)))
    (users,) = read_document(document, ReadOptions(callers=("user",)))

    assert names(agents.calls) == names(agents.expected) == [("assistant", None)]
    assert names(users.calls) == names(users.expected) == [("user", "user")]


def test_a_task_alone_does_not_say_whether_there_is_a_user() -> None:
    (trace,) = read_document(shared_results("assistant", "user")["tasks"])

    assert trace.callers is None
    assert names(trace.expected) == [("assistant", None)]
