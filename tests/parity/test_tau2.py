"""The action check of tau2-bench."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import ToolCall, expect
from callscore.core.call import NOT_CAPTURED
from callscore.core.case import Group
from callscore.errors import NotScorable
from callscore.formats.dialects import tau2 as dialect
from callscore.formats.trace import ReadOptions
from callscore.metrics.metric import Metric
from callscore.parity.tau2 import METRICS, action_checks, action_reward, partial_action_reward


def call(name: str, /, **more: Any) -> dict[str, Any]:
    return {"name": name, "arguments": more.pop("arguments", {}), **more}


def test_an_action_is_met_by_name_and_all_arguments_of_the_call() -> None:
    action = call("f", arguments={"a": 1, "b": 2})

    assert action_checks([action], [call("f", arguments={"b": 2, "a": 1})]) == (True,)
    assert action_checks([action], [call("f", arguments={"a": 1, "b": 3})]) == (False,)
    assert action_checks([action], [call("g", arguments={"a": 1, "b": 2})]) == (False,)
    assert action_checks([action], [call("f", arguments={"a": 1, "c": 2})]) == (False,)


def test_the_arguments_that_the_action_has_more_of_are_not_missed() -> None:
    assert action_checks(
        [call("f", arguments={"a": 1, "b": 2})], [call("f", arguments={"a": 1})]
    ) == (True,)


def test_a_call_without_arguments_meets_any_action_of_its_name() -> None:
    assert action_checks([call("f", arguments={"a": 1})], [call("f")]) == (True,)
    assert action_checks([call("f", arguments={"a": 1})], [{"name": "f"}]) == (True,)
    assert action_checks([call("f", arguments={"a": 1}, compare_args=["a"])], [call("f")]) == (
        False,
    )


def test_only_the_named_arguments_are_compared() -> None:
    action = call("f", arguments={"a": 1, "b": 2}, compare_args=["a", "z"])

    assert action_checks([action], [call("f", arguments={"a": 1, "b": 3})]) == (True,)
    assert action_checks([action], [call("f", arguments={"a": 2, "b": 2})]) == (False,)
    assert action_checks([action], [call("f", arguments={"a": 1, "z": None})]) == (False,)


def test_no_named_argument_is_met_by_the_name_alone() -> None:
    action = call("f", arguments={"a": 1}, compare_args=[])

    assert action_checks([action], [call("f", arguments={"a": 2})]) == (True,)


def test_true_is_one() -> None:
    assert action_checks([call("f", arguments={"a": True})], [call("f", arguments={"a": 1})]) == (
        True,
    )


def test_one_call_meets_several_actions_and_extra_calls_are_free() -> None:
    action = call("f", arguments={"a": 1})

    assert action_checks([action, action], [call("g"), action]) == (True, True)


def test_who_called_is_compared_only_if_asked_for() -> None:
    action = call("f", requestor="user")
    by_user = call("f", requestor="user")

    assert action_checks([action], [call("f")]) == (True,)
    assert action_checks([action], [call("f")], same_requestor=True) == (False,)
    assert action_checks([action], [by_user], same_requestor=True) == (True,)
    assert action_checks([call("f")], [ToolCall("f")], same_requestor=True) == (True,)
    assert action_checks([call("f")], [ToolCall("f", caller="user")], same_requestor=True) == (
        False,
    )
    assert action_checks([action], [ToolCall("f", caller="user")], same_requestor=True) == (True,)


@pytest.mark.parametrize("compared", [None, [], ["a"], ["a", "z"], ["z"]])
def test_actions_that_were_read_are_met_by_the_same_calls(compared: Any) -> None:
    action = call("f", arguments={"a": 1, "b": 2}, compare_args=compared)
    (trace,) = dialect.read(
        {"id": "t", "user_scenario": {}, "evaluation_criteria": {"actions": [action]}},
        ReadOptions(),
    )
    calls = [
        call("f", arguments=arguments)
        for arguments in ({"a": 1, "b": 2}, {"a": 1}, {"a": 2, "b": 2}, {"a": 1, "z": 0}, {})
    ]

    assert trace.expected is not None
    for made in calls:
        assert action_checks(trace.any_calls, [made]) == action_checks([action], [made])
        assert Metric("m", action_reward, {}, knows_rules=True).of(
            trace.expected, [ToolCall("f", made["arguments"])]
        ) == action_reward([action], [made])


def test_an_action_without_arguments_is_met_by_any() -> None:
    made = [call("f", arguments={"a": 2})]

    assert action_checks([ToolCall("f")], made) == (True,)
    assert action_checks([ToolCall("f", error=NOT_CAPTURED)], made) == (True,)
    assert action_checks([ToolCall("f", {})], made) == (False,)


def test_other_rules_and_groups_are_not_scored() -> None:
    for rule in (expect.regex("x"), expect.optional("x"), [expect.any()]):
        with pytest.raises(NotScorable, match="which tau2-bench does not have"):
            action_checks([call("f", arguments={"a": rule})], [call("f", arguments={"a": "x"})])
    with pytest.raises(NotScorable, match="groups"):
        action_checks([Group("any_order", ())], [])  # type: ignore[list-item]  # on purpose


def test_the_reward_is_for_all_actions_and_the_partial_one_for_some() -> None:
    expected = [call("f"), call("g")]

    assert action_reward(expected, expected) == 1.0
    assert action_reward(expected, [call("f")]) == 0.0
    assert partial_action_reward(expected, [call("f")]) == 0.5
    by_user = [call("f", requestor="user")]
    assert partial_action_reward(by_user, [call("f")]) == 1.0
    assert partial_action_reward(by_user, [call("f")], same_requestor=True) == 0.0


def test_without_an_expected_action_there_is_a_reward_but_no_share() -> None:
    assert action_checks([], [call("f")]) == ()
    assert action_reward([], [call("f")]) == 1.0
    assert partial_action_reward([], [call("f")]) is None


def test_the_metrics_take_cases() -> None:
    made = ToolCall("f", {"a": 1})

    assert [Metric("m", metric, {}).of([made], [made]) for metric in METRICS] == [1.0, 1.0]


def test_compare_args_has_to_be_a_list() -> None:
    with pytest.raises(NotScorable, match="a list of argument names"):
        action_checks([call("f", compare_args="a")], [])


def test_what_is_nested_too_deeply_is_not_scored() -> None:
    values: list[Any] = []
    for _ in range(2):
        value: list[Any] = []
        for _ in range(100_000):
            value = [value]
        values.append(value)

    with pytest.raises(NotScorable, match="nested so deeply"):
        action_checks(
            [call("f", arguments={"a": values[0]})], [call("f", arguments={"a": values[1]})]
        )
