"""What OpenAPI, and Gemini after it, says with `nullable`, in the words of JSON Schema."""

from __future__ import annotations

from typing import Any

__all__ = ["allow_null"]

_NULL = "null"
# Where a schema holds other schemas: alone, in a list, or by name.
_SINGLE = (
    *("items", "additionalItems", "unevaluatedItems", "contains"),
    *("additionalProperties", "unevaluatedProperties", "propertyNames"),
    *("not", "if", "then", "else"),
)
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_MAPPINGS = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
# What asks something of null as well, and cannot be told to let it pass.
_STRICT = frozenset({"$ref", "$dynamicRef", "$recursiveRef", "allOf", "oneOf", "not", "if"})


def allow_null(schema: Any) -> None:
    """Let null pass wherever a schema says `nullable: true`; the schema itself is changed.

    Of the whole nothing is said: it is about the arguments of a call, which are an object.
    """
    pending = _parts(schema)
    while pending:
        part = pending.pop()
        pending += _parts(part)
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


def _parts(schema: Any) -> list[Any]:
    if not isinstance(schema, dict):
        return []
    found = [schema.get(key) for key in _SINGLE]
    found += [item for key in _LISTS for item in _list(schema.get(key))]
    found += [item for key in _MAPPINGS for item in _values(schema.get(key))]
    return found


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _values(value: Any) -> list[Any]:
    return [*value.values()] if isinstance(value, dict) else []
