"""What OpenAPI, and Gemini after it, says with `nullable`, in the words of JSON Schema."""

from __future__ import annotations

from typing import Any

from callscore.core.schema_parts import ANYWHERE, schemas_in

__all__ = ["allow_null"]

_NULL = "null"
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
    return schemas_in(schema, ANYWHERE) if isinstance(schema, dict) else []
