"""The tools for agents: the real SDKs take their definitions, and their own calls are answered."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from callscore.integrations import handle, tool_definition
from callscore.integrations.tools import TOOLS

pydantic: Any = pytest.importorskip("pydantic")
anthropic: Any = pytest.importorskip("anthropic.types")
gemini: Any = pytest.importorskip("google.genai.types")
openai: Any = pytest.importorskip("openai.types.chat")
responses: Any = pytest.importorskip("openai.types.responses")

NAME = "score_tool_calls"
INPUT = {
    "expected": [{"tool": "search", "args": {"q": "x"}}],
    "actual": [{"tool": "search", "args": {"q": "x"}}, {"tool": "search", "args": {"q": "y"}}],
}
TEXT = msgspec.json.encode(INPUT).decode()
# As the declaration for Gemini asks for it: what is free stands in texts.
TEXTS = {
    "expected": [{"tool": "search", "args": '{"q": "x"}'}],
    "actual": [{"tool": "search", "args": '{"q": "x"}'}, {"tool": "search", "args": '{"q": "y"}'}],
}
FUNCTION = {"name": NAME, "arguments": TEXT}
every_tool = pytest.mark.parametrize("tool", TOOLS)


def taken(kind: Any, definition: dict[str, Any]) -> Any:
    return pydantic.TypeAdapter(kind).validate_python(definition)


@every_tool
def test_openai_takes_the_definition(tool: str) -> None:
    chat = taken(openai.ChatCompletionFunctionToolParam, tool_definition("openai", tool))
    response = taken(responses.FunctionToolParam, tool_definition("openai-responses", tool))

    assert chat["function"]["name"] == response["name"] == tool


@every_tool
def test_anthropic_takes_the_definition(tool: str) -> None:
    assert taken(anthropic.ToolParam, tool_definition("anthropic", tool))["name"] == tool


@every_tool
def test_gemini_takes_the_declaration_and_knows_every_field_of_it(tool: str) -> None:
    definition = tool_definition("gemini", tool)

    declaration = gemini.FunctionDeclaration.model_validate(definition)  # which forbids others

    assert declaration.name == tool
    assert set(declaration.parameters.properties) == set(definition["parameters"]["properties"])


@pytest.mark.parametrize(
    "call",
    [
        openai.ChatCompletionMessageFunctionToolCall(id="c", type="function", function=FUNCTION),
        openai.ChatCompletionMessage(
            role="assistant", tool_calls=[{"id": "c", "type": "function", "function": FUNCTION}]
        ),
        responses.ResponseFunctionToolCall(call_id="c", type="function_call", **FUNCTION),
        anthropic.ToolUseBlock(id="t", type="tool_use", name=NAME, input=INPUT),
        gemini.FunctionCall(name=NAME, args=INPUT),
        gemini.FunctionCall(name=NAME, args=TEXTS, id="f"),
        gemini.Part(function_call=gemini.FunctionCall(name=NAME, args=INPUT)),
    ],
    ids=lambda call: type(call).__name__,
)
def test_a_call_that_an_sdk_hands_over_is_answered(call: Any) -> None:
    answer = handle(call)

    assert answer["score"] == 2 / 3
    assert answer["extraCalls"] == [{"tool": "search", "args": {"q": "y"}}]


def test_gemini_takes_what_goes_back() -> None:
    answer = handle(gemini.FunctionCall(name=NAME, args=TEXTS))

    assert gemini.Part.from_function_response(name=NAME, response=answer)
