"""The tools for agents: their functions, their definitions for each stack, and `handle`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from callscore.api import read_calls, score_case
from callscore.checks.check import check_calls
from callscore.core.suggestions import suggestion_or_choices
from callscore.errors import CallscoreError, InvalidCall, InvalidSettings, UnknownFormat
from callscore.formats.calls import NAME_KEYS, is_pair
from callscore.formats.shape import describe
from callscore.formats.shape import to_plain_data as plain_object
from callscore.hiding.hider import hide_for_report, hide_text
from callscore.integrations.inputs import read_check_input, read_score_input
from callscore.integrations.outputs import check_answer, explanation_answer
from callscore.integrations.schemas import (
    check_input_schema,
    check_output_schema,
    explain_output_schema,
    score_input_schema,
    score_output_schema,
)
from callscore.words.camel_case import score_to_camel_dict
from callscore.words.reasons import malformed_text
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from callscore.core.score import Score


def score_tool_calls(arguments: Any) -> dict[str, Any]:
    """Score calls against the expected ones: the numbers, and every call in one of four lists.

    Args:
        arguments: an object with `expected` and `actual`, lists of `{"tool", "args"}`, and
            optionally `mode`, `argument_match_threshold`, `order` and `tools`.

    Raises:
        InvalidCall: the arguments cannot be read; the message states what to send instead.
        InvalidSettings: an option has an invalid value.
    """
    return score_to_camel_dict(_score_arguments(arguments))


def explain_score(arguments: Any) -> dict[str, Any]:
    """Show in three steps how the score of `score_tool_calls` is computed, from the same input."""
    return explanation_answer(_score_arguments(arguments))


def check_tool_calls(arguments: Any) -> dict[str, Any]:
    """Check calls without a reference.

    Args:
        arguments: an object with `actual`, a list of `{"tool", "args"}`, and optionally `tools`.

    Raises:
        InvalidCall: the arguments cannot be read; the message states what to send instead.
        InvalidSettings: the definitions of the tools cannot be used.
    """
    given = read_check_input(arguments)
    faults = hide_for_report(check_calls(given.actual, given.tools), is_live=True)
    return check_answer(faults, len(given.actual), knows_tools=given.tools is not None)


def _score_arguments(arguments: Any) -> Score:
    given = read_score_input(arguments)
    score = score_case(given.expected, given.actual, given.settings, given.tools)
    return hide_for_report(score, is_live=True)


class AgentTool(Struct, frozen=True):
    """One tool for an agent: texts, functions that return its JSON Schemas, and its function.

    `if_slow` is the advice for a call that takes longer than `seconds`, or than the server allows.
    """

    name: str
    title: str
    description: str
    input_schema: Callable[[], dict[str, Any]]
    output_schema: Callable[[], dict[str, Any]]
    run: Callable[[Any], dict[str, Any]]
    if_slow: str = "Send fewer calls at once, or simpler matchers."
    seconds: float | None = None


class ToolAnswer(Struct, frozen=True):
    """The answer of a tool: the fields of its output schema, or only `error`."""

    content: dict[str, Any]
    is_error: bool = False


TOOLS: dict[str, AgentTool] = {
    tool.name: tool
    for tool in (
        AgentTool(
            "score_tool_calls",
            "Score tool calls",
            "Compare the tool calls of an agent with the expected ones. Returns F1 with precision and"
            " recall, and every call as correct, incorrect (right tool, wrong arguments), missed or"
            " extra, with the differences. The pairing of calls is the best possible one.",
            score_input_schema,
            score_output_schema,
            score_tool_calls,
        ),
        AgentTool(
            "explain_score",
            "Explain a score",
            "Explain in three steps how the score of tool calls is calculated: which calls are paired"
            " and why, precision and recall, F1. The input is that of score_tool_calls.",
            score_input_schema,
            explain_output_schema,
            explain_score,
        ),
        AgentTool(
            "check_tool_calls",
            "Check tool calls",
            "Check the tool calls of an agent without expected calls. Finds tools that do not exist,"
            " arguments that are missing, unknown, of the wrong type or out of range, arguments that"
            " are not JSON, repeats, loops and unchanged retries.",
            check_input_schema,
            check_output_schema,
            check_tool_calls,
        ),
    )
}


def tool_named(name: Any, among: Mapping[str, AgentTool] = TOOLS) -> AgentTool:
    """The tool of this name; raises `InvalidCall` if there is none."""
    if not isinstance(name, str) or name not in among:
        raise InvalidCall(f"unknown tool {describe(name)}{suggestion_or_choices(name, among)}")
    return among[name]


def run_tool(tool: AgentTool, arguments: Any) -> ToolAnswer:
    """Run a tool; errors in the arguments become its answer."""
    try:
        return ToolAnswer(tool.run(arguments))
    except CallscoreError as error:
        return ToolAnswer({"error": error_text(error)}, is_error=True)


def error_text(error: CallscoreError) -> str:
    """The message of an error, as text that any JSON encoder accepts."""
    text: str = json_safe(hide_text(str(error)))
    return text


Kind = Literal["openai", "openai-responses", "anthropic", "gemini", "json-schema"]

# The keywords used here that Gemini allows under `parameters`.
_GEMINI = ("type", "description", "enum", "items", "properties", "required", "minimum", "maximum")


def tool_definition(kind: Kind, tool: str = next(iter(TOOLS))) -> dict[str, Any]:
    """The definition of a tool, in the format of a provider.

    Args:
        kind: `openai` (chat completions and compatible APIs), `openai-responses`, `anthropic`,
            `gemini` (a function declaration), or `json-schema` (of the arguments, with the name of
            the tool as its title).
        tool: `score_tool_calls`, `explain_score` or `check_tool_calls`.

    Raises:
        InvalidSettings: the kind or the tool is unknown.
    """
    if kind not in _KINDS:
        hint = suggestion_or_choices(kind, _KINDS)
        raise InvalidSettings(f"kind: unknown value {kind!r}{hint}")
    try:
        return _KINDS[kind](tool_named(tool))
    except InvalidCall as error:
        raise InvalidSettings(str(error)) from error


def _function(tool: AgentTool, **schema: Any) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, **schema}


def _gemini_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema in the subset that Gemini accepts.

    There, an object without properties has no keys, and every value has a type: free values are
    requested as text, which is read like an object.
    """
    if "type" not in schema:
        return {"type": "string", "description": f"{schema['description']} A JSON object as text."}
    if schema["type"] == "object" and "properties" not in schema:
        description = f"{schema.get('description', '')} A JSON object as text.".lstrip()
        return {"type": "string", "description": description}
    kept = {key: value for key, value in schema.items() if key in _GEMINI}
    if "items" in kept:
        kept["items"] = _gemini_schema(kept["items"])
    if "properties" in kept:
        kept["properties"] = {
            name: _gemini_schema(member) for name, member in kept["properties"].items()
        }
    return kept


