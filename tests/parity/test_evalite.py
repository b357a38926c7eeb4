"""Evalite."""

from __future__ import annotations

from functools import partial
from math import inf, isnan, nan
from typing import Any

import pytest
from tests.parity.nesting import nested

from callscore import InvalidSettings, ToolCall
from callscore.parity.evalite import parameters_valid, tool_call_accuracy, tool_called

exact = tool_call_accuracy
flexible = partial(tool_call_accuracy, mode="flexible")


def f(**arguments: Any) -> dict[str, Any]:
    return {"name": "f", "arguments": arguments}


def g(**arguments: Any) -> dict[str, Any]:
    return {"name": "g", "arguments": arguments}


@pytest.mark.parametrize("score", [exact, flexible])
def test_empty_sides(score: Any) -> None:
    assert score([], []) == 1.0
    assert score([], [f()]) == 0.0
    assert score([f()], []) == 0.0


def test_exact_compares_position_by_position() -> None:
    assert exact([f(a=1), g()], [f(a=1), g()]) == 1.0
    assert exact([f(a=1), g()], [g(), f(a=1)]) == 0.0
    assert exact([f(a=1), g()], [f(a=2), g()]) == 0.75


def test_flexible_finds_calls_anywhere_and_the_rest_by_name() -> None:
    assert flexible([f(a=1), g()], [g(), f(a=1)]) == 1.0
    assert flexible([f(a=1), f(a=2)], [f(a=3), f(a=1)]) == 0.75
    assert flexible([f(a=1)], [f(a=2), f(a=1)]) == 0.75


def test_in_exact_mode_an_extra_call_is_wrong_twice_and_a_missing_one_never() -> None:
    assert exact([f()], [f(), g()]) == 0.5
    assert exact([f(), g()], [f()]) == 0.5  # one of two, and nothing taken off


def test_weights() -> None:
    assert exact([f(a=1)], [f(a=2)], name_only=0.3) == 0.3
    assert exact([f(), g()], [f(), f()], wrong_penalty=0.5) == 0.25
    assert flexible([f(), g()], [f(), f()], extra_penalty=0.5) == 0.25
    assert exact([f(), g()], [f(), f()], extra_penalty=9) == 0.375
    assert flexible([f(), g()], [f(), f()], wrong_penalty=9) == 0.375


def test_the_weight_of_an_exact_match_is_taken_and_not_used() -> None:
    assert exact([f()], [f()], exact=0.2) == 1.0
    assert flexible([f()], [f()], exact=0.2) == 1.0


def test_the_score_is_kept_between_0_and_1() -> None:
    assert exact([f()], [g()]) == 0.0
    assert exact([f(a=1)], [f()], name_only=7) == 1.0
    assert isnan(exact([f()], [f()], name_only=inf))


def test_an_expected_call_without_arguments_matches_any_in_exact_mode_only() -> None:
    assert exact([ToolCall("f")], [f(a=1)]) == 1.0
    assert flexible([ToolCall("f")], [f(a=1)]) == 0.5
    assert flexible([ToolCall("f")], [ToolCall("f")]) == 1.0
    assert exact([f(a=1)], [ToolCall("f")]) == 0.5


def test_what_is_not_finite_is_null_in_flexible_mode_and_itself_in_exact_mode() -> None:
    assert flexible([f(a=nan)], [f(a=None)]) == 1.0
    assert exact([f(a=nan)], [f(a=None)]) == 0.5
    assert exact([f(a=nan)], [f(a=nan)]) == 1.0


def test_a_member_of_that_name_does_not_count_in_flexible_mode() -> None:
    assert flexible([f(a={"__proto__": 1})], [f(a={})]) == 1.0
    assert exact([f(a={"__proto__": 1})], [f(a={})]) == 0.5


@pytest.mark.parametrize("score", [exact, flexible])
def test_integers_that_share_a_double_are_the_same(score: Any) -> None:
    assert score([f(a=2**53)], [f(a=2**53 + 1)]) == 1.0
    assert score([f(a=[])], [f(a={})]) == 0.5


