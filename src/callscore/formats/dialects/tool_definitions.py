"""Tool definitions (a list, `{"tools": [...]}`, lists by name), or an OpenAPI document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.openapi import VERSION_KEYS, is_openapi, operation_tools
from callscore.formats.shape import dicts, first, json_of, list_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import Tool

ORDER = 890
_EXAMPLE_FUNCTION = {
    "name": "get_weather",
    "description": "Get the weather of a city.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
}
EXAMPLE = {"tools": [{"type": "function", "function": _EXAMPLE_FUNCTION}]}
_LISTS = ("tools", "functions")
_WRAPPERS = ("function", "toolSpec", "tool_spec", "custom")
_DECLARATIONS = ("functionDeclarations", "function_declarations")
# A schema under one of these is never an argument of a call; under `parameters` it may be.
_SCHEMAS = (
    *("input_schema", "inputSchema", "args_schema"),
    *("parametersJsonSchema", "parameters_json_schema"),
)
_MARKS = frozenset(("name", *_WRAPPERS, *_DECLARATIONS))  # every definition has one of them
_WRAPPED = frozenset(_WRAPPERS)
_CALLED = frozenset(("arguments", "args", "input", "kwargs"))
_OBJECTS = ("object", "OBJECT", "Object", "dict")
SIGNS = Signs(keys=(*_MARKS, *_LISTS, *VERSION_KEYS), item_keys=tuple(_MARKS), value_types=(list,))


def is_schema(value: Any) -> bool:
    """Whether a value looks like the JSON Schema of an argument object, not like arguments."""
    schema = json_of(value)
    if not isinstance(schema, dict):
        return False
    is_object = schema.get("type") in _OBJECTS
    return is_object or "$schema" in schema or isinstance(schema.get("properties"), dict)


def is_definition(item: Any) -> bool:
    """Whether an object definitely defines a tool, or several."""
    if not isinstance(item, dict) or _MARKS.isdisjoint(item):
        return False
    declared = first(item, *_DECLARATIONS)
    if isinstance(declared, list):
        return bool(declared) and all(map(_has_name, dicts(declared)))
    inner = _inner(item)
    if not _has_name(inner) or not _CALLED.isdisjoint(inner):
        return False
    is_typed = inner.get("type") == "function"
    is_marked = inner is not item or is_typed or "parameters" in inner
    return (
        is_schema(inner.get("parameters"))
        or any(isinstance(inner.get(key), dict) for key in _SCHEMAS)
        or (is_marked and (is_typed or isinstance(inner.get("description"), str)))
    )


joins_lines = is_definition


def _has_name(item: dict[str, Any]) -> bool:
    name = item.get("name")
    return isinstance(name, str) and name != ""


def _inner(item: dict[str, Any]) -> dict[str, Any]:
    for key in () if _WRAPPED.isdisjoint(item) else _WRAPPERS:
        inner = item.get(key)
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


def recognizes(document: Any) -> bool:
    """Whether it is a definition, a list of definitions, lists under some names, or OpenAPI."""
    if not isinstance(document, dict):
        return _are_definitions(document)
    if is_definition(document) or is_openapi(document):
        return True
    if "tools" in document or "functions" in document:
        return "messages" not in document and any(
            _are_definitions(document.get(key)) for key in _LISTS
        )
    return bool(document) and all(map(_are_definitions, document.values()))


def read(document: Any, options: ReadOptions) -> list[Trace]:  # noqa: ARG001  (as every dialect has it)
    """One run without calls."""
    return [Trace()]  # which is neither an answer nor an expectation


def read_tools(document: Any) -> list[Tool]:
    """The tools."""
    if isinstance(document, dict) and is_openapi(document):
        return operation_tools(document)
    if isinstance(document, dict) and not is_definition(document):
        lists = [document[key] for key in _LISTS if list_of(document.get(key))]
        return [tool for items in lists or document.values() for tool in read_definitions(items)]
    return read_definitions(document if isinstance(document, list) else [document])
