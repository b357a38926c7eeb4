"""Calls of the tools that a model made, on any stack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore import ToolCall
from callscore.integrations import handle

if TYPE_CHECKING:
    from pathlib import Path

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
    ("name", "field"), [("explain_score", "explanation"), ("check_tool_calls", "faults")]
)
def test_the_tool_that_is_named_is_the_one_that_runs(name: str, field: str) -> None:
    arguments = INPUT if name == "explain_score" else {"actual": INPUT["actual"]}

    assert field in handle({"name": name, "arguments": arguments})


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            {"name": "score", "arguments": {}},
            "there is no tool 'score'. Is 'score_tool_calls' meant?",
        ),
        ({"name": NAME, "arguments": {}}, "expected: give the calls that should be made"),
        ({"name": NAME, "arguments": None}, "expected: give the calls that should be made"),
        ({"name": NAME}, "expected: give the calls that should be made"),
        ({"tool": "check_tool_calls"}, "actual: give the calls that were made"),
        ((NAME, {"expected": []}), "actual: give the calls that were made"),
        ((NAME, "{"), "Make the call again with one JSON object as its arguments."),
        (("score", {}), "there is no tool 'score'. Is 'score_tool_calls' meant?"),
        ({"function": {"name": 1}}, "Hand over one such as "),
        ({"name": NAME, "arguments": '{"expected": ['}, "the text breaks off. Make the call again"),
        ({"name": NAME, "arguments": "[1]"}, "another kind of value. Make the call again"),
        ([OPENAI, OPENAI], "there are 2 calls in this. Hand over one call at a time."),
        ([], "there is no call in this. Hand over one such as "),
        (None, 'Hand over one such as {"name": "score_tool_calls", "arguments": {...}}.'),
        ({}, "there is no call in this. Hand over one such as "),
        ({"role": "assistant", "content": "Hello"}, "there is no call in this. Hand over one such"),
        ({"type": "tool-search", "input": {}}, "there is no call in this. Hand over one such as "),
        (5, "there is no call in this. Hand over one such as "),
        ("score it, please", "there is no call in this. Hand over one such as "),
        ({"functionCall": None}, "there is no call in this. Hand over one such as "),
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
    assert "Hand over one such as " in answer["error"]


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
