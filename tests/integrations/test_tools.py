"""The tools as an agent is offered them."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import msgspec
import pytest
from tests.integrations.test_schemas import schemas_in

import callscore
from callscore import ToolCall
from callscore.errors import InvalidSettings
from callscore.integrations import handle, tool_definition
from callscore.integrations.tools import (
    TOOLS,
    Kind,
    run_tool,
    score_tool_calls,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_a_tool_has_a_name_that_every_provider_takes_and_words_for_it(tool: Any) -> None:
    assert re.fullmatch(r"[a-z_]{1,64}", tool.name)
    assert tool.title
    assert 100 < len(tool.description) < 1024


@pytest.mark.parametrize("text", ["\ud800", "\x00", "\u202e", "é", "🙂"])
def test_an_error_can_be_sent_whatever_is_in_it(text: str) -> None:
    found = run_tool(TOOLS["check_tool_calls"], {"actual": [], text: 1})

    assert found.is_error
    assert found.content["error"].encode()


# The tools as each stack wants them defined.

every_tool = pytest.mark.parametrize("tool", TOOLS)
# The fields of a schema under `parameters` that Gemini documents, and no others.
OF_GEMINI = {
    *("type", "format", "title", "description", "nullable", "enum", "items", "properties"),
    *("required", "minItems", "maxItems", "minProperties", "maxProperties", "minLength"),
    *("maxLength", "pattern", "example", "anyOf", "propertyOrdering", "default"),
    *("minimum", "maximum"),
}


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
        "description": "The arguments. All values are literal. A JSON object as text.",
    }
    assert properties["expected"]["items"]["properties"]["in_order"]["items"] == {
        "type": "string",
        "description": "A JSON object as text.",
    }


def test_gemini_is_asked_for_definitions_and_names_as_text() -> None:
    properties = tool_definition("gemini")["parameters"]["properties"]

    assert properties["tools"]["items"] == {
        "type": "string",
        "description": "One definition, or only the name of the tool. A JSON object as text.",
    }


@every_tool
def test_a_json_schema_is_one_of_the_arguments_with_a_title(tool: str) -> None:
    definition = tool_definition("json-schema", tool)

    jsonschema_rs.meta.validate(definition)
    assert definition["title"] == tool
    assert definition["properties"] == TOOLS[tool].input_schema()["properties"]


@pytest.mark.parametrize("kind", ["openai", "openai-responses", "anthropic", "gemini"])
def test_callscore_reads_the_definition_itself(kind: Kind) -> None:
    (tool,) = callscore.read_tools([tool_definition(kind)])

    assert tool.name == "score_tool_calls"
    assert tool.parameters is not None


def test_importing_the_integrations_does_not_load_the_libraries_of_the_server() -> None:
    program = (
        "import sys, callscore.integrations, callscore.cli.mcp;"
        "print(sorted({'anyio', 'asyncio', 'mcp', 'pydantic', 'starlette', 'uvicorn'} & {*sys.modules}))"
    )

    ran = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )

    assert ran.stdout == "[]\n"


@pytest.mark.parametrize(
    ("kind", "tool", "told"),
    [
        (
            "open-ai",
            "score_tool_calls",
            "kind: unknown value 'open-ai'. Did you mean 'openai'",
        ),
        (None, "score_tool_calls", "kind: unknown value None. Choose from: openai, "),
        ("openai", "score", "unknown tool 'score'. Did you mean 'score_tool_calls'"),
    ],
)
def test_a_kind_or_a_tool_that_there_is_not_is_refused(kind: Any, tool: str, told: str) -> None:
    with pytest.raises(InvalidSettings, match=told):
        tool_definition(kind, tool)


# Calls of the tools that a model made, on any stack.

NAME = "score_tool_calls"
INPUT = {
    "expected": [{"tool": "search", "args": {"q": "x"}}],
    "actual": [{"tool": "search", "args": {"q": "y"}}],
}
TEXT = msgspec.json.encode(INPUT).decode()
OPENAI = {"id": "call_1", "type": "function", "function": {"name": NAME, "arguments": TEXT}}
GEMINI = {"name": NAME, "args": INPUT}


@dataclass
class Block:
    """A call as an object of an SDK holds it."""

    id: str
    name: str
    input: dict[str, Any]
    type: str = "tool_use"


@pytest.mark.parametrize(
    "call",
    [
        {"name": NAME, "arguments": INPUT},
        {"tool": NAME, "args": INPUT},
        OPENAI,
        {"type": "function_call", "call_id": "c", "id": "fc", "name": NAME, "arguments": TEXT},
        {"role": "assistant", "content": None, "tool_calls": [OPENAI]},
        {"type": "tool_use", "id": "toolu_1", "name": NAME, "input": INPUT},
        GEMINI,
        {**GEMINI, "id": None},
        {"functionCall": GEMINI},
        {"function_call": GEMINI, "text": None},
        {"toolUse": {"toolUseId": "t", "name": NAME, "input": INPUT}},
        {"type": "tool-call", "toolCallId": "1", "toolName": NAME, "input": INPUT},
        {"type": f"tool-{NAME}", "toolCallId": "1", "state": "input-available", "input": INPUT},
        (NAME, INPUT),
        [NAME, TEXT],
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": NAME, "arguments": INPUT},
        },
        {"name": NAME, "args": INPUT, "id": "x", "type": "tool_call"},
        Block("toolu_1", NAME, INPUT),
        ToolCall(NAME, INPUT),
        msgspec.json.encode(OPENAI).decode(),
        msgspec.json.encode(OPENAI),
    ],
    ids=[
        *("plain", "seed", "openai", "responses", "message", "anthropic", "gemini", "with id"),
        *("part", "part of the SDK", "bedrock", "vercel", "vercel UI", "pair", "list", "mcp"),
        *("langchain", "object"),
        *("ToolCall", "text", "bytes"),
    ],
)
def test_a_call_of_any_stack_is_answered(call: Any) -> None:
    answer = handle(call)

    assert (answer["score"], len(answer["incorrectCalls"])) == (0.0, 1)
    assert msgspec.json.decode(msgspec.json.encode(answer)) == answer


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            {"name": "score", "arguments": {}},
            "unknown tool 'score'. Did you mean 'score_tool_calls'?",
        ),
        ({"name": NAME, "arguments": {}}, "expected: missing. Send the expected calls"),
        ({"name": NAME, "arguments": None}, "expected: missing. Send the expected calls"),
        ({"name": NAME}, "expected: missing. Send the expected calls"),
        ({"tool": "check_tool_calls"}, "actual: missing. Send the actual calls"),
        ((NAME, {"expected": []}), "actual: missing. Send the actual calls"),
        ((NAME, "{"), "Repeat the call with one JSON object as its arguments."),
        (("score", {}), "unknown tool 'score'. Did you mean 'score_tool_calls'?"),
        ({"function": {"name": 1}}, "Pass one such as "),
        ({"name": NAME, "arguments": '{"expected": ['}, "truncated text. Repeat the call"),
        ({"name": NAME, "arguments": "[1]"}, "a value of another type. Repeat the call"),
        ([OPENAI, OPENAI], "it contains 2 calls. Pass one call at a time."),
        ([], "it contains no call. Pass one such as "),
        (None, 'Pass one such as {"name": "score_tool_calls", "arguments": {...}}.'),
        ({}, "it contains no call. Pass one such as "),
        ({"role": "assistant", "content": "Hello"}, "it contains no call. Pass one such"),
        ({"type": "tool-search", "input": {}}, "it contains no call. Pass one such as "),
        (5, "it contains no call. Pass one such as "),
        ("score it, please", "it contains no call. Pass one such as "),
        ({"functionCall": None}, "it contains no call. Pass one such as "),
    ],
)
def test_a_call_that_is_wrong_is_answered_with_what_to_do(call: Any, told: str) -> None:
    answer = handle(call)

    assert list(answer) == ["error"]
    assert told in answer["error"]


@pytest.mark.parametrize("wrap", [lambda path: path, lambda path: [path], str])
def test_no_file_is_read(tmp_path: Path, wrap: Any) -> None:
    path = tmp_path / "call.json"
    path.write_bytes(msgspec.json.encode({"name": NAME, "arguments": INPUT}))

    answer = handle(wrap(path))

    assert list(answer) == ["error"]
    assert "Pass one such as " in answer["error"]


@pytest.mark.parametrize("levels", [250, 100_000])
def test_a_call_that_is_too_deep_is_answered(levels: int) -> None:
    value: Any = 1
    for _ in range(levels):
        value = [value]

    as_data = handle({"name": NAME, "arguments": {"expected": value, "actual": []}})
    as_text = handle({"name": NAME, "arguments": "[" * levels + "]" * levels})

    assert "nested too deeply" in as_data["error"]
    assert list(as_text) == ["error"]


def test_an_object_that_cannot_be_read_is_answered() -> None:
    class Broken:
        def model_dump(self, **options: Any) -> Any:
            raise RuntimeError(options)

    assert "a Broken cannot be read" in handle(Broken())["error"].replace(
        "test_an_object_that_cannot_be_read_is_answered.<locals>.", ""
    )


# The three tools, with the examples that the tool they come from is documented with.

NEWS = {"tool": "searchWeb", "args": {"query": "AI news"}}
SUMMARY = {"tool": "summarize", "args": {"text": "long article..."}}
OTHER_SUMMARY = {"tool": "summarize", "args": {"text": "different text"}}
TRANSLATION = {"tool": "translateText", "args": {"text": "hello", "to": "es"}}
EXAMPLE = {"expected": [NEWS, SUMMARY], "actual": [NEWS, OTHER_SUMMARY, TRANSLATION]}


def test_nothing_that_is_given_is_changed() -> None:
    given = {**EXAMPLE, "expected": [{"one_of": ['{"tool": "f"}']}]}

    score_tool_calls(given)

    assert given == {**EXAMPLE, "expected": [{"one_of": ['{"tool": "f"}']}]}


@pytest.mark.parametrize("name", list(TOOLS))
def test_an_answer_to_an_agent_contains_no_secret(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "a-token-of-mine")
    made = [{"tool": "a-token-of-mine", "args": {"k": "a-token-of-mine"}}] * 2
    arguments = {"expected": [{"tool": "f", "args": {}}], "actual": made}

    found = handle(
        {"name": name, "arguments": arguments if "check" not in name else {"actual": made}}
    )
    refused = handle({"name": name, "arguments": {"actual": "a-token-of-mine"}})

    assert "error" not in found
    assert "a-token-of-mine" not in f"{found} {refused}"


@pytest.mark.parametrize("side", ["expected", "actual"])
@pytest.mark.parametrize(
    ("calls", "told"),
    [
        (["f"] * 1001, "got 1,001 items"),
        (msgspec.json.encode(["f"] * 1001).decode(), "got 1,001 items"),
        ("[" * 100_000 + "]" * 100_000, ""),
        (["x" * 1_000_000], "too large: the limit is 1,000,000"),
        ([{"tool": "f", "args": {"x" * 1_000_000: 1}}], "too large: the limit is 1,000,000"),
        ([1 << 3_000_000], "too large: the limit is 1,000,000"),
    ],
    ids=["names", "text", "deep text", "long", "key", "integer"],
)
def test_too_much_is_refused(side: str, calls: Any, told: str) -> None:
    arguments = {"expected": [], "actual": [], side: calls}

    answer = handle({"name": NAME, "arguments": arguments})

    assert list(answer) == ["error"]
    assert told in answer["error"]
