"""The tools as each stack wants them defined."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any, get_args

import jsonschema_rs
import pytest

import callscore
from callscore.errors import InvalidSettings
from callscore.integrations import tool_definition
from callscore.integrations.tools import TOOLS, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

every_tool = pytest.mark.parametrize("tool", TOOLS)
# The fields of a schema under `parameters` that Gemini documents, and no others.
OF_GEMINI = {
    *("type", "format", "title", "description", "nullable", "enum", "items", "properties"),
    *("required", "minItems", "maxItems", "minProperties", "maxProperties", "minLength"),
    *("maxLength", "pattern", "example", "anyOf", "propertyOrdering", "default"),
    *("minimum", "maximum"),
}


def schemas_in(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for member in [*schema.get("properties", {}).values(), schema.get("items")]:
        if member is not None:
            yield from schemas_in(member)


@every_tool
def test_openai_takes_a_function_in_a_wrapper(tool: str) -> None:
    definition = tool_definition("openai", tool)

    assert definition == {
        "type": "function",
        "function": {
            "name": tool,
            "description": TOOLS[tool].description,
            "parameters": TOOLS[tool].input_schema(),
        },
    }


@every_tool
def test_the_responses_of_openai_take_it_without_a_wrapper(tool: str) -> None:
    definition = tool_definition("openai-responses", tool)

    assert definition == {
        "type": "function",
        **tool_definition("openai", tool)["function"],
        "strict": False,
    }


@every_tool
def test_anthropic_takes_an_input_schema(tool: str) -> None:
    definition = tool_definition("anthropic", tool)

    assert definition == {
        "name": tool,
        "description": TOOLS[tool].description,
        "input_schema": TOOLS[tool].input_schema(),
    }


@every_tool
def test_gemini_takes_a_part_of_json_schema(tool: str) -> None:
    definition = tool_definition("gemini", tool)

    inner = list(schemas_in(definition["parameters"]))
    assert set(definition) == {"name", "description", "parameters"}
    assert {key for schema in inner for key in schema} <= OF_GEMINI
    assert all(isinstance(schema["type"], str) for schema in inner)
    # An object without properties has no keys there, and a required one must be among them.
    assert all(schema["properties"] for schema in inner if schema["type"] == "object")
    assert all(
        set(schema.get("required", ())) <= set(schema.get("properties", ())) for schema in inner
    )


def test_gemini_is_asked_for_free_objects_as_text() -> None:
    properties = tool_definition("gemini")["parameters"]["properties"]

    assert properties["actual"]["items"]["properties"]["args"] == {
        "type": "string",
        "description": "The arguments. Everything in it is literal. As the text of a JSON object.",
    }
    assert properties["expected"]["items"]["properties"]["in_order"]["items"] == {
        "type": "string",
        "description": "As the text of a JSON object.",
    }


def test_gemini_is_asked_for_definitions_and_names_as_text() -> None:
    properties = tool_definition("gemini")["parameters"]["properties"]

    assert properties["tools"]["items"] == {
        "type": "string",
        "description": "One definition, or only the name of the tool. An object as JSON.",
    }


@every_tool
def test_a_json_schema_is_one_of_the_arguments_with_a_title(tool: str) -> None:
    definition = tool_definition("json-schema", tool)

    jsonschema_rs.meta.validate(definition)
    assert definition["title"] == tool
    assert definition["properties"] == TOOLS[tool].input_schema()["properties"]


@pytest.mark.parametrize("kind", get_args(Kind))
def test_the_scoring_tool_is_what_one_gets_without_a_name(kind: Kind) -> None:
    assert tool_definition(kind) == tool_definition(kind, "score_tool_calls")


@pytest.mark.parametrize("kind", ["openai", "openai-responses", "anthropic", "gemini"])
def test_callscore_reads_the_definition_itself(kind: Kind) -> None:
    (tool,) = callscore.read_tools([tool_definition(kind)])

    assert tool.name == "score_tool_calls"
    assert tool.parameters is not None


def test_what_only_the_server_needs_is_not_loaded_for_a_definition() -> None:
    program = (
        "import sys, callscore.integrations, callscore.cli.mcp;"
        "print(sorted({'anyio', 'asyncio', 'mcp', 'pydantic', 'starlette', 'uvicorn'} & {*sys.modules}))"
    )

    ran = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )

    assert ran.stdout == "[]\n"


def test_a_definition_may_be_changed_by_whoever_asked_for_it() -> None:
    tool_definition("anthropic")["input_schema"]["properties"].clear()

    assert tool_definition("anthropic")["input_schema"]["properties"]


@pytest.mark.parametrize(
    ("kind", "tool", "told"),
    [
        (
            "open-ai",
            "score_tool_calls",
            "kind: 'open-ai' is not one of openai, .* Is 'openai' meant",
        ),
        (None, "score_tool_calls", "kind: None is not one of openai, "),
        ("openai", "score", "there is no tool 'score'. Is 'score_tool_calls' meant"),
    ],
)
def test_a_kind_or_a_tool_that_there_is_not_is_refused(kind: Any, tool: str, told: str) -> None:
    with pytest.raises(InvalidSettings, match=told):
        tool_definition(kind, tool)
