"""Schemas inside of schemas."""

from __future__ import annotations

from callscore.core.schemas.traversal import ALL_KEYWORDS, SAME_VALUE_KEYWORDS, subschemas

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
