"""Equality."""

from __future__ import annotations

import sys
from fractions import Fraction
from math import inf, nan
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore import score
from callscore.core.equality import (
    differing_keys,
    equal,
    equal_objects,
    exact_ratio,
    fingerprint,
)
from callscore.core.rules import Matcher


def nested(depth: int, innermost: object = 0, *, as_objects: bool = False) -> Any:
    value = innermost
    for _ in range(depth):
        value = {"a": value} if as_objects else [value]
    return value


def respelled(value: Any) -> Any:
    """The same JSON value, spelled in another way wherever Python has another way."""
    if isinstance(value, dict):
        return {key: respelled(member) for key, member in reversed(value.items())}
    if isinstance(value, list):
        return tuple(respelled(member) for member in value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= 2**53:
        return float(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


# Few different scalars, so that equal values are met often; among them all that are easily mixed up.
SCALARS: tuple[Any, ...] = (
    *(None, "null", "None", "", True, False, "true", 0, 1, -1, 0.0, -0.0, 1.0, "1", "1.0", 1.5),
    *(
        2**53 + 1,
        float(2**53),
        2**70,
        float(2**70),
        1e308,
        nan,
        inf,
        -inf,
        "é",
        "e\u0301",
        "\ud800",
    ),
)
SMALL_VALUES = st.recursive(
    st.sampled_from(SCALARS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=4,
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_a_value_equals_itself_however_it_is_spelled(value: Any) -> None:
    other = respelled(value)

    assert equal(value, value)
    assert equal(value, other)
    assert equal(other, value)
    assert fingerprint(value) == fingerprint(other)


@given(SMALL_VALUES, SMALL_VALUES)
def test_equality_is_symmetric_and_agrees_with_the_fingerprint(left: Any, right: Any) -> None:
    answer = equal(left, right)

    assert equal(right, left) is answer
    assert (fingerprint(left) == fingerprint(right)) is answer


@given(st.dictionaries(st.text(), VALUES), st.dictionaries(st.text(), VALUES))
def test_any_two_values_are_equal_exactly_when_their_fingerprints_are(
    left: dict[str, Any], right: dict[str, Any]
) -> None:
    assert equal(left, right) is (fingerprint(left) == fingerprint(right))
    assert equal_objects(left, right) is equal(left, right)


@given(
    st.dictionaries(st.sampled_from("abcd"), SMALL_VALUES),
    st.dictionaries(st.sampled_from("abcd"), SMALL_VALUES),
)
def test_objects_are_equal_exactly_when_no_member_differs(
    left: dict[str, Any], right: dict[str, Any]
) -> None:
    differing = differing_keys(left, right)

    assert (differing == []) is equal_objects(left, right) is equal(left, right)
    assert set(differing) == {
        key
        for key in left | right
        if key not in left or key not in right or not equal(left[key], right[key])
    }


@pytest.mark.slow
@pytest.mark.parametrize("as_objects", [False, True])
def test_a_hundred_thousand_levels_of_nesting_give_an_answer(as_objects: bool) -> None:
    depth = 100_000
    left = nested(depth, 1, as_objects=as_objects)

    assert equal(left, nested(depth, 1.0, as_objects=as_objects))
    assert not equal(left, nested(depth, "1", as_objects=as_objects))
    assert not equal(left, nested(depth + 1, 1, as_objects=as_objects))


def test_deep_nesting_inside_arguments_gives_an_answer() -> None:
    arguments = {"deep": nested(100_000)}

    assert equal_objects(arguments, {"deep": nested(100_000)})
    assert not equal_objects(arguments, {"deep": nested(100_000, 1)})
    assert differing_keys(arguments, {"deep": nested(100_000, 1)}) == ["deep"]


def test_an_integer_too_long_to_print_is_compared_all_the_same() -> None:
    huge = 10 ** (sys.get_int_max_str_digits() + 1)

    assert equal([huge], [huge + 0])
    assert not equal([huge], [huge + 1])
    assert not equal_objects({"a": huge}, {"a": huge + 1})
    assert fingerprint([huge]) != fingerprint([huge + 1])


def test_equality_changes_neither_side() -> None:
    left, right = {"b": [1, {"c": nan}], "a": (1,)}, {"a": [1.0], "b": [1.0, {"c": nan}]}
    before = repr((left, right))

    equal(left, right)

    assert repr((left, right)) == before


# What a number is, and what it is exactly.


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_what_its_digits_say(number: float) -> None:
    assert Fraction(*exact_ratio(number)) == Fraction(repr(number))


def test_an_object_with_parts_without_end_has_a_fingerprint_of_its_own() -> None:
    shared: Any = SimpleNamespace(x=1)
    for _ in range(60):
        shared = SimpleNamespace(x=shared, y=shared)

    assert fingerprint(shared) == fingerprint(shared)
    assert fingerprint(shared) != fingerprint(SimpleNamespace(x=shared, y=shared))


def test_rules_are_the_same_by_what_they_hold_and_not_by_how_they_print() -> None:
    long = "a" * 500

    assert equal([Matcher("$text", long + "b")], (Matcher("$text", long + "b"),))
    assert equal(Matcher("$approx", 1, {"abs": 1}), Matcher("$approx", 1.0, {"abs": 1.0}))
    assert not equal([Matcher("$text", long + "b")], [Matcher("$text", long + "c")])
    assert not equal(Matcher("$gt", 1), Matcher("$gte", 1))
    assert not equal(Matcher("$gt", 1), Matcher("$gt", 1, {"$lt": 5}))
    assert not equal(Matcher("$one_of", [1]), Matcher("$one_of", [True]))
    assert not equal(Matcher("$gt", 1), "$gt 1")


@pytest.mark.parametrize("value", [{1, 2}, 1j, object])
def test_a_value_that_json_does_not_know_is_of_another_type(value: Any) -> None:
    found = score([("f", {"a": 1})], [("f", {"a": value})])

    assert [difference.kind for difference in found.incorrect[0].differences] == ["type"]
