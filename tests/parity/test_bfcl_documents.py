"""What BFCL is told of plain calls."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import Tool
from callscore.parity.bfcl import _answers_for_calls, _function_documents


def document(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"name": "f", "parameters": {"properties": properties, "required": required}}


@pytest.mark.parametrize(
    ("value", "described"),
    [
        ("x", {"type": "string"}),
        (1, {"type": "integer"}),
        (1.0, {"type": "float"}),
        (True, {"type": "boolean"}),
        (None, {"type": "any"}),
        ({}, {"type": "dict"}),
        ([], {"type": "array", "items": {"type": "any"}}),
        ([1, "x"], {"type": "array", "items": {"type": "integer"}}),
        ([None], {"type": "array", "items": {"type": "any"}}),
    ],
)
def test_a_parameter_has_the_type_of_its_first_value(value: Any, described: Any) -> None:
    calls: Any = [("f", {"a": value}), ("f", {"a": object(), "b": "x"}), ("f", None)]

    assert _function_documents(calls, {}) == [
        document({"a": described, "b": {"type": "string"}}, ["a", "b"])
    ]


def test_every_function_has_one_document() -> None:
    functions = _function_documents([("g", {}), ("f", {}), ("g", {"a": 1})], {})

    assert [function["name"] for function in functions] == ["g", "f"]


@pytest.mark.parametrize(
    ("schema", "described"),
    [
        ({"type": "object"}, {"type": "dict"}),
        ({"type": "number"}, {"type": "float"}),
        ({"type": "boolean"}, {"type": "boolean"}),
        ({"type": ["null", "integer", "string"]}, {"type": "integer"}),
        ({"type": "null"}, {"type": "any"}),
        ({"enum": [1]}, {"type": "any"}),
        (True, {"type": "any"}),
        (
            {"type": "array", "items": {"type": "number"}},
            {"type": "array", "items": {"type": "float"}},
        ),
        ({"type": "array"}, {"type": "array", "items": {"type": "any"}}),
    ],
)
def test_a_definition_gives_the_types_in_bfcls_words(schema: Any, described: Any) -> None:
    tool = Tool("f", parameters={"properties": {"a": schema}, "required": ["a"]})

    assert _function_documents([("f", {"a": 1})], {"f": tool}) == [
        document({"a": described}, ["a"])
    ]


@pytest.mark.parametrize("parameters", [None, {}, {"properties": [], "required": True}])
def test_a_definition_may_say_nothing(parameters: Any) -> None:
    assert _function_documents([("f", {"a": 1})], {"f": Tool("f", parameters=parameters)}) == [
        document({}, [])
    ]


def test_every_value_is_the_only_possible_answer() -> None:
    calls: Any = [("f", {"a": 1, "o": {"b": {"c": 2}}, "l": [{"d": 3}, 4], "m": [5, {"e": 6}]})]

    assert _answers_for_calls(calls, may_be_left_out=False) == [
        {"f": {"a": [1], "o": [{"b": [{"c": 2}]}], "l": [[{"d": [3]}, 4]], "m": [[5, {"e": 6}]]}}
    ]


def test_it_may_be_left_out_where_that_is_said() -> None:
    calls: Any = [("f", {"a": 1}), ("g", None)]

    assert _answers_for_calls(calls, may_be_left_out=True) == [{"f": {"a": [1, ""]}}, {"g": {}}]
