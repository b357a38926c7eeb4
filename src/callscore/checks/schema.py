"""Calls held against the definitions of the tools: is there such a tool, and does it take that?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from callscore.checks.arguments_known import closed, made_up
from callscore.core.fault import Fault, FaultKind
from callscore.core.json_schema import errors_in, problem_with
from callscore.core.malformed import NOT_CAPTURED
from callscore.core.nearest import nearest
from callscore.core.schema_error import path_of
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from callscore.core.call import ToolCall
    from callscore.core.json_schema import SchemaError
    from callscore.core.tool import Tool

__all__ = [
    "checked_calls",
    "faults_by_schema",
    "malformed_calls",
    "require_usable",
    "usable_tools",
]

_KINDS: dict[str, FaultKind] = {
    "required": "missing_argument",
    "additionalProperties": "unknown_argument",
    "unevaluatedProperties": "unknown_argument",
    "propertyNames": "unknown_argument",
    "type": "wrong_type",
}
_UNKNOWN = "additionalProperties"
_TWICE = "it is defined several times, and not in the same way."
# Finding the name that was meant takes time; who makes up more or longer names meant none.
_LONGEST_NAME = 64
_MOST_NAMES = 20


def faults_by_schema(calls: Sequence[ToolCall], tools: Mapping[str, Tool]) -> tuple[Fault, ...]:
    """What is wrong with calls by the definitions of the tools, in the order of the calls.

    A tool without `parameters` is known, and nothing is said about its arguments. Nor is anything
    said about arguments that the trace does not have, or that have no names.

    Args:
        calls: the calls that were made.
        tools: the tools that were offered, by name.

    Raises:
        InvalidSettings: the schema of a tool that is called cannot be used.
    """
    known: dict[str, dict[str, Any] | None] = {}  # the closed schema of each tool that is called
    meant: dict[str, str | None] = {}  # by each name that no tool has
    found: list[Fault] = []
    for index, call in enumerate(calls):
        tool = tools.get(call.name)
        if tool is None:
            found += _unknown_tool(call, index, tools, meant)
        elif call.error is None and tool.parameters is not None and not call.positional:
            if call.name not in known:
                require_usable(tool)
                known[call.name] = closed(tool.parameters)
            found += _wrong_arguments(call, index, tool.parameters, known[call.name])
        found += _malformed(call, index)
    return tuple(found)


def malformed_calls(calls: Sequence[ToolCall]) -> tuple[Fault, ...]:
    """The calls whose arguments are not a JSON object, which shows without any definition."""
    return tuple([fault for index, call in enumerate(calls) for fault in _malformed(call, index)])


def require_usable(tool: Tool) -> None:
    """Refuse a tool whose schema cannot be used.

    Raises:
        InvalidSettings: it cannot; the message names the tool and the reason.
    """
    problem = None if tool.parameters is None else problem_with(tool.parameters)
    if problem is not None:
        raise InvalidSettings(f"the schema of the tool {tool.name!r} cannot be used: {problem}")


def usable_tools(tools: Iterable[Tool]) -> tuple[dict[str, Tool], dict[str, str]]:
    """Tools by name, of which those whose schema cannot be used have none, and why it cannot be.

    That is so, too, where several schemas have the same name: nobody knows which of them was meant.
    """
    found: dict[str, Tool] = {}
    problems: dict[str, str] = {}
    for tool in tools:
        other = found.setdefault(tool.name, tool)
        if other.parameters != tool.parameters:
            problems[tool.name] = _TWICE
        if other.effect != tool.effect:
            found[tool.name] = structs.replace(other, effect=None)
    for name, tool in found.items():
        problem = None if tool.parameters is None else problem_with(tool.parameters)
        if problem is not None:
            problems.setdefault(name, problem)
    usable = {name: structs.replace(found[name], parameters=None) for name in problems}
    return found | usable, problems


def checked_calls(calls: Iterable[ToolCall], tools: Mapping[str, Tool]) -> int:
    """How many calls can be told to be valid or not.

    Their tool has a schema and they have arguments, or it shows without a schema: there is no such
    tool, or the arguments are not JSON.
    """
    return sum(_is_checked(call, tools.get(call.name)) for call in calls)


def _is_checked(call: ToolCall, tool: Tool | None) -> bool:
    if call.error is not None:
        return call.error != NOT_CAPTURED
    if tool is None:
        return call.kind is None
    return tool.parameters is not None and not call.positional


def _unknown_tool(
    call: ToolCall, index: int, tools: Mapping[str, Tool], meant: dict[str, str | None]
) -> Iterator[Fault]:
    name = call.name
    if call.kind is not None:  # what the provider itself offers is not among the definitions
        return
    if name not in meant:
        is_likely = len(name) <= _LONGEST_NAME and len(meant) < _MOST_NAMES
        meant[name] = nearest(name, tools) if is_likely else None
    yield Fault("unknown_tool", name, index, wanted=meant[name])


def _malformed(call: ToolCall, index: int) -> Iterator[Fault]:
    if call.error not in (None, NOT_CAPTURED):
        yield Fault("malformed", call.name, index, value=call.raw, detail=call.error)


def _wrong_arguments(
    call: ToolCall, index: int, schema: dict[str, Any], closed_schema: dict[str, Any] | None
) -> Iterator[Fault]:
    arguments = call.arguments or {}
    reported: set[Any] = set()
    for error in errors_in(schema, arguments):
        fault = _fault(error, call.name, index)
        if fault.kind == "unknown_argument" and len(error.steps) == 1:
            reported.add(error.steps[0])
        yield fault
    if closed_schema is not None:
        for name in made_up(closed_schema, arguments):
            if name not in reported:
                path, value = path_of((name,)), arguments[name]
                yield Fault("unknown_argument", call.name, index, path, value, keyword=_UNKNOWN)


def _fault(error: SchemaError, tool: str, index: int) -> Fault:
    return Fault(
        _KINDS.get(error.keyword, "invalid_value"),
        tool,
        index,
        error.path,
        error.value,
        error.wanted,
        error.message,
        error.keyword,
    )
