"""What OpenAPI says with `nullable`."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.schemas.traversal import apply_nullable
from callscore.core.schemas.validation import schema_problem, validation_errors

TEXT = {"type": "string"}
DEFS = {"X": {"enum": ["x"]}, "Y": {"type": "string", "nullable": True}}


def _errors(schema: dict[str, Any], value: Any) -> int:
    return len(validation_errors({"properties": {"a": schema}, "$defs": DEFS}, {"a": value}))


@pytest.mark.parametrize(
    "schema",
    [
        TEXT,
        {"type": ["string", "number"]},
        {"type": "string", "enum": ["x"]},
        {"const": "x"},
        {"anyOf": [TEXT, {"type": "number"}]},
        {"oneOf": [TEXT, {"type": "number", "nullable": True}]},
        {"allOf": [TEXT]},
        {"$ref": "#/$defs/X"},
        {"not": {"type": ["null", "array"]}},
    ],
)
def test_null_passes_where_it_is_said_and_nothing_else_does(schema: dict[str, Any]) -> None:
    assert _errors(schema, None) or "oneOf" in schema
    assert not _errors({**schema, "nullable": True}, None)
    assert not _errors({**schema, "nullable": True}, "x")
    assert _errors({**schema, "nullable": True}, [])
    assert _errors({**schema, "nullable": False}, []) == _errors(schema, [])


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "array", "items": {**TEXT, "nullable": True}}, [None]),
        ({"prefixItems": [{**TEXT, "nullable": True}]}, [None]),
        ({"properties": {"b": {**TEXT, "nullable": True}}}, {"b": None}),
        ({"additionalProperties": {**TEXT, "nullable": True}}, {"b": None}),
        ({"anyOf": [{**TEXT, "nullable": True}]}, None),
        ({"$ref": "#/$defs/Y"}, None),
    ],
)
def test_it_is_said_at_any_depth(schema: dict[str, Any], value: Any) -> None:
    assert not _errors(schema, value)


def test_what_is_only_called_so_says_nothing() -> None:
    schema = {"properties": {"nullable": TEXT}, "default": {"nullable": True}, "nullable": "yes"}
    before = {"properties": {"a": {**schema}}}

    apply_nullable(before)

    assert before == {"properties": {"a": schema}}


def test_null_is_not_named_twice() -> None:
    schema = {"items": {"type": ["null", "string"], "enum": [None], "nullable": True}}

    apply_nullable(schema)

    assert schema == {"items": {"type": ["null", "string"], "enum": [None]}}


def test_the_arguments_themselves_stay_an_object() -> None:
    assert validation_errors({"type": "object", "nullable": True}, None)


@pytest.mark.parametrize("part", [{"type": 5}, {"type": [{}]}, {"enum": 5}, {"anyOf": 5}])
def test_what_is_no_schema_stays_none(part: dict[str, Any]) -> None:
    assert schema_problem({"properties": {"a": {**part, "nullable": True}}})
