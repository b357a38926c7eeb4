"""Tool definitions of training sets, whose parameters have the types of Python."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.families.model_text import json_values
from callscore.formats.shape import as_list, json_of

if TYPE_CHECKING:
    from callscore.core.call import Tool

_TYPES = {
    name: kind
    for kind, names in {
        "array": ("array", "list", "List", "tuple", "Tuple", "set", "Set"),
        "boolean": ("boolean", "bool"),
        "integer": ("integer", "int"),
        "number": ("number", "float"),
        "object": ("object", "dict", "Dict"),
        "string": ("string", "str"),
    }.items()
    for name in names
}
_MAX_LITERAL_LENGTH = 1_000_000
_MAX_ATTEMPTS = 50
_DEFINITION_KEYS = frozenset(("parameters", "description", "function"))


def read_dataset_tools(entries: Any) -> list[Tool]:
    """The tools of a list, or of its JSON text; the types of their parameters are those of JSON."""
    listed = json_of(entries)
    definitions = []
    for value in as_list(listed):
        entry = json_of(value)
        function = entry.get("function") if isinstance(entry, dict) else None
        entry = function if isinstance(function, dict) else entry
        if isinstance(entry, dict):
            definitions.append({**entry, "parameters": _schema(json_of(entry.get("parameters")))})
    return read_definitions(definitions)


def _schema(value: Any) -> Any:
    """A schema; a plain list of parameters by name becomes one."""
    if not isinstance(value, dict) or not value:
        return value
    if isinstance(value.get("type"), str) or "properties" in value:
        return _with_json_types(value)
    if not all(isinstance(parameter, dict) for parameter in value.values()):
        return value
    required = [
        name
        for name, parameter in value.items()
        if "optional" not in str(parameter.get("type")) and "default" not in parameter
    ]
    properties = {name: _with_json_types(parameter) for name, parameter in value.items()}
    return {"type": "object", "properties": properties, "required": required}


def _with_json_types(schema: dict[str, Any]) -> dict[str, Any]:
    mapped = dict(schema)
    kind = mapped.get("type")
    if isinstance(kind, str):
        known = _TYPES.get(kind.split(",")[0].split("[")[0].strip())
        if known is None:
            del mapped["type"]
        else:
            mapped["type"] = known
    properties = mapped.get("properties")
    if isinstance(properties, dict):
        mapped["properties"] = {
            name: _with_json_types(item) if isinstance(item, dict) else item
            for name, item in properties.items()
        }
    if isinstance(mapped.get("items"), dict):
        mapped["items"] = _with_json_types(mapped["items"])
    return mapped


def tools_in_prompt(text: Any) -> list[Tool]:
    """The tools that a prompt defines, as a list or as objects one after the other."""
    if not isinstance(text, str):
        return []
    found: list[Any] = []
    start = 0
    for _ in range(_MAX_ATTEMPTS):  # a prompt can have many braces, and each is tried to the end
        start = _next_value(text, start)
        if found or start < 0:
            break
        values = json_values(text[start:])[0]
        if not values and text[start : start + 2] == "[{":  # as Python
            value = literal_of(text[start : text.rfind("]") + 1].partition("</tools>")[0].strip())
            values = value if isinstance(value, list) else []
        found = [entry for value in values for entry in as_list(value) if _is_definition(entry)]
        start += 1
    return read_dataset_tools(found)


def _next_value(text: str, start: int) -> int:
    places = [place for place in (text.find("[{", start), text.find("{", start)) if place >= 0]
    return min(places, default=-1)


def _is_definition(entry: Any) -> bool:
    return isinstance(entry, dict) and not _DEFINITION_KEYS.isdisjoint(entry)


def literal_of(text: str) -> Any:
    """The value of a text in JSON, or else in Python; None if it is neither."""
    value = json_of(text)
    if not isinstance(value, str):
        return value
    if len(text) > _MAX_LITERAL_LENGTH:
        return None
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
