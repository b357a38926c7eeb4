"""Definitions of tools, in every spelling."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore.core.call import Tool
from callscore.formats.definitions import (
    combined_tools,
    declared_effects,
    read_definition,
    read_definitions,
    unique_tools,
)

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOL = Tool("f", "It fs.", SCHEMA)
FLAT = {"name": "f", "description": "It fs."}


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "function", "function": {**FLAT, "parameters": SCHEMA, "strict": True}},
        {"type": "function", **FLAT, "parameters": SCHEMA},
        {**FLAT, "input_schema": SCHEMA},
        {**FLAT, "inputSchema": SCHEMA},
        {**FLAT, "inputSchema": {"json": SCHEMA}},
        {"toolSpec": {**FLAT, "inputSchema": {"json": SCHEMA}}},
        {**FLAT, "parametersJsonSchema": SCHEMA},
        {**FLAT, "parameters_json_schema": SCHEMA},
        {**FLAT, "parameters": msgspec.json.encode(SCHEMA).decode()},
        {
            **FLAT,
            "parameters": {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}},
        },
    ],
)
def test_a_definition_is_read_in_the_spelling_of_every_stack(entry: dict[str, Any]) -> None:
    assert read_definition(entry) == TOOL


def test_types_in_upper_case_are_lowered_at_every_depth() -> None:
    schema = {
        "type": "OBJECT",
        "properties": {
            "list": {"type": "ARRAY", "items": {"type": "INTEGER"}},
            "either": {"anyOf": [{"type": "STRING"}, {"type": "NULL"}, 5]},
            "odd": 3,
            "kind": {"type": "STRING", "enum": ["OBJECT"]},
            "free": {"type": "OBJECT", "additionalProperties": {"type": "NUMBER"}},
            "deep": {"properties": {"type": {"type": "BOOLEAN"}}},
        },
    }

    tool = read_definition({"name": "f", "parameters": schema})

    assert tool is not None
    assert tool.parameters == {
        "type": "object",
        "properties": {
            "list": {"type": "array", "items": {"type": "integer"}},
            "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "odd": 3,
            "kind": {"type": "string", "enum": ["OBJECT"]},
            "free": {"type": "object", "additionalProperties": {"type": "number"}},
            "deep": {"properties": {"type": {"type": "boolean"}}},
        },
    }
    assert schema["type"] == "OBJECT"


@pytest.mark.parametrize(
    ("annotations", "effect"),
    [
        ({"readOnlyHint": True}, "read"),
        ({"read_only_hint": True}, "read"),
        ({"readOnlyHint": False, "destructiveHint": False}, "write"),
        ({"destructiveHint": True}, "write"),
        ({"destructiveHint": False}, None),
        ({}, None),
        ("x", None),
        (None, None),
    ],
)
def test_hints_tell_the_effect(annotations: Any, effect: str | None) -> None:
    tool = read_definition({"name": "f", "annotations": annotations})

    assert tool == Tool("f", effect=effect)  # type: ignore[arg-type]  # or None


@pytest.mark.parametrize(
    ("kind", "effect"),
    [
        ("READ", "read"),
        ("read", "read"),
        ("WRITE", "write"),
        # They calculate, think, or hand the conversation over; the database stays as it is.
        ("GENERIC", "read"),
        ("THINK", "read"),
        ("OTHER", None),
        (5, None),
        (None, None),
    ],
)
@pytest.mark.parametrize("wrap", [lambda tool: tool, lambda tool: {"function": tool}])
def test_kinds_of_tau2_tell_the_effect(wrap: Any, kind: Any, effect: str | None) -> None:
    assert read_definition(wrap({"name": "f", "x-tool-type": kind})) == Tool("f", effect=effect)  # type: ignore[arg-type]  # or None


def test_the_kind_beside_a_wrapper_tells_the_effect() -> None:
    tool = read_definition({"function": {"name": "f"}, "x-tool-type": "WRITE"})

    assert tool == Tool("f", effect="write")


def test_hints_come_before_kinds_and_words_before_hints() -> None:
    hints, kind = {"readOnlyHint": True}, "WRITE"
    entry = {"name": "f", "annotations": hints, "x-tool-type": kind}

    assert read_definition(entry) == Tool("f", effect="read")
    assert read_definition({**entry, "effect": "write"}) == Tool("f", effect="write")


def test_descriptions_tell_no_effect() -> None:
    words = "Read-only: does not change anything. Creates, updates and deletes records."

    assert read_definition({"name": "f", "description": words}) == Tool("f", words)


def test_declared_effects_have_their_sources() -> None:
    tools = [
        {"name": "a", "effect": "read"},
        {"type": "function", "function": {"name": "b"}, "x-tool-type": "GENERIC"},
        {"toolSpec": {"name": "c"}, "annotations": {"destructiveHint": True}},
        {"name": "d", "annotations": {"readOnlyHint": False}},
        {"name": "e", "description": "Read-only."},
    ]

    found = dict(declared_effects({"result": {"tools": tools}}))

    assert found == {
        "a": ("read", "effect"),
        "b": ("read", "x-tool-type"),
        "c": ("write", "destructiveHint"),
        "d": ("write", "readOnlyHint"),
    }


def test_lists_may_nest_and_may_be_mappings_or_text() -> None:
    nested = [{"functionDeclarations": [{**FLAT, "parameters": SCHEMA}]}, {"googleSearch": {}}]

    assert read_definitions(nested) == [TOOL]
    assert read_definitions({"f": {"description": "It fs.", "parameters": SCHEMA}}) == [TOOL]
    assert read_definitions(msgspec.json.encode(nested).decode()) == [TOOL]
    assert read_definitions([msgspec.json.encode(nested[0]).decode()]) == [TOOL]


@pytest.mark.parametrize("entries", [None, 5, "x", [], [None], [5], [{}], [{"name": ""}], {"a": 1}])
def test_input_without_a_tool_definition_gives_no_tools(entries: Any) -> None:
    assert read_definitions(entries) == []


@pytest.mark.parametrize("schema", [None, 5, "x", []])
def test_a_tool_may_have_no_schema(schema: Any) -> None:
    assert read_definition({"name": "f", "parameters": schema}) == Tool("f")


def test_the_types_of_a_schema_of_dicts_are_those_of_the_leaderboard() -> None:
    schema = {
        "type": "dict",
        "properties": {"a": {"type": "float"}, "b": {"type": "tuple", "items": {"type": "any"}}},
    }

    tool = read_definition({"name": "f", "parameters": schema})

    assert tool == Tool(
        "f",
        parameters={
            "type": "object",
            "properties": {"a": {"type": "number"}, "b": {"type": "array", "items": {}}},
        },
    )


def test_tools_of_the_same_name_are_combined() -> None:
    first = {"properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a", "b"]}
    second = {"properties": {"a": {"type": "number"}, "c": {}}, "required": ["a"]}
    tools = [Tool("f", "x", first), Tool("g"), Tool("f", "y", second), Tool("f", "z", first)]

    assert combined_tools(tools) == [
        Tool(
            "f",
            "x",
            {
                "type": "object",
                "properties": {"a": {}, "b": {}, "c": {}},
                "required": ["a"],
                "anyOf": [first, second],
            },
        ),
        Tool("g"),
    ]


@pytest.mark.parametrize("other", [None, SCHEMA])
def test_a_tool_with_one_schema_stays_as_it_is(other: Any) -> None:
    assert combined_tools([TOOL, Tool("f", "other", other)]) == [TOOL]


def test_the_same_definition_twice_is_one() -> None:
    assert unique_tools([TOOL, Tool("g"), TOOL]) == [TOOL, Tool("g")]


@pytest.mark.parametrize(("word", "effect"), [("read", "read"), ("write", "write"), ("x", None)])
def test_an_effect_can_be_said_in_our_own_word(word: str, effect: Any) -> None:
    hints = {"readOnlyHint": False} if effect == "read" else {}

    assert read_definition({"name": "f", "effect": word, "annotations": hints}) == Tool(
        "f", effect=effect
    )


def test_a_tool_that_was_read_can_be_read_again() -> None:
    tool = Tool("f", "It fs.", SCHEMA, "read")

    assert read_definitions([msgspec.to_builtins(tool)]) == [tool]
