"""The schemas of what the tools are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest

from callscore.core.rules import comparators
from callscore.formats.expectations import GROUPS
from callscore.integrations.schemas import check_input_schema, score_input_schema
from callscore.integrations.tools import TOOLS, run_tool

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEMAS = [score_input_schema(), check_input_schema()]
every_schema = pytest.mark.parametrize("schema", SCHEMAS, ids=["score", "check"])


def schemas_in(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for member in [*schema.get("properties", {}).values(), schema.get("items")]:
        if member is not None:
            yield from schemas_in(member)


@every_schema
def test_a_schema_is_one(schema: dict[str, Any]) -> None:
    jsonschema_rs.meta.validate(schema)


@every_schema
def test_every_value_but_a_definition_has_one_type_and_most_have_words(
    schema: dict[str, Any],
) -> None:
    definition = schema["properties"]["tools"]["items"]
    inner = [item for item in schemas_in(schema) if item is not definition]
    properties = [member for item in inner for member in item.get("properties", {}).values()]

    assert all(isinstance(item["type"], str) for item in inner)
    assert all(member["description"] for member in properties)


@every_schema
def test_only_words_that_every_provider_takes_are_used(schema: dict[str, Any]) -> None:
    known = {"type", "description", "enum", "properties", "required", "items", "minimum", "maximum"}

    words = {key for item in schemas_in(schema) for key in item}

    assert words == (known if schema is SCHEMAS[0] else known - {"enum", "minimum", "maximum"}) | {
        "additionalProperties"
    }


@pytest.mark.parametrize(
    "arguments",
    [
        {"expected": [], "actual": []},
        {"expected": [{"tool": "f", "args": {"a": 1}}], "actual": [{"tool": "f"}]},
        {"expected": [{"name": "f", "arguments": {}}], "actual": [{"name": "f", "arguments": {}}]},
        {"expected": [{"one_of": [{"tool": "f"}]}, {"optional": {"tool": "g"}}], "actual": []},
        {"expected": [{"forbid": "g*"}, {"tool": "f", "times": 2}], "actual": []},
        {"expected": [], "actual": [], "mode": "flexible", "threshold": 1, "order": "exact"},
        {"expected": [], "actual": [], "tools": ["f", "g"]},
        {"expected": [], "actual": [], "tools": [{"name": "f", "parameters": {}}]},
    ],
)
def test_what_the_schema_allows_is_answered(arguments: dict[str, Any]) -> None:
    jsonschema_rs.validate(SCHEMAS[0], arguments)

    assert not run_tool(TOOLS["score_tool_calls"], arguments).is_error


@pytest.mark.parametrize(
    "arguments",
    [
        {"expected": []},
        {"expected": "f", "actual": []},
        {"expected": [], "actual": [], "mode": "other"},
        {"expected": [], "actual": [], "threshold": 2},
        {"expected": [], "actual": [], "more": 1},
    ],
)
def test_what_the_schema_forbids_is_an_error(arguments: dict[str, Any]) -> None:
    assert not jsonschema_rs.is_valid(SCHEMAS[0], arguments)
    assert run_tool(TOOLS["score_tool_calls"], arguments).is_error


def test_the_rules_and_groups_that_models_are_told_about_exist() -> None:
    items = score_input_schema()["properties"]["expected"]["items"]["properties"]
    keys = {key for comparator in comparators() for key in comparator.keys} | {"$literal"}

    told = {word for word in items["args"]["description"].split('"') if word.startswith("$")}

    assert told <= keys
    assert set(GROUPS) <= items.keys()
