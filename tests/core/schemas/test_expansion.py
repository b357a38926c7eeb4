"""Schemas that ask more and more of one value."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.schemas.expansion import expands_too_much


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
