"""Definitions of tools and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.dialects.tool_definitions import (
    is_definition,
    is_schema,
    joins_lines,
    read,
    read_tools,
    recognizes,
)
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
PLAIN = {"name": "f", "description": "d", "parameters": SCHEMA}


@pytest.mark.parametrize(
    "entry",
    [
        PLAIN,
        {"name": "f", "parameters": SCHEMA},
        {"name": "f", "description": "d", "parameters": {}},
        {"type": "function", "function": {"name": "f", "parameters": SCHEMA}},
        {"type": "function", "function": {"name": "f", "description": "d"}},
        {"type": "function", "name": "f", "parameters": {}},
        {"name": "f", "input_schema": SCHEMA},
        {"name": "f", "inputSchema": {}},
        {"name": "f", "parameters": '{"type": "object"}'},
        {"toolSpec": {"name": "f", "inputSchema": {"json": SCHEMA}}},
        {"functionDeclarations": [{"name": "f"}]},
        {"function_declarations": [{"name": "f", "parameters": {"type": "OBJECT"}}]},
        {"name": "f", "parameters_json_schema": SCHEMA},
    ],
)
def test_a_definition_is_told_in_every_spelling(entry: dict[str, Any]) -> None:
    assert is_definition(entry)
    assert joins_lines(entry)
    for document in (entry, [entry], {"tools": [entry]}, {"domain": [entry]}):
        assert recognizes(document)
        assert [tool.name for tool in read_tools(document)] == ["f"]
        assert read(document, DEFAULT_READ_OPTIONS) == [Trace()]


@pytest.mark.parametrize(
    "entry",
    [
        {"name": "f", "arguments": {}},
        {"name": "f", "parameters": {"city": "Paris"}},
        {"name": "f", "description": "d"},
        {"name": "", "parameters": SCHEMA},
        {"type": "function", "function": {"name": "f", "arguments": "{}"}},
        {"type": "function", "function": {"name": "f"}},
        {"functionDeclarations": []},
        {"name": "f", "description": "d", "parameters": {}, "args": {}},
        {"parameters": SCHEMA},
        "f",
    ],
)
def test_a_call_or_anything_else_is_no_definition(entry: Any) -> None:
    assert not is_definition(entry)
    assert not recognizes(entry)
    assert not recognizes([entry])


def test_a_tool_without_parameters_is_one_among_others() -> None:
    document = [
        PLAIN,
        {"name": "g", "description": "d"},
        {"type": "function", "function": {"name": "h"}},
    ]

    assert recognizes(document)
    assert [tool.name for tool in read_tools(document)] == ["f", "g", "h"]


@pytest.mark.parametrize(
    "document",
    [
        [PLAIN, {"name": "f", "arguments": {}}],
        [PLAIN, 5],
        {"tools": [PLAIN], "messages": []},
        {"a": [PLAIN], "b": 5},
        {"tools": []},
        {},
    ],
)
def test_definitions_among_other_things_are_not_claimed(document: Any) -> None:
    assert not recognizes(document)


def test_lists_by_name_give_all_their_tools() -> None:
    document = {"a": [PLAIN], "b": [{**PLAIN, "name": "g"}]}

    assert [tool.name for tool in read_tools(document)] == ["f", "g"]
    assert read_tools({"functions": [PLAIN], "x": 5})[0].name == "f"
    assert read_tools("x") == []


@pytest.mark.parametrize(
    ("value", "is_it"),
    [
        (SCHEMA, True),
        ({"type": "dict"}, True),
        ({"$schema": "x"}, True),
        ({"properties": {}}, True),
        ('{"type": "object"}', True),
        ({"properties": "all"}, False),
        ({"type": "house"}, False),
        ({}, False),
        ("x", False),
        (None, False),
    ],
)
def test_a_schema_is_told_from_arguments(value: Any, is_it: bool) -> None:
    assert is_schema(value) is is_it
