"""Which arguments a schema knows."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.checks.tool_schema import close_schema, unknown_arguments

A: dict[str, Any] = {"properties": {"a": {}}}


def _unknown(schema: Any, *names: str) -> list[str] | None:
    """The names that a schema does not know; None where it knows of more than it names."""
    known = close_schema(schema)
    return None if known is None else unknown_arguments(known, dict.fromkeys(names, 1))


@pytest.mark.parametrize("schema", [A, {**A, "additionalProperties": False}])
def test_what_properties_do_not_name_is_made_up(schema: dict[str, Any]) -> None:
    assert _unknown(schema, "a", "b") == ["b"]
    assert _unknown(schema, "a") == []


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object"},
        {"patternProperties": {"^x-": {}}},
        {"properties": {}, "additionalProperties": True},
        True,
        {**A, "additionalProperties": True},
        {**A, "additionalProperties": {"type": "string"}},
        {**A, "unevaluatedProperties": True},
        {"allOf": [A, {"additionalProperties": {}}]},
        {**A, "$ref": "#somewhere"},
        {**A, "$dynamicRef": "#x"},
        {**A, "allOf": [{"$ref": "#/$defs/none"}]},
    ],
)
def test_a_schema_that_lets_others_in_makes_nothing_up(schema: Any) -> None:
    assert close_schema(schema) is None


@pytest.mark.parametrize("schema", [{"properties": {}}, {"allOf": [{"properties": {}}]}])
def test_a_schema_with_no_properties_to_name_takes_no_arguments(schema: dict[str, Any]) -> None:
    assert _unknown(schema, "a") == ["a"]
    assert _unknown({**schema, "patternProperties": {"^x-": {}}}, "a", "x-1") == ["a"]


def test_a_name_that_a_pattern_knows_is_not_made_up() -> None:
    schema = {**A, "patternProperties": {"^x-": {}}}

    assert _unknown(schema, "a", "x-1", "y", "z") == ["y", "z"]
    assert _unknown(schema, "a") == []


@pytest.mark.parametrize(
    "part",
    [
        {"allOf": [{"properties": {"b": {}}}]},
        {"anyOf": [{"properties": {"b": {}}}, {"type": "null"}]},
        {"oneOf": [{"properties": {"b": {}}}]},
        {"if": {}, "then": {"properties": {"b": {}}}},
        {"if": {}, "else": {"properties": {"b": {}}}},
        {"dependentSchemas": {"a": {"properties": {"b": {}}}}},
        {"dependencies": {"a": {"properties": {"b": {}}}, "b": ["a"]}},
        {"$ref": "#/$defs/rest", "$defs": {"rest": {"properties": {"b": {}}}}},
    ],
)
def test_what_other_parts_of_the_schema_name_is_known(part: dict[str, Any]) -> None:
    assert _unknown({**A, **part}, "a", "b", "c") == ["c"]


def test_a_schema_that_refers_to_itself_is_gone_through_once() -> None:
    assert _unknown({**A, "allOf": [{"$ref": "#"}]}, "b") == ["b"]


def test_parts_of_a_strange_form_say_nothing() -> None:
    assert _unknown({**A, "allOf": 3, "patternProperties": [], "dependencies": 4}, "b") == ["b"]


def test_names_beyond_unicode_can_be_made_up() -> None:
    assert _unknown({**A, "patternProperties": {"^x": {}}}, "\ud800") == ["\ud800"]
