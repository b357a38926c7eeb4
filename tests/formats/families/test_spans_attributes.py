"""Attributes, however an exporter writes them."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.errors import InvalidCall
from callscore.formats.families.spans import (
    build_tree,
    decode_otlp_value,
    items_at,
    items_of,
    read_attributes,
    value_at_path,
)


def typed(**value: Any) -> dict[str, Any]:
    return read_attributes([{"key": "a", "value": value}])


@pytest.mark.parametrize(
    ("kind", "held", "expected"),
    [
        ("stringValue", "x", "x"),
        ("string_value", "x", "x"),
        ("intValue", "12", 12),
        ("intValue", 12, 12),
        ("int_value", "-3", -3),
        ("intValue", "many", "many"),
        ("doubleValue", 2.5, 2.5),
        ("boolValue", False, False),
        ("bytesValue", "iVBORw==", "iVBORw=="),
        ("arrayValue", {"values": [{"stringValue": "x"}, {"intValue": "1"}, {}]}, ["x", 1, None]),
        ("array_value", {"values": []}, []),
        ("arrayValue", {}, []),
        ("kvlistValue", {"values": [{"key": "b", "value": {"boolValue": True}}]}, {"b": True}),
        ("kvlist_value", {"values": [{"key": "b"}, {"key": 3}, "x"]}, {"b": None}),
        ("kvlistValue", None, {}),
    ],
)
def test_a_typed_value_is_what_it_holds(kind: str, held: Any, expected: Any) -> None:
    assert typed(**{kind: held}) == {"a": expected}


def test_a_value_without_a_type_is_null() -> None:
    assert typed() == {"a": None}


@pytest.mark.parametrize("value", ["x", 3, {"index": 0}, {"index": 0, "message": {}}])
def test_a_value_that_is_not_typed_stays_as_it_is(value: Any) -> None:
    assert decode_otlp_value(value) == value


def test_a_value_that_is_nested_too_deeply_is_refused() -> None:
    value: Any = {"stringValue": "x"}
    for _ in range(150):
        value = {"arrayValue": {"values": [value]}}

    with pytest.raises(InvalidCall, match="nested too deeply"):
        decode_otlp_value(value)


def test_entries_that_are_none_are_left_out() -> None:
    assert read_attributes([None, "x", {"key": 3}, {"value": {}}, {"key": "a"}]) == {"a": None}


@pytest.mark.parametrize("given", [None, 3, "no JSON"])
def test_what_is_no_attributes_has_none(given: Any) -> None:
    assert read_attributes(given) == {}


def test_flat_attributes_stay_as_they_are_with_objects_as_values() -> None:
    given = {"gen_ai.tool.call.arguments": {"city": "Paris"}, "a": 1}

    assert read_attributes(given) == given


def test_json_text_is_read() -> None:
    assert read_attributes('{"a": 1}') == {"a": 1}
    assert read_attributes('"{\\"a\\": 1}"') == {"a": 1}


def test_nested_attributes_are_there_at_each_level() -> None:
    flat = read_attributes({"tool": {"name": "add", "parameters": {"a": 1}}, "llm": {"tools": [1]}})

    assert flat["tool.name"] == "add"
    assert flat["tool.parameters"] == {"a": 1}
    assert flat["tool.parameters.a"] == 1
    assert flat["llm.tools"] == [1]


def test_keys_that_are_no_text_are_left_out() -> None:
    assert read_attributes({1: "x", "a": 2}) == {"a": 2}


def test_attributes_that_are_nested_too_deeply_are_taken_apart_no_further() -> None:
    nested: Any = 1
    for _ in range(500):
        nested = {"a": nested}

    assert len(read_attributes({"a": nested})) < 200


def test_items_are_put_together_from_numbered_keys() -> None:
    attributes = {
        "p.1.name": "b",
        "p.0.name": "a",
        "p.0.calls.0.id": 1,
        "p.10.name": "c",
        "p.size": 3,
        "q": 3,
        "p.2": "as it is",
        "q.0.name": "d",
    }

    assert items_at(attributes, "p") == [
        {"name": "a", "calls.0.id": 1},
        {"name": "b"},
        "as it is",
        {"name": "c"},
    ]
    assert items_at(attributes, "r") == []


def test_of_an_item_and_its_members_the_last_counts() -> None:
    whole = {"name": "a"}

    assert items_at({"p.0": whole, "p.0.id": 1}, "p") == [{"id": 1}]
    assert items_at({"p.0.id": 1, "p.0": "x"}, "p") == ["x"]
    assert items_at({"p.0.id": 1, "p.0": "x", "p.0.name": "a"}, "p") == [{"name": "a"}]
    assert whole == {"name": "a"}


def test_items_under_the_prefix_itself_are_taken_as_they_are_or_as_json() -> None:
    assert items_at({"p": [1], "p.0": 2}, "p") == [1]
    assert items_at({"p": "[1]"}, "p") == [1]


def test_dotted_keys_make_up_a_tree() -> None:
    assert build_tree({"a": 1, "b.0.c": 2, "b.0.d": 3, "b.1": 4, "e": 5, "e.f": 6, "g.h": 7}) == {
        "a": 1,
        "b": {"0": {"c": 2, "d": 3}, "1": 4},
        "e": {"f": 6},
        "g": {"h": 7},
    }


def test_a_list_has_its_items() -> None:
    assert items_of([1, 2]) == [1, 2]


@pytest.mark.parametrize("node", [None, "x", 3, {"a": 1}, {"-1": 1}, {"²": 1}, {"9" * 30: 1}])
def test_what_has_no_numbers_for_keys_has_no_items(node: Any) -> None:
    assert items_of(node) == []


@pytest.mark.parametrize(
    "node",
    [
        {"a.b.c": 1},
        {"a": {"b": {"c": 1}}},
        {"a": {"b.c": 1}},
    ],
)
def test_a_path_leads_through_keys_with_and_without_dots(node: Any) -> None:
    assert value_at_path(node, "a.b.c") == 1


@pytest.mark.parametrize("node", [None, [], {"a": 1}, {"a": {}}, {"a": {"b": {}}}])
def test_a_path_that_ends_early_leads_nowhere(node: Any) -> None:
    assert value_at_path(node, "a.b.c") is None
