"""Values that stand in a text without a type."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import Tool
from callscore.formats.families.model_text import typed_arguments, typed_value


def typed(text: str, schema: Any) -> Any:
    return typed_value(
        text, {"properties": {"x": schema}, "$defs": {"n": {"type": "integer"}}}, "x"
    )


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "integer"}, "3", 3),
        ({"type": "integer"}, " 3 ", 3),
        ({"type": "integer"}, "3.5", "3.5"),
        ({"type": "integer"}, "three", "three"),
        ({"type": "integer"}, "true", "true"),
        ({"type": "number"}, "3", 3),
        ({"type": "number"}, "-2.5e3", -2500.0),
        ({"type": "boolean"}, "True", True),
        ({"type": "boolean"}, "false", False),
        ({"type": "boolean"}, "yes", "yes"),
        ({"type": "array"}, "[1, 2]", [1, 2]),
        ({"type": "array"}, "{}", "{}"),
        ({"type": "object"}, '{"a": 1}', {"a": 1}),
        ({"type": "object"}, "{'a': 1}", "{'a': 1}"),
        ({"type": "null"}, "null", None),
        ({"type": ["integer", "null"]}, "None", None),
        ({"type": ["integer", "null"]}, "4", 4),
        ({"type": ["string", "integer"]}, "4", "4"),
        ({"type": ["string", "null"]}, "null", None),
        ({"type": "string"}, "4", "4"),
        ({"type": 5}, "4", "4"),
        ({"type": [5]}, "4", "4"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "4", 4),
        ({"oneOf": [{"type": "boolean"}]}, "true", True),
        ({"$ref": "#/$defs/n"}, "4", 4),
        ({"$ref": "#/$defs/none"}, "4", "4"),
        ({"$ref": "elsewhere"}, "4", "4"),
        ({}, "4", "4"),
        (None, "4", "4"),
    ],
)
def test_a_text_is_what_the_schema_says_or_else_text(schema: Any, text: str, value: Any) -> None:
    found = typed(text, schema)

    assert (found, type(found)) == (value, type(value))


def test_arguments_without_a_schema_stay_text() -> None:
    pairs = [("a", "1"), ("b", "x")]

    assert typed_arguments(pairs, None) == {"a": "1", "b": "x"}
    assert typed_arguments(pairs, Tool("f")) == {"a": "1", "b": "x"}


def test_arguments_are_typed_one_by_one() -> None:
    tool = Tool("f", parameters={"properties": {"a": {"type": "integer"}}})

    assert typed_arguments([("a", "1"), ("b", "1")], tool) == {"a": 1, "b": "1"}
