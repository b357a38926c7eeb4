"""Reads tool definitions in the notations of all formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, get_args

from msgspec import structs

from callscore.core.call import Effect, Tool
from callscore.formats.effects import DeclaredEffect, declared_effect
from callscore.formats.shape import dicts, first, integer_of, json_of, list_of, text_of

_EFFECTS = get_args(Effect)
_WRAPPER_KEYS = ("function", "toolSpec", "tool_spec", "custom", "tool")
_DECLARATION_KEYS = ("functionDeclarations", "function_declarations")
_SCHEMA_KEYS = (
    *("parameters", "input_schema", "inputSchema", "parametersJsonSchema"),
    *("parameters_json_schema", "args_schema", "schema"),
)
_GEMINI_TYPES = ("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")
# The keys of Gemini's SDK for Python, which also writes every key that is not set, as null.
_SNAKE_CASE_KEYWORDS = {
    "additional_properties": "additionalProperties",
    "any_of": "anyOf",
    "defs": "$defs",
    "max_items": "maxItems",
    "max_length": "maxLength",
    "max_properties": "maxProperties",
    "min_items": "minItems",
    "min_length": "minLength",
    "min_properties": "minProperties",
    "property_ordering": "propertyOrdering",
    "ref": "$ref",
}


# The types of JSON Schema, by the names of the Berkeley Function Calling Leaderboard.
_BFCL_TYPES = {
    name: kind
    for kind, names in {
        "object": ("dict", "HashMap", "Hashtable"),
        "number": ("float", "double"),
        "array": ("tuple", "list", "ArrayList", "Array", "Queue", "Stack", "Set"),
        "boolean": ("bool", "Boolean"),
        "integer": ("byte", "short", "long", "Integer", "Bigint"),
        "string": ("char", "String"),
    }.items()
    for name in names
}
_BFCL_ANY = ("any", "Any")


def read_definitions(entries: Any) -> list[Tool]:
    """The tools of definitions in a list or by name, or in JSON text; those without a name are skipped."""
    entries = json_of(entries)
    if isinstance(entries, dict):
        entries = [
            {"name": name, **entry} for name, entry in entries.items() if isinstance(entry, dict)
        ]
    tools: list[Tool] = []
    for item in list_of(entries):
        entry = json_of(item)
        nested = first(entry, *_DECLARATION_KEYS)
        if nested is not None:
            tools += read_definitions(list_of(nested))
        else:
            tool = read_definition(entry)
            if tool is not None:
                tools.append(tool)
    return tools


def read_definition(entry: Any) -> Tool | None:
    """The tool of an object; None if it has no name."""
    if not isinstance(entry, dict):
        return None
    entry = _without_wrapper(entry)
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        return None
    declared = declared_effect(entry)
    return Tool(
        name,
        text_of(entry.get("description")),
        _read_schema(first(entry, *_SCHEMA_KEYS)),
        None if declared is None else declared.effect,
    )


def _without_wrapper(entry: dict[str, Any]) -> dict[str, Any]:
    """A definition with the keys of the object inside it that has its name."""
    for wrapper in _WRAPPER_KEYS:
        inner = entry.get(wrapper)
        if isinstance(inner, dict) and isinstance(inner.get("name"), str):
            return {**entry, **inner}
    return entry


def _read_schema(value: Any) -> dict[str, Any] | None:
    schema = json_of(value)
    if isinstance(schema, dict) and isinstance(schema.get("json"), dict):  # as in Bedrock
        schema = schema["json"]
    if not isinstance(schema, dict):
        return None
    if schema.get("type") == "dict":
        converted: dict[str, Any] = with_json_types(schema)
        return converted
    return schema if _gemini_type(schema.get("type")) is None else _lower_types(schema)


def _gemini_type(kind: Any) -> str | None:
    """A type of Gemini's schema language as JSON Schema spells it; some encodings number them."""
    number = integer_of(kind)
    if number is not None and 0 < number <= len(_GEMINI_TYPES):
        kind = _GEMINI_TYPES[number - 1]
    return kind.lower() if kind in _GEMINI_TYPES else None


