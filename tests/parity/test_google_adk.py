"""Google's Agent Development Kit."""

from __future__ import annotations

import pytest
from tests.parity.nesting import nested

from callscore import InvalidSettings, NotScorable, ToolCall
from callscore.parity import google_adk

X = {"name": "x", "arguments": {"a": 1}}
Y = {"name": "y", "arguments": {}}


def test_exact_wants_the_same_calls_in_the_same_order() -> None:
    assert google_adk.trajectory([X, Y], [X, Y]) == 1.0
    assert google_adk.trajectory([X, Y], [Y, X]) == 0.0
    assert google_adk.trajectory([X], [X, Y]) == 0.0
    assert google_adk.trajectory([], []) == 1.0
    assert google_adk.trajectory([], [X]) == 0.0


def test_in_order_lets_others_stand_in_between() -> None:
    assert google_adk.trajectory([X, X], [X, Y, X], match_type="IN_ORDER") == 1.0
    assert google_adk.trajectory([X, Y], [Y, X], match_type="IN_ORDER") == 0.0
    assert google_adk.trajectory([X, X], [Y, X], match_type="IN_ORDER") == 0.0


def test_any_order_wants_each_call_as_often_as_expected() -> None:
    assert google_adk.trajectory([X, Y], [Y, Y, X], match_type="ANY_ORDER") == 1.0
    assert google_adk.trajectory([X, X], [X, Y], match_type="ANY_ORDER") == 0.0


def test_where_nothing_is_expected_anything_goes_but_in_exact() -> None:
    assert google_adk.trajectory([], [X], match_type="IN_ORDER") == 1.0
    assert google_adk.trajectory([], [X], match_type="ANY_ORDER") == 1.0


@pytest.mark.parametrize("match", ["EXACT", "IN_ORDER", "ANY_ORDER"])
def test_arguments_count_unless_they_are_ignored(match: google_adk.MatchType) -> None:
    other = {"name": "x", "arguments": {"a": 2}}

    assert google_adk.trajectory([X], [other], match_type=match) == 0.0
    assert google_adk.trajectory([X], [other], match_type=match, ignore_args=True) == 1.0
    assert google_adk.trajectory([X], [Y], match_type=match, ignore_args=True) == 0.0


def test_values_are_those_of_python_and_none_is_not_an_empty_object() -> None:
    assert google_adk.trajectory([X], [ToolCall("x", {"a": True}, id="7")]) == 1.0
    assert google_adk.trajectory([ToolCall("y")], [Y]) == 0.0
    assert google_adk.trajectory([ToolCall("y")], [{"name": "y"}]) == 1.0


def test_a_conversation_is_the_mean_of_its_invocations() -> None:
    assert google_adk.mean_trajectory([[X], [Y], [X]], [[X], [X], [X]]) == 2 / 3
    assert google_adk.mean_trajectory([[X]], [[Y, X]], match_type="IN_ORDER") == 1.0
    assert google_adk.mean_trajectory([[X]], [[ToolCall("x")]], ignore_args=True) == 1.0
    assert google_adk.mean_trajectory([], []) is None


def test_both_sides_have_as_many_invocations() -> None:
    with pytest.raises(NotScorable, match="1 for 2"):
        google_adk.mean_trajectory([[X], [Y]], [[X]])


def test_a_match_that_does_not_exist_is_named() -> None:
    with pytest.raises(InvalidSettings, match="EXACT, IN_ORDER, ANY_ORDER"):
        google_adk.trajectory([X], [X], match_type="exact")  # type: ignore[arg-type]  # the mistake


def test_values_that_are_nested_too_deep_are_an_error() -> None:
    deep = [{"name": "x", "arguments": {"a": nested()}} for _ in range(2)]

    with pytest.raises(NotScorable, match="too deep"):
        google_adk.trajectory(deep[:1], deep[1:])
    assert google_adk.trajectory(deep[:1], [Y]) == 0.0