_KINDS: dict[str, Callable[[AgentTool], dict[str, Any]]] = {
    "openai": lambda tool: {
        "type": "function",
        "function": _function(tool, parameters=tool.input_schema()),
    },
    "openai-responses": lambda tool: {
        "type": "function",
        # The default of `strict` is True, and allows no free arguments.
        **_function(tool, parameters=tool.input_schema(), strict=False),
    },
    "anthropic": lambda tool: _function(tool, input_schema=tool.input_schema()),
    "gemini": lambda tool: _function(tool, parameters=_gemini_schema(tool.input_schema())),
    "json-schema": lambda tool: {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": tool.name,
        "description": tool.description,
        **tool.input_schema(),
    },
}


_CALL = '{"name": "score_tool_calls", "arguments": {...}}'
_NO_CALL = f"it contains no call. Pass one such as {_CALL}."
# The keys in which some SDKs wrap a call among other parts of an answer.
_WRAPPERS = ("functionCall", "function_call", "toolUse", "tool_use")
_PREFIX = "tool-"  # before the name of the tool in messages of Vercel's AI SDK


def handle(call: Any) -> dict[str, Any]:
    """Run the tool that a model has called, and return the answer for the model.

    It raises no errors: the answer to an invalid call states what to send instead. It reads no
    files. It runs in this process without a time limit; set one yourself for untrusted input.

    Args:
        call: one call, in the format of any provider: an SDK object, data, or JSON text. A response
            of a model with one call is also accepted.

    Returns:
        The fields of the tool's output, or `{"error": "..."}`, as plain data.
    """
    try:
        name, arguments = _read_call(call)
        tool = tool_named(name)
    except CallscoreError as error:
        return {"error": error_text(error)}
    return run_tool(tool, arguments).content


def _read_call(value: Any) -> tuple[str, dict[str, Any]]:
    if isinstance(value, PathLike):
        raise InvalidCall(
            f"a path is not a call, and files are not read. Pass one such as {_CALL}."
        )
    try:
        calls = read_calls(_unwrapped(value))
    except UnknownFormat as error:
        raise InvalidCall(_NO_CALL) from error
    if len(calls) > 1:
        raise InvalidCall(f"it contains {len(calls)} calls. Pass one call at a time.")
    if not calls:
        raise InvalidCall(_NO_CALL)
    (call,) = calls
    if call.error is not None:
        problem = f"{call.name}: {malformed_text(call.error)}"
        raise InvalidCall(f"{problem}. Repeat the call with one JSON object as its arguments.")
    return call.name, call.arguments or {}


def _unwrapped(value: Any) -> Any:
    if isinstance(value, str | bytes | bytearray):
        return value
    value = plain_object(value)
    if is_pair(value):
        return {"name": value[0], "arguments": value[1]}
    if not isinstance(value, dict):
        return value
    inner = [value[key] for key in _WRAPPERS if isinstance(value.get(key), dict)]
    return _with_implied_fields(inner[0] if len(inner) == 1 else value)


def _with_implied_fields(call: dict[str, Any]) -> dict[str, Any]:
    """The call with a name and arguments, if they are implied."""
    kind = call.get("type")
    if isinstance(kind, str) and kind.removeprefix(_PREFIX) in TOOLS:
        return {"name": kind.removeprefix(_PREFIX), "arguments": call.get("input")}
    if "input" in call and call.get("name") in [*TOOLS]:  # of another tool, it may be anything
        return {"name": call["name"], "arguments": call["input"]}
    is_name = len(call) == 1 and any(call.get(key) in [*TOOLS] for key in NAME_KEYS)
    return {**call, "arguments": {}} if is_name else call
