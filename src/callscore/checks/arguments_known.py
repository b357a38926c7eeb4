"""Which arguments a schema knows; any other was made up, even where the schema lets it pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.json_schema import errors_in
from callscore.core.schema_parts import SAME_VALUE, schemas_in
from callscore.core.schema_reference import target_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["closed", "made_up"]

# What `not` names is not known by it.
_SAME_OBJECT = SAME_VALUE._replace(single=("if", "then", "else"))
_OPENING = ("additionalProperties", "unevaluatedProperties")
_ELSEWHERE = ("$dynamicRef", "$recursiveRef")


def closed(schema: Any) -> dict[str, Any] | None:
    """A schema that allows the arguments that this one knows, with any value, and no other.

    None where it knows of more than it names: it has no `properties` at all, or says itself that
    others are welcome. One whose `properties` are empty takes no arguments.
    """
    names_any = False
    names: dict[str, bool] = {}
    patterns: dict[str, bool] = {}
    for part in _parts(schema):
        if part is None or any(_is_open(part.get(key)) for key in _OPENING):
            return None
        names_any = names_any or isinstance(part.get("properties"), dict)
        names |= dict.fromkeys(_object(part.get("properties")), True)
        patterns |= dict.fromkeys(_object(part.get("patternProperties")), True)
    if not names_any:
        return None
    known = {"properties": names, "additionalProperties": False}
    return {**known, "patternProperties": patterns} if patterns else known


def made_up(closed_schema: dict[str, Any], arguments: dict[str, Any]) -> list[str]:
    """The names of the arguments that a closed schema does not know."""
    unknown = [name for name in arguments if name not in closed_schema["properties"]]
    if not unknown or "patternProperties" not in closed_schema:
        return unknown
    # By the engine of the schemas, which no pattern can keep busy.
    return [name for name in unknown if errors_in(closed_schema, {name: None})]


def _is_open(value: Any) -> bool:
    return value is True or isinstance(value, dict)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _parts(schema: Any) -> Iterator[dict[str, Any] | None]:
    """All schemas of the same object, each once; None for one that is not to be found here."""
    pending: list[Any] = [schema]
    seen: set[int] = set()
    while pending:
        part = pending.pop()
        if not isinstance(part, dict) or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        pending += schemas_in(part, _SAME_OBJECT)
        if any(key in part for key in _ELSEWHERE):
            yield None
        if "$ref" in part:
            target = target_of(schema, part["$ref"])
            if target is None:
                yield None
            pending.append(target)
