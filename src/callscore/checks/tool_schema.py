"""Checks calls against tool definitions: unknown tools, and arguments that do not fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import structs

from callscore.core.budget import Budget
from callscore.core.call import NOT_CAPTURED, Tool, ToolCall
from callscore.core.rendering import json_path
from callscore.core.schemas.references import SAME_VALUE_KEYWORDS, resolve_reference, subschemas
from callscore.core.schemas.validation import schema_problem, validation_errors
from callscore.core.score import Fault, FaultKind
from callscore.core.suggestions import closest_word
from callscore.core.tool_names import comparable_name
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from callscore.core.settings import Settings

# `not` is missing here: a schema does not know the arguments that it names under `not`.
_SAME_OBJECT = SAME_VALUE_KEYWORDS._replace(single=("if", "then", "else"))
_OPENING_KEYWORDS = ("additionalProperties", "unevaluatedProperties")
_DYNAMIC_REFERENCES = ("$dynamicRef", "$recursiveRef")


def close_schema(schema: Any) -> dict[str, Any] | None:
    """A schema that accepts the named arguments with any value, and no other arguments.

    An argument that is not named was made up, even if the schema accepts it. None if the schema
    has no `properties`, or explicitly allows others. With empty `properties` it takes no arguments.
    """
    names_any = False
    names: dict[str, bool] = {}
    patterns: dict[str, bool] = {}
    for part in _parts(schema):
        if part is None:
            return None
        for key in _OPENING_KEYWORDS:
            if part.get(key) is True or isinstance(part.get(key), dict):
                return None
        names_any = names_any or isinstance(part.get("properties"), dict)
        names |= dict.fromkeys(_object(part.get("properties")), True)
        patterns |= dict.fromkeys(_object(part.get("patternProperties")), True)
    if not names_any:
        return None
    known = {"properties": names, "additionalProperties": False}
    return {**known, "patternProperties": patterns} if patterns else known


def unknown_arguments(
    closed_schema: dict[str, Any], arguments: dict[str, Any], budget: Budget
) -> list[str]:
    """The names of the arguments that a closed schema does not know."""
    unknown = [name for name in arguments if name not in closed_schema["properties"]]
    if not unknown or "patternProperties" not in closed_schema:
        return unknown
    # The validator limits the time of a pattern.
    return [name for name in unknown if validation_errors(closed_schema, {name: None}, budget)]


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _parts(schema: Any) -> Iterator[dict[str, Any] | None]:
    """All schemas that apply to the same object, each once; None for one that is not in here."""
    pending: list[Any] = [schema]
    seen: set[int] = set()
    while pending:
        part = pending.pop()
        if not isinstance(part, dict) or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        pending += subschemas(part, _SAME_OBJECT)
        if any(key in part for key in _DYNAMIC_REFERENCES):
            yield None
        if "$ref" in part:
            target = resolve_reference(schema, part["$ref"])
            if target is None:
                yield None
            pending.append(target)


_KIND_BY_KEYWORD: dict[str, FaultKind] = {
    "required": "missing_argument",
    "additionalProperties": "unknown_argument",
    "unevaluatedProperties": "unknown_argument",
    "propertyNames": "unknown_argument",
    "type": "wrong_type",
}
_CONFLICTING_DEFINITIONS = "it has several different definitions."
# Finding a similar name takes time; beyond these limits nothing is suggested.
_MAX_NAME_LENGTH = 64
_MAX_NAMES = 20


def schema_faults(calls: Sequence[ToolCall], tools: Mapping[str, Tool]) -> tuple[Fault, ...]:
    """The faults of calls by the tool definitions, in the order of the calls.

    Not checked are arguments of a tool without `parameters`, arguments that the trace does not
    have, and positional arguments.

    Raises:
        InvalidSettings: the schema of a tool that is called cannot be used.
        InvalidCall: validating the arguments takes too much work.
    """
    budget = Budget()
    known: dict[str, dict[str, Any] | None] = {}  # the closed schema of each called tool
    meant: dict[str, str | None] = {}  # the similar tool for each unknown name
    found: list[Fault] = []
    for index, call in enumerate(calls):
        tool = tools.get(call.name)
        if tool is None:
            found += _unknown_tool(call, index, tools, meant)
        elif call.error is None and tool.parameters is not None and not call.positional:
            if call.name not in known:
                require_usable_schema(tool)
                known[call.name] = close_schema(tool.parameters)
            found += _wrong_arguments(call, index, (tool.parameters, known[call.name]), budget)
        found += _malformed(call, index)
    return tuple(found)


def malformed_calls(calls: Sequence[ToolCall]) -> tuple[Fault, ...]:
    """One fault per call whose arguments are not a JSON object; this needs no definitions."""
    return tuple([fault for index, call in enumerate(calls) for fault in _malformed(call, index)])


def require_usable_schema(tool: Tool) -> None:
    """Check that the schema of a tool can be used.

    Raises:
        InvalidSettings: it cannot.
    """
    problem = None if tool.parameters is None else schema_problem(tool.parameters)
    if problem is not None:
        raise InvalidSettings(f"the schema of the tool {tool.name!r} is invalid: {problem}")


def usable_tools(tools: Iterable[Tool]) -> tuple[dict[str, Tool], dict[str, str]]:
    """The tools by name, without the schemas that cannot be used, and the reasons by name.

    Different schemas of tools with the same name cannot be used: it is unknown which applies.
    """
    found: dict[str, Tool] = {}
    problems: dict[str, str] = {}
    for tool in tools:
        other = found.setdefault(tool.name, tool)
        if other.parameters != tool.parameters:
            problems[tool.name] = _CONFLICTING_DEFINITIONS
        if other.effect != tool.effect:
            found[tool.name] = structs.replace(other, effect=None)
    for name, tool in found.items():
        problem = None if tool.parameters is None else schema_problem(tool.parameters)
        if problem is not None:
            problems.setdefault(name, problem)
    usable = {name: structs.replace(found[name], parameters=None) for name in problems}
    return found | usable, problems


def count_checked_calls(calls: Iterable[ToolCall], tools: Mapping[str, Tool]) -> int:
    """The number of calls that could be checked against a schema, or are wrong without one.

    Without a schema, a call is wrong if there is no such tool, or if its arguments are not JSON.
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
    if call.kind is not None:  # tools of the provider itself are not among the definitions
        return
    if name not in meant:
        is_likely = len(name) <= _MAX_NAME_LENGTH and len(meant) < _MAX_NAMES
        meant[name] = closest_word(name, tools) if is_likely else None
    yield Fault("unknown_tool", name, index, required=meant[name])


