"""Values out of JSON as JavaScript sees them."""

from __future__ import annotations

import json  # noqa: TID251  (what it is compared with)
from math import inf, nan
from typing import Any

import pytest
from tests.parity.nesting import nested

from callscore import NotScorable
from callscore.parity.value_comparison import (
    common_count,
    f1_of,
    is_subsequence,
    js_deep_equal,
    js_number,
    js_round,
    js_strict_equal,
    js_trim,
    json_round_trip,
    json_stringify_key,
    python_json_text,
)


def test_a_number_is_the_double_that_it_is_read_as() -> None:
    assert js_number(2**53 + 1) == 2.0**53
    assert js_number(10**400) == inf
    assert js_number(-(10**400)) == -inf


@pytest.mark.parametrize(
    ("value", "rounded"),
    [(0.5, 1), (1.5, 2), (2.5, 3), (2.4999999999999996, 2), (0.49999999999999994, 0), (-0.5, 0)],
)
def test_halves_are_rounded_up(value: float, rounded: int) -> None:
    assert js_round(value) == rounded


def test_other_whitespace_is_taken_off_than_in_python() -> None:
    assert js_trim("\ufeff\u00a0 a \t\u3000") == "a"
    assert js_trim("\x85a\x1c") == "\x85a\x1c"


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, 1.0), (0.0, -0.0), (2**53, 2**53 + 1), (10**400, inf), ("a", "a"), (True, True)],
)
def test_scalars_that_are_the_same(left: Any, right: Any) -> None:
    assert js_strict_equal(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, True), (0, False), (1, "1"), (None, 0), (nan, nan), (1, 2), (2**53, 2**53 + 2)],
)
def test_scalars_that_are_not_the_same(left: Any, right: Any) -> None:
    assert not js_strict_equal(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"a": [1, {"b": None}]}, {"a": [1.0, {"b": None}]}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ([], []),
    ],
)
def test_containers_are_compared_member_by_member(left: Any, right: Any) -> None:
    assert js_deep_equal(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, {"a": 1, "b": 1}),
        ([], {}),
        ([1], {"0": 1}),
        ({"a": {}}, {"a": None}),
        ([nan], [nan]),
    ],
)
def test_containers_that_are_not_the_same(left: Any, right: Any) -> None:
    assert not js_deep_equal(left, right)


def test_an_array_may_be_compared_by_its_keys() -> None:
    assert js_deep_equal([1, [2]], {"1": {"0": 2}, "0": 1}, arrays_by_key=True)
    assert js_deep_equal({}, [], arrays_by_key=True)
    assert not js_deep_equal({"1": 1}, [1], arrays_by_key=True)
    assert not js_deep_equal([1, 2], [2, 1], arrays_by_key=True)


def test_nan_may_be_taken_for_itself() -> None:
    assert js_deep_equal([nan], [nan], nan_is_nan=True)
    assert not js_deep_equal([nan], [1.0], nan_is_nan=True)
    assert not js_deep_equal([nan], ["NaN"], nan_is_nan=True)


def test_values_of_any_depth_are_compared() -> None:
    assert js_deep_equal(nested(), nested())
    assert not js_deep_equal(nested(), nested(99_999))
    assert json_stringify_key(nested()) == json_stringify_key(nested())


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"a": 1, "b": [2]}, {"b": [2.0], "a": 1}),
        (nan, None),
        ([inf, 10**400], [None, None]),
        (0.0, -0.0),
        (2**53, 2**53 + 1),
    ],
)
def test_values_that_are_written_alike_share_a_key(left: Any, right: Any) -> None:
    assert json_stringify_key(left) == json_stringify_key(right)
    assert hash(json_stringify_key(left)) == hash(json_stringify_key(right))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, True),
        (0, False),
        (1, "1"),
        (None, "null"),
        ([], {}),
        ([[], 1], [[1]]),
        ([[1], 2], [[1, 2]]),
        ({"a": "b"}, {"b": "a"}),
        ({"a": {"b": 1}}, {"a": 1, "b": 1}),
        (["a"], {"a": "a"}),
        (True, ["true"]),
    ],
)
def test_values_that_are_written_differently_do_not(left: Any, right: Any) -> None:
    assert json_stringify_key(left) != json_stringify_key(right)


def test_a_key_can_be_left_out_at_every_depth() -> None:
    assert json_stringify_key({"x": 1, "a": [{"x": 2}]}, without="x") == json_stringify_key(
        {"a": [{}]}
    )


# The JSON text that Python's own encoder writes.


@pytest.mark.parametrize(
    "options",
    [{}, {"sort_keys": True}, {"ensure_ascii": False}, {"separators": (",", ":")}],
    ids=repr,
)
def test_it_is_what_dumps_gives(options: dict[str, Any]) -> None:
    value = {"b": [1, 1.0, True, None, float("nan"), 10**30], "a": "й\ud800"}

    assert python_json_text(value, **options) == json.dumps(value, **options)


@pytest.mark.parametrize("value", [{1, 2}, {"a": 1, 2: 3}, float], ids=repr)
def test_what_cannot_be_written_is_not_scored(value: Any) -> None:
    with pytest.raises(NotScorable, match="JSON"):
        python_json_text(value, sort_keys=True)


def test_what_is_nested_too_deeply_is_not_scored() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]

    with pytest.raises(NotScorable):
        python_json_text(value)


def test_what_is_written_and_read_again_is_what_loads_gives() -> None:
    value = {"a": (1, 1.0), 2: None}

    assert json_round_trip(value) == {"a": [1, 1.0], "2": None}


def test_every_nan_that_is_read_is_the_same() -> None:
    first, second = json_round_trip([float("nan"), float("nan")])

    assert first is second


# What two sequences have in common.


def test_an_item_is_common_as_often_as_both_have_it() -> None:
    assert common_count("aab", "abbc") == 2
    assert common_count("aa", "aaa") == 2
    assert common_count("", "a") == 0


def test_f1_is_made_of_precision_and_recall_in_this_order_of_operations() -> None:
    assert f1_of(1, 1, 2) == 2 / 3
    assert f1_of(2, 3, 5) == 0.5
    assert f1_of(1, 1, 5) == 0.33333333333333337  # and not 1 / 3


def test_without_anything_in_common_f1_is_0() -> None:
    assert f1_of(0, 0, 0) == 0.0
    assert f1_of(0, 2, 0) == 0.0


def test_a_subsequence_keeps_the_order_and_uses_an_item_once() -> None:
    assert is_subsequence("ac", "abc")
    assert not is_subsequence("ca", "abc")
    assert not is_subsequence("aa", "ab")
    assert is_subsequence("", "")
