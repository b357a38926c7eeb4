"""Walks through a JSON Schema: its subschemas, its references, and the `nullable` of OpenAPI."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = [
    "ALL_KEYWORDS",
    "SAME_VALUE_KEYWORDS",
    "apply_nullable",
    "resolve_reference",
    "subschemas",
]


# The subschemas of a schema: for the same value, or for its members and items.


class SchemaKeywords(NamedTuple):
    """The keywords under which schemas stand.

    Attributes:
        single: those that hold one.
        lists: those that hold a list of them.
        mappings: those that hold them by name.
    """

    single: tuple[str, ...]
    lists: tuple[str, ...]
    mappings: tuple[str, ...]


SAME_VALUE_KEYWORDS = SchemaKeywords(
    ("not", "if", "then", "else"), ("allOf", "anyOf", "oneOf"), ("dependentSchemas", "dependencies")
)
ALL_KEYWORDS = SchemaKeywords(
    (
        *("items", "additionalItems", "unevaluatedItems", "contains"),
        *("additionalProperties", "unevaluatedProperties", "propertyNames"),
        *SAME_VALUE_KEYWORDS.single,
    ),
    (*SAME_VALUE_KEYWORDS.lists, "prefixItems", "items"),
    (*SAME_VALUE_KEYWORDS.mappings, "properties", "patternProperties", "$defs", "definitions"),
)


def subschemas(part: dict[str, Any], places: SchemaKeywords) -> list[Any]:
    """The values under these keywords; a caller must check each, because it may be anything."""
    found = [part.get(key) for key in places.single]
    for key in places.lists:
        listed = part.get(key)
        found += listed if isinstance(listed, list) else ()
    for key in places.mappings:
        named = part.get(key)
        found += named.values() if isinstance(named, dict) else ()
    return found


# Where a reference inside of a schema leads to.


def resolve_reference(schema: Any, reference: Any) -> Any:
    """What a reference of the form `#/$defs/name` leads to; None where it has another form."""
    if reference == "#":
        return schema
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    found = schema
    for step in reference[2:].split("/"):
        found = _member(found, step.replace("~1", "/").replace("~0", "~"))
    return found


def _member(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        return value.get(key)
    is_position = isinstance(value, list) and key.isdecimal() and key.isascii()
    return value[int(key)] if is_position and len(key) < 10 and int(key) < len(value) else None  # noqa: PLR2004  (no list is longer)


# What OpenAPI, and Gemini after it, says with `nullable`, in the words of JSON Schema.

_NULL = "null"
# Keywords that also apply to null and cannot be extended to accept it.
_STRICT = frozenset({"$ref", "$dynamicRef", "$recursiveRef", "allOf", "oneOf", "not", "if"})


def apply_nullable(schema: Any) -> None:
    """Let null pass wherever a schema says `nullable: true`; the schema itself is changed.

    The root is not changed: the arguments of a call are always an object.
    """
    pending = _subschemas(schema)
    while pending:
        part = pending.pop()
        pending += _subschemas(part)
        if isinstance(part, dict) and part.get("nullable") is True:
            del part["nullable"]
            if _STRICT.isdisjoint(part):
                _extend(part)
            else:
                inner = dict(part)
                part.clear()
                part["anyOf"] = [inner, {"type": _NULL}]


def _extend(part: dict[str, Any]) -> None:
    kind = part.get("type")
    if isinstance(kind, str | list):
        kinds = [kind] if isinstance(kind, str) else kind
        part["type"] = kinds if _NULL in kinds else [*kinds, _NULL]
    if "const" in part:
        part["enum"] = [part.pop("const")]
    if isinstance(part.get("enum"), list) and None not in part["enum"]:
        part["enum"] = [*part["enum"], None]
    if isinstance(part.get("anyOf"), list):
        part["anyOf"] = [*part["anyOf"], {"type": _NULL}]


def _subschemas(schema: Any) -> list[Any]:
    return subschemas(schema, ALL_KEYWORDS) if isinstance(schema, dict) else []
