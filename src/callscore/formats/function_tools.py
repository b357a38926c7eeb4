"""Python functions as tools: what a model is told of them is what their signatures say.

Docstrings are read by hand because docstring_parser takes the whole section of the arguments for
prose where one line of it is no argument.
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

__all__ = [
    "Documentation",
    "documentation_of",
    "function_tool",
    "is_function",
    "with_functions_read",
]

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
    """Whether a value is a function, a method, or one of them with arguments filled in."""
    return isinstance(value, _FUNCTIONS)


def with_functions_read(document: Any) -> Any:
    """Definitions of tools with the functions among them read; itself where there are none.

    Args:
        document: a function, a list in which functions stand, or functions by name.

    Raises:
        InvalidCall: a function has no name that it could be called by.
    """
    if is_function(document):
        return [function_tool(document)]
    if isinstance(document, dict):
        is_named = bool(document) and all(map(is_function, document.values()))
        return (
            [function_tool(each, name) for name, each in document.items()] if is_named else document
        )
    if isinstance(document, list | tuple | set | frozenset | Iterator):
        items = list(document)
        return [function_tool(item) if is_function(item) else item for item in items]
    return document


def function_tool(function: Any, name: str | None = None) -> Tool:
    """The tool that a function is.

    Its name is the function's, its description the docstring's, and its parameters are those of
    the signature by their annotations: one without an annotation takes anything, one with a default
    may be left out, and arguments that were filled in by `functools.partial` are none.

    Args:
        function: the function.
        name: what calls name it by, where that is not its own name.

    Raises:
        InvalidCall: it has no name that it could be called by.
    """
    inner = function
    while isinstance(inner, partial):
        inner = inner.func
    called = name or str(getattr(inner, "__name__", _LAMBDA))
    if called == _LAMBDA:
        problem = "a tool needs a name that it can be called by, and a lambda has none"
        raise InvalidCall(f"{problem}; write a function with `def`, or give it by name.")
    told = documentation_of(getattr(inner, "__doc__", None))
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some of those that are written in C have none
        return Tool(called, told.description)
    return Tool(called, told.description, _parameters(function, signature, told.arguments))


def _parameters(
    function: Any, signature: inspect.Signature, told: dict[str, str]
) -> dict[str, Any]:
    from callscore.formats.annotations import hints_of, schema_of

    hints = hints_of(_annotated(function))
    definitions: dict[str, Any] = {}
    taken = [each for each in _taken(function, signature) if each.kind not in _VARIADIC]
    properties = {
        each.name: _property(each, schema_of(hints.get(each.name, Any), definitions), told)
        for each in taken
    }
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    required = [each.name for each in taken if each.default is each.empty]
    if required:
        schema["required"] = required
    schema["additionalProperties"] = _others(signature, hints, definitions)
    if definitions:
        schema["$defs"] = {name: _without_marks(each) for name, each in definitions.items()}
    return schema


def _annotated(function: Any) -> Any:
    """The function whose annotations the signature shows."""
    while isinstance(function, partial):
        function = function.func
    return inspect.unwrap(function)


def _taken(function: Any, signature: inspect.Signature) -> list[inspect.Parameter]:
    """The parameters that a call can give; not those that are filled in, nor `self`."""
    filled: set[str] = set()
    while isinstance(function, partial):
        filled |= set(function.keywords)
        function = function.func
    found = [each for each in signature.parameters.values() if each.name not in filled]
    is_owned = found and found[0].name in _OWNERS and found[0].annotation is inspect.Parameter.empty
    return found[1:] if is_owned else found


def _property(
    parameter: inspect.Parameter, schema: dict[str, Any], told: dict[str, str]
) -> dict[str, Any]:
    default = parameter.default
    if default is None and schema:
        schema = _or_null(schema)  # `city: str = None` is common, and means it
    if parameter.name in told:
        schema = {"description": told[parameter.name], **schema}
    return schema if default is parameter.empty else {**schema, **_default(default)}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    if None in schema.get("enum", ()):
        return schema
    options = schema["anyOf"] if list(schema) == ["anyOf"] else [schema]
    null = {"type": "null"}
    return schema if null in options else {"anyOf": [*options, null]}


def _default(value: Any) -> dict[str, Any]:
    """A default as a schema has it; an object of some class would say nothing to a model."""
    if not isinstance(value, _SHOWN) or (isinstance(value, float) and not isfinite(value)):
        return {}
    try:
        return {"default": msgspec.json.decode(msgspec.json.encode(value))}
    except (TypeError, ValueError, RecursionError):
        return {}


def _others(
    signature: inspect.Signature, hints: dict[str, Any], definitions: dict[str, Any]
) -> bool | dict[str, Any]:
    """What `**others` may be; False where the function takes none."""
    from callscore.formats.annotations import schema_of

    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            return schema_of(hints.get(parameter.name, Any), definitions) or True
    return False


def _without_marks(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "x-python"}


class Documentation(msgspec.Struct, frozen=True):
    """The parts of a docstring.

    Attributes:
        description: what stands before all sections, None where nothing does.
        arguments: what is said of each argument, by its name.
    """

    description: str | None = None
    arguments: dict[str, str] = {}


def documentation_of(docstring: str | None) -> Documentation:
    """The parts of a docstring in the style of Google, of NumPy or of Sphinx."""
    lines = inspect.cleandoc(docstring or "").splitlines()
    end = next((at for at in range(len(lines)) if _begins_section(lines, at)), len(lines))
    description = "\n".join(lines[:end]).strip()
    return Documentation(description or None, {**_listed(lines), **_fields(lines)})


def _begins_section(lines: list[str], at: int) -> bool:
    return _heading(lines, at) is not None or _OTHER_FIELD.match(lines[at]) is not None


def _heading(lines: list[str], at: int) -> str | None:
    """The name of the section that a line is the heading of."""
    line = lines[at]
    is_underlined = at + 1 < len(lines) and _UNDERLINE.fullmatch(lines[at + 1]) is not None
    if _SECTION.fullmatch(line) is None or not (line.rstrip().endswith(":") or is_underlined):
        return None
    return line.strip().rstrip(":").lower()


def _listed(lines: list[str]) -> dict[str, str]:
    """What the section of the arguments says."""
    start = next((at for at in range(len(lines)) if _heading(lines, at) in _ARGUMENTS), None)
    if start is None:
        return {}
    is_underlined = (
        _UNDERLINE.fullmatch(lines[start + 1 : start + 2][0]) if lines[start + 1 :] else None
    )
    body = lines[start + (2 if is_underlined else 1) :]
    stop = next((at for at in range(len(body)) if _heading(body, at) is not None), len(body))
    return _entries(body[:stop], is_underlined=is_underlined is not None)


def _entries(lines: list[str], *, is_underlined: bool) -> dict[str, str]:
    margin = min((_indent(line) for line in lines if line.strip()), default=0)
    found: dict[str, list[str]] = {}
    name: str | None = None
    for line in lines:
        is_first = bool(line.strip()) and _indent(line) == margin
        entry = _ENTRY.match(line.strip()) if is_first else None
        if entry is not None:
            name = entry[1]
            found[name] = [] if is_underlined else [entry[2]]  # there the type stands in its place
        elif is_first:
            name = line.strip() if line.strip().isidentifier() else None
            found |= {name: []} if name is not None else {}
        elif name is not None:
            found[name].append(line.strip())
    return {name: " ".join(filter(None, parts)) for name, parts in found.items() if any(parts)}


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _fields(lines: list[str]) -> dict[str, str]:
    """What `:param city: the city` says."""
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
    return {name: " ".join(filter(None, parts)) for name, parts in found.items() if any(parts)}
