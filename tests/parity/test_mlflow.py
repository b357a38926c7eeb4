"""MLflow."""

from __future__ import annotations

from typing import Any

import pytest
from tests.parity.nesting import nested

from callscore import NotScorable, ToolCall
from callscore.parity import mlflow

X = {"name": "x", "arguments": {"a": 1}}
X2 = {"name": "x", "arguments": {"a": 2}}
Y = {"name": "y", "arguments": {}}


def call(value: Any) -> ToolCall:
    return ToolCall("x", {"a": value})


def test_the_order_counts_where_it_is_considered() -> None:
    assert mlflow.tool_call_correctness([X, Y], [Y, X]) == 1.0
    assert mlflow.tool_call_correctness([X, Y], [Y, X], should_consider_ordering=True) == 0.0
    assert mlflow.tool_call_correctness([X, Y], [X, Y], should_consider_ordering=True) == 1.0


def test_other_numbers_of_calls_are_wrong() -> None:
    assert mlflow.tool_call_correctness([X], [X, X]) == 0.0
    assert mlflow.tool_call_correctness([X], []) == 0.0


def test_equal_numbers_of_calls_are_compared_as_sets() -> None:
    assert mlflow.tool_call_correctness([X, X, Y], [X, Y, Y]) == 1.0


@pytest.mark.parametrize("is_ordered", [True, False])
def test_one_expected_call_without_arguments_frees_all_others(is_ordered: bool) -> None:
    bare = ToolCall("y")

    assert (
        mlflow.tool_call_correctness([X, bare], [X2, Y], should_consider_ordering=is_ordered) == 1.0
    )
    assert mlflow.tool_call_correctness([X, Y], [X2, Y], should_consider_ordering=is_ordered) == 0.0


def test_arguments_can_be_left_out_of_it() -> None:
    assert mlflow.tool_call_correctness([X], [X2]) == 0.0
    assert mlflow.tool_call_correctness([X], [X2], include_arguments=False) == 1.0
    assert mlflow.tool_call_correctness([X], [Y], include_arguments=False) == 0.0


def test_actual_arguments_that_were_not_given_are_none() -> None:
    assert mlflow.tool_call_correctness([Y], [{"name": "y"}]) == 1.0
    assert mlflow.tool_call_correctness([X], [ToolCall("x")]) == 0.0


@pytest.mark.parametrize("other", [1.0, True, "1", [1]])
def test_values_are_the_same_where_their_json_is(other: Any) -> None:
    assert mlflow.tool_call_correctness([X], [call(other)]) == 0.0


def test_the_order_of_keys_does_not_matter() -> None:
    assert mlflow.tool_call_correctness([call({"b": 1, "c": 2})], [call({"c": 2, "b": 1})]) == 1.0


def test_something_has_to_be_expected() -> None:
    with pytest.raises(NotScorable, match="at least one expected call"):
        mlflow.tool_call_correctness([], [])


def test_a_value_without_a_text_is_an_error() -> None:
    with pytest.raises(NotScorable, match="cannot be written"):
        mlflow.tool_call_correctness([X], [call(nested())])
