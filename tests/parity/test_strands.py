"""Strands Agents Evals."""

from __future__ import annotations

import pytest

from callscore import NotScorable, ToolCall
from callscore.parity import strands

X = {"name": "x", "arguments": {"a": 1}}
Y = {"name": "y", "arguments": {}}


def test_two_equal_calls_in_both_are_half_by_sets() -> None:
    assert strands.any_order([X, X], [X, X]) == 0.5


def test_extra_calls_cost_nothing() -> None:
    assert strands.any_order([X], [Y, X, Y]) == 1.0
    assert strands.in_order([X], [Y, X, Y]) == 1.0
    assert strands.in_order([], [Y]) == 1.0
    assert strands.any_order([], [Y]) == 1.0
    assert strands.exact([X], [X, Y]) == 1.0


def test_in_order_stops_at_the_first_that_is_missing() -> None:
    assert strands.in_order([X, Y, Y], [Y, Y]) == 0.0
    assert strands.in_order([X, Y], [X]) == 0.5


def test_positions_decide_in_exact() -> None:
    assert strands.exact([X, Y], [Y, X]) == 0.0
    assert strands.exact([X, Y], [X]) == 0.5


def test_nothing_expected_is_an_error_in_exact() -> None:
    with pytest.raises(NotScorable, match="divides"):
        strands.exact([], [X])


def test_items_without_a_hash_are_an_error_in_any_order() -> None:
    with pytest.raises(NotScorable, match="hash"):
        strands.any_order_match_scorer([X], [X])


def test_arguments_count_where_the_items_are_calls() -> None:
    other = ToolCall("x", {"a": 2})

    assert strands.any_order([X], [other]) == 1.0
    assert strands.any_order([X], [other], items="calls") == 0.0
    assert strands.in_order([X], [ToolCall("x", {"a": 1}, id="7")], items="calls") == 1.0
    assert strands.exact([X], [{"name": "x", "arguments": {"a": 1.0}}], items="calls") == 0.0