def _lower_types(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema of Gemini's schema language as JSON Schema."""
    lowered = {
        _SNAKE_CASE_KEYWORDS.get(key, key): value
        for key, value in schema.items()
        if value is not None
    }
    kind = _gemini_type(schema.get("type"))
    if kind is not None:
        lowered["type"] = kind
    if isinstance(schema.get("properties"), dict):
        lowered["properties"] = {
            key: _lower_types(value) if isinstance(value, dict) else value
            for key, value in schema["properties"].items()
        }
    for key in ("items", "additionalProperties"):
        if isinstance(lowered.get(key), dict):
            lowered[key] = _lower_types(lowered[key])
    if isinstance(lowered.get("anyOf"), list):
        lowered["anyOf"] = [_lower_types(item) for item in dicts(lowered["anyOf"])]
    return lowered


def with_json_types(schema: Any) -> Any:
    """A schema of the Berkeley Function Calling Leaderboard, with the types of JSON Schema."""
    if not isinstance(schema, dict):
        return schema
    mapped = dict(schema)
    kind = mapped.get("type")
    if kind in _BFCL_ANY:
        del mapped["type"]
    elif isinstance(kind, str):
        mapped["type"] = _BFCL_TYPES.get(kind, kind)
    if isinstance(mapped.get("properties"), dict):
        mapped["properties"] = {
            key: with_json_types(item) for key, item in mapped["properties"].items()
        }
    if "items" in mapped:
        mapped["items"] = with_json_types(mapped["items"])
    return mapped


def declared_effects(document: Any) -> Iterator[tuple[str, DeclaredEffect]]:
    """The tools in a document of definitions or a trace, by name, that declare their effects, and how."""
    for entry in _objects_in(document):
        tool = read_definition(entry)
        declared = None if tool is None else declared_effect(_without_wrapper(entry))
        if tool is not None and declared is not None:
            yield tool.name, declared


def _objects_in(document: Any) -> Iterator[dict[str, Any]]:
    """The objects in a document, without those in the schemas of tools."""
    pending: list[Any] = [document]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending += item
        elif isinstance(item, dict):
            yield item
            pending += [item[key] for key in item if key not in _SCHEMA_KEYS]


def unknown_effects(document: Any) -> Iterator[tuple[str, Any]]:
    """The tools, by name, with an unknown `effect`.

    In a trace the word may mean anything, but in definitions written by hand it is a mistake.
    """
    for item in _objects_in(document):
        tool = read_definition(item)
        effect = item.get("effect")
        if tool is not None and effect is not None and effect not in _EFFECTS:
            yield tool.name, effect


def unique_tools(tools: Iterable[Tool]) -> list[Tool]:
    """The tools without repeated definitions."""
    seen: list[Tool] = []
    for tool in tools:
        if tool not in seen:
            seen.append(tool)
    return seen


def combined_tools(tools: Iterable[Tool]) -> list[Tool]:
    """One tool for each name: what fits any of its definitions fits the tool."""
    by_name: dict[str, list[Tool]] = {}
    for tool in unique_tools(tools):
        by_name.setdefault(tool.name, []).append(tool)
    return [_combined(same) for same in by_name.values()]


def _combined(tools: list[Tool]) -> Tool:
    schemas: list[dict[str, Any]] = []
    for tool in tools:
        if tool.parameters is not None and tool.parameters not in schemas:
            schemas.append(tool.parameters)
    if len(schemas) < 2:  # noqa: PLR2004  (nothing to combine)
        return tools[0]
    parts = [schema.get("properties") for schema in schemas]
    properties: dict[str, Any] = {}
    for part in parts:
        for key, schema in part.items() if isinstance(part, dict) else ():
            is_same = properties.setdefault(key, schema) == schema
            properties[key] = schema if is_same else {}
    required = [
        key
        for key in properties
        if all(key in list_of(schema.get("required")) for schema in schemas)
    ]
    combined = {
        "type": "object",
        "properties": properties,
        "required": required,
        "anyOf": schemas,
    }
    return structs.replace(tools[0], parameters=combined)
