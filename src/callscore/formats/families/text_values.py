"""Values that stand in a text without a type, typed as the schema of their tool has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.malformed import TRUNCATED, Malformed, excerpt
from callscore.formats.shape import at, dicts, json_of

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Mapping

    from callscore.core.tool import Tool
    from callscore.formats.transcript import Transcript

    Take = Callable[[re.Match[str], Transcript, Mapping[str, Tool]], None]

__all__ = ["taking", "typed_arguments", "typed_value"]

_NULLS = ("null", "none")
_BOOLEANS = {"true": True, "false": False}
_TYPES: dict[str, Any] = {"integer": int, "number": (int, float), "object": dict, "array": list}


def typed_arguments(pairs: Iterable[tuple[str, str]], tool: Tool | None) -> dict[str, Any]:
    """The argument object of names and texts; what no schema types stays text."""
    schema = tool.parameters if tool else None
    return {name: typed_value(text, schema, name) for name, text in pairs}


def taking(argument: re.Pattern[str]) -> Take:
    """What writes down a call whose arguments stand in tags, as `name` and `value` of a pattern."""

    def take(match: re.Match[str], transcript: Transcript, tools: Mapping[str, Tool]) -> None:
        name, body = match["name"].strip(), match["body"]
        if not match["end"]:
            transcript.call(name, Malformed(excerpt(body.strip()), TRUNCATED))
            return
        pairs = [(found["name"].strip(), found["value"]) for found in argument.finditer(body)]
        transcript.call(name, typed_arguments(pairs, tools.get(name)))

    return take


def typed_value(text: str, schema: Any, name: str) -> Any:
    """The value that a text is, for one property of a schema; the text where it does not fit."""
    kinds = _kinds(at(schema, "properties", name), schema)
    word = text.strip().lower()
    if "null" in kinds and word in _NULLS:
        return None
    if not kinds or "string" in kinds:
        return text
    if "boolean" in kinds and word in _BOOLEANS:
        return _BOOLEANS[word]
    value = json_of(text.strip())
    return value if any(_fits(value, kind) for kind in kinds) else text


def _fits(value: Any, kind: str) -> bool:
    is_boolean = isinstance(value, bool)
    return not is_boolean and isinstance(value, _TYPES.get(kind, ()))


def _kinds(schema: Any, root: Any) -> list[str]:
    """The types that a schema allows; none where it does not say."""
    reference = at(schema, "$ref")
    if isinstance(reference, str) and reference.startswith("#/"):
        schema = at(root, *reference.removeprefix("#/").split("/"))
    kinds: list[str] = []
    for option in (schema, *dicts(at(schema, "anyOf")), *dicts(at(schema, "oneOf"))):
        kind = at(option, "type")
        kinds += [item for item in kind if isinstance(item, str)] if isinstance(kind, list) else []
        kinds += [kind] if isinstance(kind, str) else []
    return kinds
