"""Schemas that ask more and more of one value."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.schemas.references import expands_too_much, takes_too_long
from callscore.core.schemas.validation import validation_errors


def _tower(levels: int, keyword: str = "allOf") -> dict[str, Any]:
    steps: dict[str, Any] = {
        f"a{i}": {keyword: [{"$ref": f"#/$defs/a{i + 1}"}] * 2} for i in range(levels)
    }
    return {**steps, f"a{levels}": {"type": "integer"}}


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
@pytest.mark.parametrize(
    "use", [{"$ref": "#/$defs/a0"}, {"properties": {"x": {"not": {"$ref": "#/$defs/a0"}}}}]
)
def test_a_tower_of_references_asks_too_much(keyword: str, use: dict[str, Any]) -> None:
    assert expands_too_much({"$defs": _tower(40, keyword), **use})
    assert not expands_too_much({"$defs": _tower(5, keyword), **use})


def test_a_tower_whose_floors_are_named_in_lists_and_dependencies_asks_too_much() -> None:
    floors = [
        {"dependentSchemas": {"a": {"$ref": f"#/prefixItems/{i + 1}"}}, "if": {"$ref": ref}}
        for i, ref in enumerate(f"#/prefixItems/{i + 1}" for i in range(30))
    ]

    assert expands_too_much({"prefixItems": [*floors, {}], "$ref": "#/prefixItems/0"})


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"properties": {"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}},
        {"properties": {f"p{i}": {"type": "string"} for i in range(20_000)}},
        {"$ref": "http://example.invalid/x"},
        {"$ref": "#/title", "title": "x"},
        {"allOf": 3, "dependencies": 4, "$ref": 5},
    ],
)
def test_other_schemas_do_not(schema: Any) -> None:
    assert not expands_too_much(schema)


def test_a_long_chain_of_references_asks_too_much() -> None:
    chain = {f"a{i}": {"$ref": f"#/$defs/a{i + 1}"} for i in range(10_000)}

    assert expands_too_much({"$defs": {**chain, "a10000": {}}, "$ref": "#/$defs/a0"})


# Values whose errors would be told again and again.

NODE: dict[str, Any] = {"$ref": "#/$defs/node"}
LEAF: dict[str, Any] = {"type": "string"}


def _schema(node: dict[str, Any]) -> dict[str, Any]:
    return {"properties": {"c": NODE}, "$defs": {"node": node}}


def _twice(part: dict[str, Any]) -> dict[str, Any]:
    return _schema({"anyOf": [LEAF, part, {**part, "title": "again"}]})


def _members(depth: int) -> Any:
    value: Any = 5
    for _ in range(depth):
        value = {"c": value}
    return value


def _items(depth: int) -> Any:
    value: Any = 5
    for _ in range(depth):
        value = [value]
    return {"c": value}


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ({"properties": {"c": NODE}}, _members(40)),
        ({"additionalProperties": NODE}, _members(40)),
        ({"patternProperties": {"c": NODE}}, _members(40)),
        ({"items": NODE}, _items(40)),
        ({"items": [NODE]}, _items(40)),
        ({"prefixItems": [NODE]}, _items(40)),
    ],
)
def test_two_ways_down_at_every_level_take_too_long(part: dict[str, Any], value: Any) -> None:
    assert takes_too_long(_twice(part), value)
    assert not takes_too_long(_schema({"anyOf": [LEAF, part]}), value)


def test_a_few_levels_do_not() -> None:
    schema = _twice({"type": "object", "properties": {"c": NODE}})

    assert not takes_too_long(schema, _members(5))
    assert [error.keyword for error in validation_errors(schema, _members(5))] == ["type"]


def test_many_values_side_by_side_do_not() -> None:
    schema = _twice({"items": LEAF})

    assert not takes_too_long(schema, {"c": [5] * 20_000})


def test_schemas_that_lead_to_one_another_without_end_take_too_long() -> None:
    schema = _schema({"allOf": [NODE, NODE]})

    assert takes_too_long(schema, {"c": 5})


def test_subschemas_that_are_not_objects_are_passed_over() -> None:
    assert not takes_too_long(
        _schema({"properties": 5, "items": True, "prefixItems": 3}), {"c": {"d": [1]}}
    )


def test_such_a_value_has_one_error_at_once() -> None:
    schema = _twice({"type": "object", "properties": {"c": NODE}})

    (error,) = validation_errors(schema, _members(60))  # a full check, of 2**60 steps, never ends

    assert (error.keyword, error.path) == ("invalid", "$")


def test_a_valid_value_is_valid_however_deep_it_is() -> None:
    value: Any = "x"
    for _ in range(60):
        value = {"c": value}

    assert validation_errors(_twice({"properties": {"c": NODE}}), value) == []