def _malformed(call: ToolCall, index: int) -> Iterator[Fault]:
    if call.error not in (None, NOT_CAPTURED):
        yield Fault("malformed", call.name, index, value=call.raw, detail=call.error)


def _wrong_arguments(
    call: ToolCall,
    index: int,
    schemas: tuple[dict[str, Any], dict[str, Any] | None],
    budget: Budget,
) -> Iterator[Fault]:
    """The faults by the schema of a tool, and by its closed schema."""
    arguments = call.arguments or {}
    schema, closed_schema = schemas
    reported: set[Any] = set()
    for error in validation_errors(schema, arguments, budget):
        kind = _KIND_BY_KEYWORD.get(error.keyword, "invalid_value")
        if kind == "unknown_argument" and len(error.steps) == 1:
            reported.add(error.steps[0])
        found = error.path, error.value, error.required, error.message, error.keyword
        yield Fault(kind, call.name, index, *found)
    if closed_schema is not None:
        for name in unknown_arguments(closed_schema, arguments, budget):
            if name not in reported:
                where = json_path((name,)), arguments[name]
                keyword = "additionalProperties"
                yield Fault("unknown_argument", call.name, index, *where, keyword=keyword)


def tools_by_call_name(
    names: Iterable[str], tools: Mapping[str, Tool], settings: Settings
) -> dict[str, Tool]:
    """The tools by name, including the names of calls that match a tool under the settings.

    A tool with exactly the name of a call has precedence over others that match.

    Raises:
        InvalidSettings: a name matches several tools with different schemas.
    """
    alike: dict[str, list[str]] = {}
    for name in tools:
        alike.setdefault(comparable_name(name, settings), []).append(name)
    found = dict(tools)
    for name in set(names) - tools.keys():
        meant = alike.get(comparable_name(name, settings), [])
        if not meant:
            continue
        first = found[name] = tools[meant[0]]
        for other in meant:
            if tools[other].parameters != first.parameters:
                raise InvalidSettings(
                    f"the tools {first.name!r} and {other!r} have different schemas, and the"
                    f" compared name {name!r} matches both"
                )
    return found
