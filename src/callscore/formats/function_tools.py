"""Python functions as tools, described by their signatures and docstrings.

Docstrings are read by hand because docstring_parser takes the whole section of the arguments for
prose if one line of it is not an argument.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from enum import Enum
from functools import partial
from math import isfinite
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import msgspec

from callscore.core.call import Tool
from callscore.errors import InvalidCall

_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, partial)
_LAMBDA = "<lambda>"
_OWNERS = ("self", "cls")
_SHOWN = (str, int, float, bool, list, tuple, dict, Enum, type(None))
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

# Docstrings.
_ARGUMENTS = frozenset(("args", "arguments", "parameters", "params", "keyword args"))
_SECTION = re.compile(
    r"(args|arguments|parameters|params|keyword args|returns?|raises|yields?|examples?|notes?|"
    r"warnings?|see also|references|attributes|todo):?\s*",
    re.IGNORECASE,
)
_UNDERLINE = re.compile(r"-{3,}\s*")
_FIELD = re.compile(r"\s*:(?:param|parameter|arg|argument)\s+(?:[^:]*\s)?\*{0,2}(\w+)\s*:\s*(.*)")
_OTHER_FIELD = re.compile(r"\s*:\w+[^:]*:")
# `city: the city`, `city (str): the city`, and, with an underlined heading, `city : str`.
_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")


def is_function(value: Any) -> bool:
    """Whether a value is a function, a method, or a `functools.partial`."""
    return isinstance(value, _FUNCTIONS)


def with_functions_read(document: Any) -> Any:
    """Tool definitions, with the functions among them read; other documents are unchanged."""
    if is_function(document):
        return [function_tool(document)]
    if isinstance(document, dict) and document and all(map(is_function, document.values())):
        return [function_tool(each, name) for name, each in document.items()]
    if isinstance(document, list | tuple | set | frozenset | Iterator):
        return [function_tool(item) if is_function(item) else item for item in document]
    return document


def function_tool(function: Any, name: str | None = None) -> Tool:
    """The tool of a function.

    Its name is the function's unless one is given, its description the docstring's, and its parameters
    are those of the signature: one without an annotation takes anything, one with a default is
    optional, and arguments that `functools.partial` fills in are left out.

    Raises:
        InvalidCall: it has no name that it could be called by.
    """
    inner = function
    filled: set[str] = set()
    while isinstance(inner, partial):
        filled |= set(inner.keywords)
        inner = inner.func
    called = name or str(getattr(inner, "__name__", _LAMBDA))
    if called == _LAMBDA:
        problem = "a lambda has no name"
        raise InvalidCall(f"{problem}. Define the tool with 'def', or pass it by name.")
    documentation = documentation_of(getattr(inner, "__doc__", None))
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions in C have none
        return Tool(called, documentation.description)
    parameters = [
        each
        for each in signature.parameters.values()
        if each.name not in filled or each.kind in _VARIADIC
    ]
    schema = _schema_of_parameters(inner, parameters, documentation.arguments)
    return Tool(called, documentation.description, schema)


def _schema_of_parameters(
    function: Any, parameters: list[inspect.Parameter], descriptions: dict[str, str]
) -> dict[str, Any]:
    from callscore.formats.annotations import hints_of, schema_of

    hints = hints_of(inspect.unwrap(function))
    definitions: dict[str, Any] = {}
    first = parameters[0] if parameters else None
    is_owned = first is not None and first.name in _OWNERS and first.annotation is first.empty
    named = [each for each in parameters[is_owned:] if each.kind not in _VARIADIC]
    properties = {
        each.name: _property(each, schema_of(hints.get(each.name, Any), definitions), descriptions)
        for each in named
    }
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    required = [each.name for each in named if each.default is each.empty]
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    for each in parameters:
        if each.kind is each.VAR_KEYWORD:
            others = schema_of(hints.get(each.name, Any), definitions)
            schema["additionalProperties"] = others or True
    if definitions:
        schema["$defs"] = {
            name: {key: value for key, value in each.items() if key != "x-python"}
            for name, each in definitions.items()
        }
    return schema


def _property(
    parameter: inspect.Parameter, schema: dict[str, Any], descriptions: dict[str, str]
) -> dict[str, Any]:
    default = parameter.default
    if default is None and schema:
        schema = _or_null(schema)  # `city: str = None` is common
    if parameter.name in descriptions:
        schema = {"description": descriptions[parameter.name], **schema}
    return schema if default is parameter.empty else {**schema, **_default(default)}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    if None in schema.get("enum", ()):
        return schema
    options = schema["anyOf"] if list(schema) == ["anyOf"] else [schema]
    null = {"type": "null"}
    return schema if null in options else {"anyOf": [*options, null]}


def _default(value: Any) -> dict[str, Any]:
    """A default as a schema has it; objects of classes would say nothing to a model."""
    if not isinstance(value, _SHOWN) or (isinstance(value, float) and not isfinite(value)):
        return {}
    try:
        return {"default": msgspec.json.decode(msgspec.json.encode(value))}
    except (TypeError, ValueError, RecursionError):
        return {}


class Documentation(msgspec.Struct, frozen=True):
    """The parts of a docstring: the text before all sections, and the arguments by name."""

    description: str | None = None
    arguments: dict[str, str] = {}


def documentation_of(docstring: str | None) -> Documentation:
    """The parts of a docstring in the style of Google, NumPy or Sphinx."""
    lines = inspect.cleandoc(docstring or "").splitlines()
    description: list[str] = []
    for at, line in enumerate(lines):
        if _heading(lines, at) is not None or _OTHER_FIELD.match(line):
            break
        description.append(line)
    text = "\n".join(description).strip()
    return Documentation(text or None, {**_listed(lines), **_fields(lines)})


def _heading(lines: list[str], at: int) -> str | None:
    """The name of the section whose heading is a line."""
    line = lines[at]
    has_mark = line.rstrip().endswith(":") or _is_underlined(lines, at)
    is_heading = _SECTION.fullmatch(line) is not None and has_mark
    return line.strip().rstrip(":").lower() if is_heading else None


def _is_underlined(lines: list[str], at: int) -> bool:
    return at + 1 < len(lines) and _UNDERLINE.fullmatch(lines[at + 1]) is not None


def _listed(lines: list[str]) -> dict[str, str]:
    """The descriptions in the section of the arguments."""
    start = next((at for at in range(len(lines)) if _heading(lines, at) in _ARGUMENTS), None)
    if start is None:
        return {}
    is_underlined = _is_underlined(lines, start)
    body = lines[start + (2 if is_underlined else 1) :]
    stop = next((at for at in range(len(body)) if _heading(body, at) is not None), len(body))
    return _entries(body[:stop], is_underlined=is_underlined)


def _entries(lines: list[str], *, is_underlined: bool) -> dict[str, str]:
    margin = min((_indent(line) for line in lines if line.strip()), default=0)
    found: dict[str, list[str]] = {}
    name: str | None = None
    for line in lines:
        is_first = bool(line.strip()) and _indent(line) == margin
        entry = _ENTRY.match(line.strip()) if is_first else None
        if entry is not None:
            name = entry[1]
            found[name] = [] if is_underlined else [entry[2]]  # the type is in its place
        elif is_first:
            name = line.strip() if line.strip().isidentifier() else None
            found |= {name: []} if name is not None else {}
        elif name is not None:
            found[name].append(line.strip())
    return _joined(found)


def _joined(found: dict[str, list[str]]) -> dict[str, str]:
    return {name: " ".join(filter(None, parts)) for name, parts in found.items() if any(parts)}


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _fields(lines: list[str]) -> dict[str, str]:
    """The descriptions in fields: `:param city: the city`."""
    found: dict[str, list[str]] = {}
    name: str | None = None
    for line in lines:
        field = _FIELD.match(line)
        if field is not None:
            name = field[1]
            found[name] = [field[2].strip()]
        elif _OTHER_FIELD.match(line) or not line.strip():
            name = None
        elif name is not None:
            found[name].append(line.strip())
    return _joined(found)
