"""One way through a schema."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from callscore.datasets.flattening import (
    NoValueError,
    flatten_schema,
    has_alternatives,
    merge_schemas,
)


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ({"minimum": 1}, {"minimum": 2, "maximum": 5}, {"minimum": 2, "maximum": 5}),
        ({"maxLength": 9}, {"maxLength": 5}, {"maxLength": 5}),
        ({"type": "number"}, {"type": "integer"}, {"type": ["integer"]}),
        ({"type": ["string", "null"]}, {"type": ["null", "number"]}, {"type": ["null"]}),
        ({"type": "number"}, {"type": "number"}, {"type": ["number"]}),
        ({"enum": [1, 2]}, {"const": 2}, {"enum": [2]}),
        ({"required": ["a"]}, {"required": ["b", "a"]}, {"required": ["a", "b"]}),
        ({"multipleOf": 4}, {"multipleOf": 6}, {"multipleOf": 12}),
        ({"multipleOf": 0.5}, {"multipleOf": 0.2}, {"multipleOf": 1}),
        ({"multipleOf": 0}, {"multipleOf": 3}, {"multipleOf": 3}),
        ({"items": {"a": 1}}, {"items": {"b": 1}}, {"items": {"allOf": [{"a": 1}, {"b": 1}]}}),
        ({"items": {"a": 1}}, {"items": False}, {"items": False}),
        ({"format": "date"}, {"format": "time"}, {"format": "time"}),
        ({"minimum": 1}, {"exclusiveMinimum": True, "minimum": 3}, {"minimum": 1, "exclusiveMinimum": 3}),
        ({}, {"exclusiveMaximum": False, "maximum": 3}, {"maximum": 3}),
        ({"prefixItems": [1]}, {"prefixItems": [2, 3]}, {"prefixItems": [{"allOf": [1, 2]}, 3]}),
        (
            {"properties": {"a": {"x": 1}, "b": {}}},
            {"properties": {"a": {"y": 1}}},
            {"properties": {"a": {"allOf": [{"x": 1}, {"y": 1}]}, "b": {}}},
        ),
    ],
    ids=str,
)  # fmt: skip
def test_two_schemas_ask_for_what_both_do(first: Any, second: Any, both: Any) -> None:
    assert merge_schemas(first, second) == both


def test_references_are_followed_and_what_stands_beside_them_is_kept() -> None:
    root = {"$defs": {"a": {"type": "integer", "minimum": 1}}}

    flat = flatten_schema({"$ref": "#/$defs/a", "minimum": 5}, root, Random(0))

    assert flat == {"type": "integer", "minimum": 5}


def test_one_of_the_alternatives_is_chosen_and_null_seldom() -> None:
    schema = {"anyOf": [{"type": "null"}, {"type": "integer"}, False]}

    kinds = [flatten_schema(schema, schema, Random(seed))["type"] for seed in range(100)]

    assert set(kinds) == {"null", "integer"}
    assert kinds.count("integer") > 80


def test_where_an_end_must_be_found_the_shortest_way_is_taken() -> None:
    schema = {
        "anyOf": [{"$ref": "#"}, {"type": "object", "properties": {"a": {}}}, {"type": "null"}]
    }

    flat = flatten_schema(schema, schema, Random(0), is_short=True)

    assert flat == {"type": "null"}


def test_a_condition_is_met_together_with_what_follows_from_it() -> None:
    schema = {"if": {"minimum": 5}, "then": {"multipleOf": 2}, "else": {"maximum": 1}}

    found = [flatten_schema(schema, schema, Random(seed)) for seed in range(20)]

    assert {"minimum": 5, "multipleOf": 2} in found
    assert {"maximum": 1} in found


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        (False, "the schema allows no value"),
        ({"allOf": [{"$ref": "#"}]}, "its references are circular"),
        ({"$ref": "#/nowhere"}, "its reference '#/nowhere' cannot be resolved"),
        ({"$ref": "https://example.com/a"}, "cannot be resolved"),
        ({"anyOf": [False]}, "the schema allows no value"),
    ],
    ids=str,
)
def test_what_leads_nowhere_is_refused(schema: Any, problem: str) -> None:
    with pytest.raises(NoValueError) as raised:
        flatten_schema(schema, schema, Random(0))

    assert problem in raised.value.problem


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({"type": "string"}, False),
        (True, False),
        ({"allOf": [{"anyOf": [{}, {}]}]}, True),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"if": {}}}}, True),
        ({"$ref": "#"}, True),
    ],
    ids=str,
)
def test_it_is_known_whether_another_way_can_be_tried(schema: Any, *, found: bool) -> None:
    assert has_alternatives(schema, schema) is found
