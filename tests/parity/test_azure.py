"""Azure AI Evaluation."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.parity.nesting import nested

from callscore import InvalidSettings, NotScorable, ToolCall
from callscore.parity import azure

X = {"name": "x", "arguments": {"a": 1}}
X2 = {"name": "x", "arguments": {"a": 2}}
Y = {"name": "y", "arguments": {}}


def call(name: str = "x", **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments)


def test_all_four_numbers_are_given() -> None:
    found = azure.navigation_efficiency([X, Y, Y], [X, Y], matching_mode="in_order_match")

    assert found == azure.NavigationEfficiency(
        match=0.0, precision=1.0, recall=0.6666666666666666, f1=0.8
    )


def test_each_number_is_a_metric() -> None:
    assert azure.navigation_match([X, Y], [Y, X], matching_mode="any_order_match") == 1.0
    assert azure.navigation_precision([X], [X, Y]) == 0.5
    assert azure.navigation_recall([X, Y], [X]) == 0.5
    assert azure.navigation_f1([X], [X, Y]) == 0.6666666666666666
    assert azure.navigation_match([X], [X2], parameters=False) == 1.0
    assert azure.navigation_precision([X], [X2], parameters=False) == 1.0
    assert azure.navigation_recall([X], [X2], parameters=False) == 1.0
    assert azure.navigation_f1([X], [X2], parameters=False) == 1.0


def test_three_rules_say_what_a_match_is() -> None:
    assert azure.navigation_match([X, Y], [X, Y]) == 1.0
    assert azure.navigation_match([X], [X, Y]) == 0.0
    assert azure.navigation_match([X, Y], [X, X, Y], matching_mode="in_order_match") == 1.0
    assert azure.navigation_match([X, Y], [Y, X], matching_mode="in_order_match") == 0.0
    assert azure.navigation_match([Y, Y], [Y, X], matching_mode="any_order_match") == 0.0


def test_nothing_in_common_is_nothing() -> None:
    zeros = azure.NavigationEfficiency(0.0, 0.0, 0.0, 0.0)

    assert azure.navigation_efficiency([X], []) == zeros
    assert azure.navigation_efficiency([X], [Y]) == zeros


def test_expected_calls_of_one_tool_have_the_arguments_of_the_last() -> None:
    assert azure.navigation_match([X, X2], [X, X2]) == 0.0
    assert azure.navigation_match([X, X2], [X2, X2]) == 1.0


def test_space_around_a_name_is_dropped_and_costs_an_expected_call_its_arguments() -> None:
    assert azure.navigation_match([X], [call(" x\n", a=1)]) == 1.0
    assert azure.navigation_match([call("x ", a=1)], [X]) == 0.0
    assert azure.navigation_match([call("x ", a=1)], [call("x")]) == 1.0
    assert azure.navigation_match([call("x ", a=1), X2], [X2, X2]) == 1.0
    assert azure.navigation_match([call("x ", a=1)], [X], parameters=False) == 1.0
    assert azure.navigation_match([call(" ")], [call("")]) == 1.0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((1, "1"), (1.0, "1.0"), (None, "None"), (True, "True")),
        *(([1, True], "[1, true]"), ({"b": 1, "a": "ё"}, '{"a": "\\u0451", "b": 1}')),
    ],
)
def test_values_are_compared_as_texts(value: Any, text: str) -> None:
    assert azure.navigation_match([call(a=value)], [call(a=text)]) == 1.0
    assert azure.navigation_match([call(a=text)], [call(a=value)]) == 1.0


def test_numbers_that_are_written_differently_are_different() -> None:
    assert azure.navigation_match([call(a=1)], [call(a=1.0)]) == 0.0
    assert azure.navigation_match([call(a=1)], [call(a=True)]) == 0.0
    assert azure.navigation_match([call(a=[1])], [call(a=[1.0])]) == 0.0


def test_actual_arguments_that_were_not_given_are_none() -> None:
    assert azure.navigation_match([Y], [{"name": "y"}]) == 1.0


def test_expected_arguments_have_to_be_given_where_they_are_compared() -> None:
    with pytest.raises(NotScorable, match="object of arguments"):
        azure.navigation_match([ToolCall("y")], [Y])
    assert azure.navigation_match([ToolCall("y")], [Y], parameters=False) == 1.0
    assert azure.navigation_match([ToolCall("y"), Y], [Y, Y]) == 1.0


@pytest.mark.parametrize("parameters", [True, False])
def test_something_has_to_be_expected(parameters: bool) -> None:
    with pytest.raises(NotScorable, match="at least one expected call"):
        azure.navigation_efficiency([], [], parameters=parameters)


@pytest.mark.parametrize("value", [10**5000, [10**5000], nested()], ids=["number", "list", "depth"])
def test_a_value_without_a_text_is_an_error(value: Any) -> None:
    with pytest.raises(NotScorable, match="cannot be written"):
        azure.navigation_match([X], [call(a=value)])
    with pytest.raises(NotScorable, match="cannot be written"):
        azure.navigation_match([call(a=value)], [X])


def test_a_match_that_does_not_exist_is_named() -> None:
    with pytest.raises(InvalidSettings, match="exact_match, in_order_match, any_order_match"):
        azure.navigation_match([X], [X], matching_mode="exact")  # type: ignore[arg-type]  # the mistake


def test_the_numbers_can_be_written_as_json() -> None:
    found = azure.navigation_efficiency([Y], [Y])

    assert msgspec.json.encode(found) == b'{"match":1.0,"precision":1.0,"recall":1.0,"f1":1.0}'
