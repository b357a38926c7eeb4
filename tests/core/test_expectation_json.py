"""Rules and groups as case files spell them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore import expect
from callscore.core.expectation_json import (
    matchers_to_json,
    parse_matchers,
)
from callscore.core.rules import Matcher, comparators
from callscore.errors import InvalidCall


def read(value: Any) -> Any:
    return parse_matchers(value, where="expected[0].arguments")


def nested(depth: int, value: Any) -> Any:
    for _ in range(depth):
        value = {"a": value}
    return value


def test_no_file_can_hold_a_rule_beside_such_a_key() -> None:
    with pytest.raises(InvalidCall, match=r"\$gt: a file cannot contain a matcher"):
        matchers_to_json({"a": {"$gt": Matcher("$any")}})


def test_every_example_of_every_rule_is_read_and_spelled_without_loss() -> None:
    for comparator in comparators():
        for spelled, _, _ in comparator.examples:
            matcher = read(spelled)

            assert isinstance(matcher, Matcher)
            assert matchers_to_json(matcher) == spelled


KEYS = st.sampled_from(["a", "b", "$gt", "$any", "$literal"])
VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_any_plain_value_comes_back_out_of_a_file(value: Any) -> None:
    assert read(matchers_to_json(value)) == value


def test_rules_nested_too_deeply_are_not_written() -> None:
    with pytest.raises(InvalidCall, match="nested too deeply to be written"):
        matchers_to_json(nested(100_000, Matcher("$any")))


def test_keys_that_are_no_text_are_none_of_a_rule() -> None:
    plain: Any = [["f", {"x": {1: 2, None: 3}}]]
    ruled: Any = [["f", {"x": {1: 2, "$any": True}}]]

    assert expect.from_json(plain) == [expect.call("f", plain[0][1])]
    with pytest.raises(InvalidCall, match=r"unknown option '1' of '\$any'"):
        expect.from_json(ruled)


def test_rules_nested_too_deeply_are_not_read() -> None:
    with pytest.raises(InvalidCall, match="nested too deeply"):
        read({"a": nested(100_000, {"$any": True})})
