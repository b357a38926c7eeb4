"""Definitions of tools and nothing else: a list of them, `{"tools": [...]}`, or lists by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.shape import dicts, first, json_of, list_of
from callscore.formats.trace import Trace

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import Wanted

__all__ = [
    "EXAMPLE",
    "ORDER",
    "is_definition",
    "is_schema",
    "joins_lines",
    "read",
    "read_tools",
    "recognises",
]

ORDER = 890
EXAMPLE = {
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "get_weather",
                "description": "Get the weather of a city.",
                "parameters": {
                    "type": "object",
                    "properties": {"city": {"type": "string"}},
                    "required": ["city"],
                },
            },
        }
    ]
}
_LISTS = ("tools", "functions")
_WRAPPERS = ("function", "toolSpec", "tool_spec", "custom")
_DECLARATIONS = ("functionDeclarations", "function_declarations")
# A schema under one of these is no argument of a call; under `parameters` it may be one.
_SCHEMAS = (
    "input_schema",
    "inputSchema",
    "parametersJsonSchema",
    "parameters_json_schema",
    "args_schema",
)
_MARKS = frozenset(("name", *_WRAPPERS, *_DECLARATIONS))  # one of them has every definition
_WRAPPED = frozenset(_WRAPPERS)
_CALLED = frozenset(("arguments", "args", "input", "kwargs"))
_OBJECTS = ("object", "OBJECT", "Object", "dict")


def is_schema(value: Any) -> bool:
    """Whether a value looks like the JSON Schema of an argument object, not like arguments."""
    schema = json_of(value)
    if not isinstance(schema, dict):
        return False
    is_object = schema.get("type") in _OBJECTS
    return is_object or "$schema" in schema or isinstance(schema.get("properties"), dict)


def is_definition(item: Any) -> bool:
    """Whether an object surely defines a tool, or several."""
    if not isinstance(item, dict) or _MARKS.isdisjoint(item):
        return False
    declared = first(item, *_DECLARATIONS)
    if isinstance(declared, list):
        return bool(declared) and all(_has_name(entry) for entry in dicts(declared))
    return _defines(item)


def _defines(item: dict[str, Any]) -> bool:
    inner = _inner(item)
    if not _has_name(inner) or not _CALLED.isdisjoint(inner):
        return False
    if is_schema(inner.get("parameters")) or any(isinstance(inner.get(k), dict) for k in _SCHEMAS):
        return True
    if inner is item and inner.get("type") != "function" and "parameters" not in inner:
        return False
    return isinstance(inner.get("description"), str) or inner.get("type") == "function"


def _has_name(item: dict[str, Any]) -> bool:
    name = item.get("name")
    return isinstance(name, str) and bool(name)


def _inner(item: dict[str, Any]) -> dict[str, Any]:
    if _WRAPPED.isdisjoint(item):
        return item
    for wrapper in _WRAPPERS:
        inner = item.get(wrapper)
        if isinstance(inner, dict):
            return inner
    return item


def _may_define(item: Any) -> bool:
    """Whether an object defines a tool if its neighbours do: one without parameters."""
    if not isinstance(item, dict) or _MARKS.isdisjoint(item):
        return False
    inner = _inner(item)
    return (_has_name(inner) and _CALLED.isdisjoint(inner)) or is_definition(item)


def _are_definitions(items: Any) -> bool:
    return (
        isinstance(items, list) and all(map(_may_define, items)) and any(map(is_definition, items))
    )


def recognises(document: Any) -> bool:
    """Whether it is a definition, a list of definitions, or lists of them under some names."""
    if not isinstance(document, dict):
        return _are_definitions(document)
    if is_definition(document):
        return True
    if "tools" in document or "functions" in document:
        return "messages" not in document and any(
            _are_definitions(document.get(key)) for key in _LISTS
        )
    return bool(document) and all(map(_are_definitions, document.values()))


def joins_lines(line: Any) -> bool:
    """Whether a line defines one tool."""
    return is_definition(line)


def read(document: Any, wanted: Wanted) -> list[Trace]:  # noqa: ARG001  (as every dialect has it)
    """One run without calls."""
    return [Trace()]  # which is neither an answer nor an expectation


def read_tools(document: Any) -> list[Tool]:
    """The tools."""
    if isinstance(document, list):
        return read_definitions(document)
    if not isinstance(document, dict):
        return []
    if is_definition(document):
        return read_definitions([document])
    lists = [document[key] for key in _LISTS if list_of(document.get(key))]
    return [tool for items in lists or document.values() for tool in read_definitions(items)]
