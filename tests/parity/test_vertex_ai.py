"""Vertex AI."""

from __future__ import annotations

from typing import Any

import pytest
from tests.parity.nesting import nested

from callscore import InvalidSettings, NotScorable, ToolCall
from callscore.metrics.registry import metric_named
from callscore.parity import vertex_ai

X = {"name": "x", "arguments": {"a": 1}}
X2 = {"name": "x", "arguments": {"a": 2}}
Y = {"name": "y", "arguments": {}}


def call(value: Any) -> ToolCall:
    return ToolCall("x", {"a": value})


def test_exact_wants_the_same_calls_in_the_same_order() -> None:
    assert vertex_ai.trajectory_exact_match([X, Y], [X, Y]) == 1.0
    assert vertex_ai.trajectory_exact_match([X, Y], [Y, X]) == 0.0
    assert vertex_ai.trajectory_exact_match([X], [X2]) == 0.0
    assert vertex_ai.trajectory_exact_match([], []) == 1.0


def test_in_order_lets_others_stand_in_between() -> None:
    assert vertex_ai.trajectory_in_order_match([X, Y], [X, X2, Y]) == 1.0
    assert vertex_ai.trajectory_in_order_match([X, Y], [Y, X]) == 0.0
    assert vertex_ai.trajectory_in_order_match([], [X]) == 1.0


def test_any_order_wants_each_call_as_often_as_expected() -> None:
    assert vertex_ai.trajectory_any_order_match([X, Y], [Y, X2, X]) == 1.0
    assert vertex_ai.trajectory_any_order_match([X, X], [X, Y]) == 0.0
    assert vertex_ai.trajectory_any_order_match([], [X]) == 1.0


def test_precision_looks_for_each_actual_call_by_itself() -> None:
    assert vertex_ai.trajectory_precision([X, Y], [X, X, X2]) == 2 / 3
    assert vertex_ai.trajectory_precision([], [X]) == 0.0


def test_recall_looks_for_each_expected_call_by_itself() -> None:
    assert vertex_ai.trajectory_recall([X, X, X2], [X, Y]) == 2 / 3
    assert vertex_ai.trajectory_recall([X], []) == 0.0


def test_a_share_of_no_calls_is_not_defined() -> None:
    with pytest.raises(NotScorable, match="actual calls"):
        vertex_ai.trajectory_precision([X], [])
    with pytest.raises(NotScorable, match="expected calls"):
        vertex_ai.trajectory_recall([], [X])


def test_single_tool_use_asks_for_one_tool_by_name() -> None:
    assert vertex_ai.trajectory_single_tool_use([], [Y, X2], tool_name="x") == 1.0
    assert vertex_ai.trajectory_single_tool_use([X], [Y], tool_name="x") == 0.0


def test_single_tool_use_has_to_be_told_the_tool() -> None:
    with pytest.raises(TypeError, match="tool_name"):
        vertex_ai.trajectory_single_tool_use([X], [X])  # type: ignore[call-arg]  # the mistake
    with pytest.raises(InvalidSettings, match="requires tool_name"):
        metric_named("vertex_ai.trajectory_single_tool_use")
    told = metric_named("vertex_ai.trajectory_single_tool_use:tool_name=x")
    assert told.of([], [call(1)]) == 1.0


def test_what_each_does_not_see() -> None:
    assert vertex_ai.trajectory_in_order_match([X], [Y, X, Y]) == 1.0
    assert vertex_ai.trajectory_any_order_match([X], [Y, X, Y]) == 1.0
    assert vertex_ai.trajectory_precision([X, Y], [X, X]) == 1.0
    assert vertex_ai.trajectory_recall([X, X], [X, Y]) == 1.0


def test_arguments_are_the_same_where_they_are_the_same_json() -> None:
    assert vertex_ai.trajectory_exact_match([X], [call(1.0)]) == 1.0
    assert vertex_ai.trajectory_exact_match([X], [call(True)]) == 0.0
    assert vertex_ai.trajectory_exact_match([call({"b": 1, "c": 2})], [call({"c": 2, "b": 1})])
    assert vertex_ai.trajectory_exact_match([Y], [ToolCall("y")]) == 1.0


def test_any_depth_can_be_compared() -> None:
    assert vertex_ai.trajectory_exact_match([call(nested(5000))], [call(nested(5000))]) == 1.0