@pytest.mark.parametrize("score", [exact, flexible])
def test_values_of_any_depth_are_compared(score: Any) -> None:
    assert score([f(a=nested())], [f(a=nested())]) == 1.0


def test_a_mode_that_does_not_exist_is_named() -> None:
    with pytest.raises(InvalidSettings, match="exact, flexible"):
        tool_call_accuracy([], [], mode="Exact")  # type: ignore[arg-type]  # the mistake


def test_the_expected_tool_is_among_the_calls() -> None:
    assert tool_called("f", [g(), f(a=1)]) == 1.0
    assert tool_called("f", [g()]) == 0.0
    assert tool_called("f", []) == 0.0
    assert tool_called([f(a=1), g()], [g(b=2)]) == 1.0
    assert tool_called([ToolCall("f")], [ToolCall("g")]) == 0.0


@pytest.mark.parametrize("nothing", [None, []])
def test_where_no_tool_is_expected_none_may_be_called(nothing: Any) -> None:
    assert tool_called(nothing, []) == 1.0
    assert tool_called(nothing, [f()]) == 0.0


@pytest.mark.parametrize("nothing", [None, [], ""])
def test_where_no_tool_is_expected_parameters_are_valid_whatever_was_called(nothing: Any) -> None:
    assert parameters_valid(nothing, [f()]) == 1.0


def test_a_call_needs_the_expected_fields_and_types_but_not_values() -> None:
    expected = [f(location="Paris", days=3, tags=[], opt={}, on=True, none=None)]
    given = {"location": "", "days": 0.5, "tags": [1], "opt": {"a": 1}, "on": False, "none": None}

    assert parameters_valid(expected, [f(**given)]) == 1.0
    assert parameters_valid(expected, [f(**given, more=1)]) == 1.0
    assert parameters_valid(expected, [ToolCall("f")]) == 0.0


@pytest.mark.parametrize(
    ("wanted", "given"), [("a", 1), (1, True), (True, 1), ([], {}), ({}, None), (None, 0)]
)
def test_a_field_of_another_type_is_not_valid(wanted: Any, given: Any) -> None:
    assert parameters_valid([f(a=wanted)], [f(a=given)]) == 0.0


def test_only_the_first_call_of_each_expected_tool_is_looked_at() -> None:
    assert parameters_valid([f(a=1)], [g(), f(a="1"), f(a=1)]) == 0.0
    assert parameters_valid([f(a=1), g()], [f(a=2), g()]) == 1.0
    assert parameters_valid([f(a=1), g()], [f(a=2)]) == 0.0
    assert parameters_valid("f", [f()]) == 1.0
    assert parameters_valid("f", [g()]) == 0.0


def test_the_fields_of_the_lesson() -> None:
    fields = {
        "getWeather": {"location": "string"},
        "calculator": {"operation": "present", "a": "number", "b": "number"},
    }

    def valid(name: str, **arguments: Any) -> float:
        return parameters_valid(name, [ToolCall(name, arguments)], fields=fields)

    assert valid("getWeather", location="Paris") == 1.0
    assert valid("getWeather", location=7) == 0.0
    assert valid("calculator", operation="add", a=1, b=2.5) == 1.0
    assert valid("calculator", operation="", a=1, b=2.5) == 0.0
    assert valid("calculator", a=1, b=2.5) == 0.0
    assert valid("other") == 1.0


@pytest.mark.parametrize(
    ("value", "counts"), [({}, 1.0), ([], 1.0), ("0", 1.0), (0, 0.0), (nan, 0.0), (None, 0.0)]
)
def test_present_is_what_javascript_takes_for_true(value: Any, counts: float) -> None:
    assert parameters_valid("f", [f(a=value)], fields={"f": {"a": "present"}}) == counts


def test_a_type_that_does_not_exist_is_named() -> None:
    with pytest.raises(InvalidSettings, match="expected string, number"):
        parameters_valid("f", [f(a=1)], fields={"f": {"a": "integer"}})
