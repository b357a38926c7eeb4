"""Rules and groups as case files spell them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.call import ToolCall
from callscore.core.case import Forbidden, Group, Times
from callscore.core.expectation_json import (
    contains_rule_keys,
    expected_to_json,
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


def test_a_value_without_rules_is_not_even_copied() -> None:
    value = {"a": [1, {"b": "$any"}], "price$": 1}

    assert read(value) is value
    assert matchers_to_json(value) is value
    assert not contains_rule_keys(nested(100_000, [1]))


def test_rules_are_read_wherever_they_stand() -> None:
    value = {"q": {"$contains": "Paris"}, "n": [1, {"deep": {"$gt": 1, "$lte": 5}}]}

    assert read(value) == {
        "q": Matcher("$contains", "Paris"),
        "n": [1, {"deep": Matcher("$gt", 1, {"$lte": 5})}],
    }


def test_rules_stand_inside_rules_that_look_inside() -> None:
    value = {"$optional": {"$one_of": [{"$type": "null"}, {"$subset": {"a": {"$any": True}}}]}}

    inner = Matcher("$subset", {"a": Matcher("$any")})
    assert read(value) == Matcher(
        "$optional", Matcher("$one_of", [Matcher("$type", "null"), inner])
    )


def test_what_a_schema_says_with_such_keys_is_its_own() -> None:
    schema = {"$defs": {"a": {"type": "string"}}, "$ref": "#/$defs/a"}

    assert read({"$schema": schema}) == Matcher("$schema", schema)


def test_a_literal_is_taken_as_it_stands() -> None:
    query = {"$gt": 5, "$or": [{"$any": True}]}

    assert read({"filter": {"$literal": query}}) == {"filter": query}
    assert matchers_to_json({"filter": query}) == {"filter": {"$literal": query}}
    assert read(matchers_to_json([query, {"$literal": 1}])) == [query, {"$literal": 1}]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"q": {"$contain": "x"}}, r"expected\[0\].arguments.q: .*\$contain.*\$contains"),
        ({"q": {"$or": []}}, r"If the key is literal, put the object into \{\"\$literal\": ...\}"),
        ({"q": [{"$regex": "("}]}, r"expected\[0\].arguments.q\[0\]: '\$regex': "),
        (
            {"q": {"$text": "a", "simlarity": 1}},
            "'simlarity' of '\\$text'.*similarity",
        ),
        ({"q": {"$text": "a", "colour": 1}}, "'colour' of '\\$text'."),
        ({"q": {"$text": "a", 1: 2}}, "unknown option '1' of '\\$text'."),
        ({"q": {None: 1, "$text": "a"}}, "unknown option 'None' of '\\$text'."),
        ({"q": {"$regex": "a", "$contains": "b"}}, "cannot be combined"),
        ({"q": {"$literal": 1, "x": 2}}, "must be the only key"),
        ({"q": {"$optional": {"$approx": "3"}}}, r"q.\$optional: '\$approx': "),
        ({"a": nested(100_000, {"$any": True})}, "nested too deeply"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused_with_its_place(value: Any, said: str) -> None:
    with pytest.raises(InvalidCall, match=said):
        read(value)


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


@pytest.mark.parametrize(
    ("item", "spelled"),
    [
        (ToolCall("f"), {"name": "f"}),
        (ToolCall("f", {}), {"name": "f", "arguments": {}}),
        (
            ToolCall("f", {"a": Matcher("$any")}, id="1"),
            {"name": "f", "arguments": {"a": {"$any": True}}, "id": "1"},
        ),
        (Forbidden("delete_*"), {"forbid": "delete_*"}),
        (Times(ToolCall("f"), 1, 3), {"name": "f", "times": {"min": 1, "max": 3}}),
        (Times(ToolCall("f"), 0, None), {"name": "f", "times": {"min": 0}}),
        (
            Group("in_order", (ToolCall("f"), Group("optional", (ToolCall("g"),)))),
            {"in_order": [{"name": "f"}, {"optional": {"name": "g"}}]},
        ),
    ],
)
def test_what_is_expected_is_spelled_as_a_file_has_it(item: Any, spelled: Any) -> None:
    assert expected_to_json(item) == spelled


def test_rules_nested_too_deeply_are_not_written() -> None:
    with pytest.raises(InvalidCall, match="nested too deeply to be written"):
        matchers_to_json(nested(100_000, Matcher("$any")))
