"""The tools as each stack wants them defined, to be handed to a model without MCP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from callscore.core.nearest import meant_by
from callscore.errors import InvalidCall, InvalidSettings
from callscore.integrations.agent_tool import TOOLS, tool_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.integrations.agent_tool import AgentTool

__all__ = ["Kind", "tool_definition"]

Kind = Literal["openai", "openai-responses", "anthropic", "gemini", "json-schema"]

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
# What a function declaration of Gemini may say under `parameters`, of what is said here.
_GEMINI = ("type", "description", "enum", "items", "properties", "required", "minimum", "maximum")


def tool_definition(kind: Kind, tool: str = next(iter(TOOLS))) -> dict[str, Any]:
    """The definition of a tool, as data that the stack takes as it is.

    Args:
        kind: `openai` (chat completions, and what is compatible with them), `openai-responses`,
            `anthropic`, `gemini` (a function declaration), or `json-schema` (of the arguments, with
            the name as its title).
        tool: which tool: `score_tool_calls`, `explain_score` or `check_tool_calls`.

    Raises:
        InvalidSettings: there is no such kind, or no such tool.
    """
    if kind not in _KINDS:
        hint = meant_by(kind, _KINDS) or "."
        raise InvalidSettings(f"kind: {kind!r} is not one of {', '.join(_KINDS)}{hint}")
    try:
        return _KINDS[kind](tool_named(tool))
    except InvalidCall as error:
        raise InvalidSettings(str(error)) from error


def _openai(tool: AgentTool) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.input_schema(),
    }
    return {"type": "function", "function": function}


def _openai_responses(tool: AgentTool) -> dict[str, Any]:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.input_schema(),
        "strict": False,  # which is not the default there, and knows no free arguments
    }


def _anthropic(tool: AgentTool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.input_schema(),
    }


def _gemini(tool: AgentTool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": _gemini_schema(tool.input_schema()),
    }


def _gemini_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema in the subset that Gemini takes.

    An object without properties is one with no keys there, and every value has a type, so that what
    is free is asked for as text. It is read as well as an object.
    """
    if "type" not in schema:
        return {"type": "string", "description": f"{schema['description']} An object as JSON."}
    if schema["type"] == "object" and "properties" not in schema:
        told = f"{schema.get('description', '')} As the text of a JSON object.".lstrip()
        return {"type": "string", "description": told}
    kept = {key: value for key, value in schema.items() if key in _GEMINI}
    if "items" in kept:
        kept["items"] = _gemini_schema(kept["items"])
    if "properties" in kept:
        kept["properties"] = {
            name: _gemini_schema(member) for name, member in kept["properties"].items()
        }
    return kept


def _json_schema(tool: AgentTool) -> dict[str, Any]:
    about = {"$schema": _DRAFT, "title": tool.name, "description": tool.description}
    return about | tool.input_schema()


_KINDS: dict[str, Callable[[AgentTool], dict[str, Any]]] = dict(
    zip(
        get_args(Kind),
        (_openai, _openai_responses, _anthropic, _gemini, _json_schema),
        strict=True,
    )
)
