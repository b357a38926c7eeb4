"""Python functions as tools: what a model is told of them is what their signatures say."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from enum import Enum
from functools import partial
from math import isfinite
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import msgspec

from callscore.core.tool import Tool
from callscore.errors import InvalidCall

__all__ = ["function_tool", "is_function", "with_functions_read"]

_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, partial)
_LAMBDA = "<lambda>"
_OWNERS = ("self", "cls")
_SHOWN = (str, int, float, bool, list, tuple, dict, Enum, type(None))
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


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
    from callscore.formats.docstrings import documentation_of

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
