"""What BFCL is told of plain calls: the documents of their functions, and their possible answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.parity.bfcl_values import TYPES, WITH_ITEMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from callscore.core.tool import Tool
    from callscore.parity.calls import Arguments

__all__ = ["answers_for", "functions_for"]

_WORDS = {kind: word for word, kind in reversed(TYPES.items())}
_ANY = "any"  # what has no type of its own is compared with the answers as it is
# JSON Schema's words for types that BFCL has another word for.
_OF_SCHEMA = {"object": "dict", "number": "float"}


def functions_for(
    calls: Iterable[tuple[str, Arguments]], tools: Mapping[str, Tool]
) -> list[dict[str, Any]]:
    """The documents of the functions that are called, in the order of their first calls.

    A tool that is not defined has all parameters that it is called with, each of the type of its
    first value, and all of them are required.
    """
    parameters: dict[str, dict[str, Any]] = {}
    for name, arguments in calls:
        described = parameters.setdefault(name, {})
        for key, value in (arguments or {}).items():
            if key not in described:
                described[key] = _description(value)
    return [
        _defined(tools[name]) if name in tools else _document(name, described, list(described))
        for name, described in parameters.items()
    ]


def _document(name: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"name": name, "parameters": {"properties": properties, "required": required}}


def _description(value: Any) -> dict[str, Any]:
    word = _WORDS.get(type(value), _ANY)
    if word != "array":
        return {"type": word}
    first = _WORDS.get(type(value[0]), _ANY) if value else _ANY
    return {"type": word, "items": {"type": first}}


def _defined(tool: Tool) -> dict[str, Any]:
    schema = tool.parameters or {}
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict):
        properties = {}
    described = {key: _translated(part) for key, part in properties.items()}
    return _document(tool.name, described, required if isinstance(required, list) else [])


def _translated(schema: Any) -> dict[str, Any]:
    """The type that a schema gives, the first where it gives several; any where it gives none."""
    if not isinstance(schema, dict):
        return {"type": _ANY}
    given = schema.get("type")
    words = given if isinstance(given, list) else [given]
    translated = [_OF_SCHEMA.get(word, word) for word in words if isinstance(word, str)]
    word = next((word for word in translated if word in TYPES), _ANY)
    if word in WITH_ITEMS:
        return {"type": word, "items": {"type": _translated(schema.get("items"))["type"]}}
    return {"type": word}


def answers_for(
    calls: Iterable[tuple[str, Arguments]], *, may_be_left_out: bool
) -> list[dict[str, dict[str, Any]]]:
    """For each call, that its values are the only possible answers."""
    or_none = ("",) if may_be_left_out else ()
    return [
        {name: {key: [_answer(value), *or_none] for key, value in (arguments or {}).items()}}
        for name, arguments in calls
    ]


def _answer(value: Any) -> Any:
    """A value as a possible answer: each member of an object has possible answers of its own."""
    if isinstance(value, dict):
        return _members(value)
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [_members(item) if isinstance(item, dict) else item for item in value]
    return value


def _members(value: dict[str, Any]) -> dict[str, Any]:
    return {key: [member] for key, member in value.items()}
