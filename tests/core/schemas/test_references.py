"""Schemas inside of schemas."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from callscore.core.schemas.references import (
    ALL_KEYWORDS,
    SAME_VALUE_KEYWORDS,
    apply_nullable,
    resolve_reference,
    subschemas,
)
from callscore.core.schemas.validation import schema_problem

SCHEMA = {
    "not": 1,
    "anyOf": [2, 3],
    "dependentSchemas": {"a": 4},
    "items": [5],
    "properties": {"b": 6},
    "oneOf": "nonsense",
    "dependencies": None,
    "title": "x",
}


def test_schemas_for_the_same_value_are_told_from_those_inside() -> None:
    assert [item for item in subschemas(SCHEMA, SAME_VALUE_KEYWORDS) if item] == [1, 2, 3, 4]


def test_schemas_are_found_alone_in_lists_and_by_name() -> None:
    found = [item for item in subschemas(SCHEMA, ALL_KEYWORDS) if isinstance(item, int)]

    assert sorted(found) == [1, 2, 3, 4, 5, 6]


# What OpenAPI says with `nullable`.

TEXT = {"type": "string"}


def test_nullable_as_a_property_name_a_default_or_a_text_is_left_unchanged() -> None:
    schema = {"properties": {"nullable": TEXT}, "default": {"nullable": True}, "nullable": "yes"}
    before = {"properties": {"a": deepcopy(schema)}}

    apply_nullable(before)

    assert before == {"properties": {"a": schema}}


def test_null_is_not_named_twice() -> None:
    schema = {"items": {"type": ["null", "string"], "enum": [None], "nullable": True}}

    apply_nullable(schema)

    assert schema == {"items": {"type": ["null", "string"], "enum": [None]}}


@pytest.mark.parametrize("part", [{"type": 5}, {"type": [{}]}, {"enum": 5}, {"anyOf": 5}])
def test_an_invalid_schema_with_nullable_stays_invalid(part: dict[str, Any]) -> None:
    assert schema_problem({"properties": {"a": {**part, "nullable": True}}})


# References inside of a schema.

NESTED_SCHEMA = {"$defs": {"a/b": {"c~d": {"type": "string"}}}, "allOf": [{"minimum": 1}]}


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("#", NESTED_SCHEMA),
        ("#/$defs/a~1b/c~0d", {"type": "string"}),
        ("#/allOf/0", {"minimum": 1}),
        ("#/allOf/1", None),
        ("#/allOf/x", None),
        ("#/allOf/99999999999999999999", None),
        ("#/allOf/0/minimum/x", None),
        ("#/nowhere/at/all", None),
        ("#anchor", None),
        ("http://example.invalid/x", None),
        (None, None),
        (3, None),
    ],
)
def test_a_reference_leads_to_its_target_or_nowhere(reference: Any, target: Any) -> None:
    assert resolve_reference(NESTED_SCHEMA, reference) == target
