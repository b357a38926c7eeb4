"""Autoevals' scorers of JSON, over lists of calls."""

from __future__ import annotations

import math
import sys
from functools import partial
from typing import Any

import pytest

from callscore import ToolCall
from callscore.errors import NotScorable
from callscore.metrics.metric import Metric
from callscore.parity.autoevals import (
    METRICS,
    _linear_sum_assignment,
    exact_match,
    json_diff,
    list_contains,
)


def f(**arguments: Any) -> dict[str, Any]:
    return {"name": "f", "arguments": arguments}


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


def test_every_level_is_the_mean_of_the_one_below() -> None:
    expected = [f(a=1, b={"c": "abcd", "d": [1, 2]})]
    actual = [f(a=3, b={"c": "abcx", "d": [1]})]

    members = (3 / 4 + 1 / 2) / 2
    assert json_diff(expected, actual) == (1 + (1 / 2 + members) / 2) / 2


def test_a_missing_argument_is_null() -> None:
    assert json_diff([f(a=None)], [f()]) == 1.0
    assert json_diff([f(a=1)], [f()]) == 0.5


def test_true_is_one() -> None:
    assert json_diff([f(a=True)], [f(a=1)]) == 1.0


def test_an_extra_call_in_front_shifts_all_others() -> None:
    search = {"name": "search", "arguments": {"q": "x"}}
    weather = {"name": "get_weather", "arguments": {"city": "Paris"}}

    assert json_diff([weather], [search, weather]) == 0.04545454545454544


def test_numbers_are_compared_by_their_size() -> None:
    assert json_diff([f(a=0)], [f(a=0.0)]) == 1.0
    assert json_diff([f(a=-1)], [f(a=1)]) == 0.5
    assert math.isnan(json_diff([f(a=math.inf)], [f(a=math.inf)]))


def test_values_of_two_kinds_are_compared_as_texts() -> None:
    assert json_diff([f(a=True)], [f(a="tru")]) == (1 + (1 - 2 / 5)) / 2
    assert json_diff([f(a={"b": 1, "a": 2})], [f(a=[])]) == 0.5


def test_nothing_is_like_nothing() -> None:
    assert json_diff([], []) == 1.0
    assert json_diff([f()], [f()]) == 1.0
    assert json_diff([f(a=[])], [f(a=[])]) == 1.0
    assert json_diff([f()], []) == 0.0


def test_a_text_that_holds_an_object_or_array_is_read() -> None:
    expected, actual = [f(a={"b": [1]})], [f(a=' {"b": [1]}')]

    assert json_diff(expected, actual) == 1.0
    assert json_diff(expected, actual, preserve_strings=True) < 1.0


@pytest.mark.parametrize("text", ["[1", "12", '"[1]"', "-"])
def test_a_text_that_holds_nothing_of_the_kind_is_a_text(text: str) -> None:
    assert json_diff([f(a=text)], [f(a=f"{text}x")]) == (1 + (1 - 1 / (len(text) + 1))) / 2


def test_a_number_of_too_many_digits_cannot_be_read() -> None:
    digits = "9" * 5000

    with pytest.raises(NotScorable, match="cannot read a text that holds JSON: Exceeds the limit"):
        json_diff([f(a=digits)], [f(a=digits)])
    assert json_diff([f(a=digits + ".5")], [f(a=digits + ".5")]) == 1.0


def test_an_integer_that_no_float_can_hold_cannot_be_subtracted() -> None:
    with pytest.raises(NotScorable, match="a float that cannot hold it"):
        json_diff([f(a=10**400)], [f(a=0.5)])
    assert json_diff([f(a=10**400)], [f(a=10**400)]) == 1.0


def test_the_keys_of_an_object_are_added_up_in_sorted_order() -> None:
    expected, actual = f(a=1, b=1, c=1), f(a=1, b=5, c=5)
    turned = {"name": "f", "arguments": {"c": 5, "b": 5, "a": 1}}

    third = 1 - 4 / 6
    assert json_diff([expected], [turned]) == json_diff([expected], [actual])
    assert json_diff([expected], [actual]) == pytest.approx((1 + (1 + third + third) / 3) / 2)
    if tuple(sys.version_info) < (3, 12):  # `sum` adds floats more exactly since, in any order
        assert json_diff([expected], [actual]) == (1 + (1 + third + third) / 3) / 2
        assert json_diff([expected], [actual]) != (1 + (third + third + 1) / 3) / 2


@pytest.mark.parametrize("metric", METRICS)
def test_what_is_nested_too_deeply_is_not_scored(metric: Any) -> None:
    with pytest.raises(NotScorable):
        metric([f(a=nested(100_000))], [f(a=nested(100_000))])


def test_keys_in_another_order_are_no_exact_match() -> None:
    turned = {"name": "f", "arguments": {"b": 2, "a": 1}}

    assert exact_match([f(a=1, b=2)], [f(a=1, b=2)]) == 1.0
    assert exact_match([f(a=1, b=2)], [turned]) == 0.0
    assert exact_match([f(a=1)], [f(a=1.0)]) == 0.0
    assert exact_match([], []) == 1.0


@pytest.mark.parametrize("value", [math.nan, 10**400, "\ud800", None])
def test_what_only_pythons_encoder_writes_has_an_exact_match_too(value: Any) -> None:
    assert exact_match([f(a=value)], [f(a=value)]) == 1.0
    assert exact_match([f(a=value)], [f(a=[value])]) == 0.0


def test_null_is_no_exact_match_of_what_is_not_a_number() -> None:
    assert exact_match([f(a=None)], [f(a=math.nan)]) == 0.0


def test_calls_are_paired_so_that_they_are_most_similar() -> None:
    expected = [f(a="abc"), f(a="xyz")]

    by_json = partial(list_contains, pairwise_scorer="json_diff")
    assert by_json(expected, [f(a="xyz"), f(a="abd")]) == (1 + (1 + (1 - 1 / 3)) / 2) / 2
    assert json_diff(expected, [f(a="xyz"), f(a="abd")]) == 0.5


def test_extra_calls_are_free_where_they_are_allowed() -> None:
    expected, actual = [f(a=1)], [f(b=7), f(a=1)]

    assert list_contains(expected, actual) == 0.5
    assert list_contains(expected, actual, allow_extra_entities=True) == 1.0
    assert list_contains(actual, expected, allow_extra_entities=True) == 0.5


def test_an_extra_call_costs_everything_where_none_is_expected() -> None:
    assert list_contains([], [f()], allow_extra_entities=True) == 0.0
    assert list_contains([f()], []) == 0.0
    assert list_contains([], []) == 1.0


def test_calls_can_be_compared_by_the_texts_of_python() -> None:
    text = "{'name': 'f', 'arguments': {'a': 1}}"

    assert list_contains([f(a=1)], [f(a=2)], pairwise_scorer="levenshtein") == 1 - 1 / len(text)
    assert list_contains([f(a=1)], [f(a=2)]) == 1 - 1 / len(text)
    assert list_contains([f(a=1)], [f(a=2)], pairwise_scorer="exact_match") == 0.0
    assert list_contains([f(a=1)], [f(a=1)], pairwise_scorer="exact_match") == 1.0


def test_calls_of_different_tools_are_nearly_the_same_by_their_texts() -> None:
    other = {"name": "g", "arguments": {}}

    assert list_contains([f()], [other]) == 1 - 1 / len("{'name': 'f', 'arguments': {}}")


def test_a_similarity_that_is_not_a_number_cannot_be_paired() -> None:
    with pytest.raises(NotScorable, match="not a number"):
        list_contains([f(a=math.nan)], [f(a=math.nan)], pairwise_scorer="json_diff")


def test_calls_are_read_in_every_shape() -> None:
    call = ToolCall("f", {"a": 1})
    short = {"tool": "f", "args": {"a": 1}}

    for metric in METRICS:
        assert metric([call], [short]) == 1.0
        assert metric([{"name": "f"}], [{"name": "f", "arguments": None}]) == 1.0
        assert Metric("m", metric, {}).of([call], [call]) == 1.0


# The assignment that SciPy finds, as SciPy finds it; the answers are SciPy's own.

THIRD = 1 / 3


@pytest.mark.parametrize(
    ("costs", "pairs"),
    [
        ([[0]], [(0, 0)]),
        ([[-1, -1], [-1, -1]], [(0, 0), (1, 1)]),
        ([[-1, -0.5], [-1, -1]], [(0, 0), (1, 1)]),
        ([[-0.5, -1], [-0.5, -1]], [(0, 1), (1, 0)]),
        ([[-1, -1, -1]], [(0, 0)]),
        ([[-1], [-1], [-2]], [(2, 0)]),
        ([[0, -1], [-1, -1], [-1, 0]], [(0, 1), (1, 0)]),
        ([[4, 1, 3], [2, 0, 5], [3, 2, 2]], [(0, 1), (1, 0), (2, 2)]),
        ([[-1, -THIRD, -THIRD], [-1, -THIRD, 0], [-1, 0, 0]], [(0, 2), (1, 1), (2, 0)]),
        ([[-1, -0.9, 0, 0], [-1, -0.9, -0.8, 0], [-1, 0, 0, -0.1]], [(0, 1), (1, 2), (2, 0)]),
    ],
)
def test_the_pairs_are_those_of_scipy(
    costs: list[list[float]], pairs: list[tuple[int, int]]
) -> None:
    assert _linear_sum_assignment(costs) == pairs
