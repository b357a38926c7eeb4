"""The parts of a JSON Schema: how they are walked, and how `$ref` is followed and expanded."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

_POSITION = re.compile(r"[0-9]{1,9}")  # no list is longer


class SchemaKeywords(NamedTuple):
    """The keywords that hold one schema, a list of schemas, or schemas by name."""

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
    """The values under these keywords; callers must check each, because it may be anything."""
    found = [part.get(key) for key in places.single]
    for key in places.lists:
        listed = part.get(key)
        found += listed if isinstance(listed, list) else ()
    for key in places.mappings:
        named = part.get(key)
        found += named.values() if isinstance(named, dict) else ()
    return found


def resolve_reference(schema: Any, reference: Any) -> Any:
    """The target of a reference of the form `#/$defs/name`; None if there is none."""
    if reference == "#":
        return schema
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    found = schema
    for step in reference[2:].split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict):
            found = found.get(key)
        else:
            is_position = isinstance(found, list) and _POSITION.fullmatch(key)
            found = found[int(key)] if is_position and int(key) < len(found) else None
    return found


_NULL = "null"
# Keywords that also apply to null and cannot be extended to accept it.
_STRICT = frozenset({"$ref", "$dynamicRef", "$recursiveRef", "allOf", "oneOf", "not", "if"})


def apply_nullable(schema: Any) -> None:
    """Replace `nullable: true` of OpenAPI and Gemini by JSON Schema, in place.

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


MAX_EXPANDED = 10_000


def expands_too_much(schema: Any) -> bool:
    """Whether a part of a schema, with its references followed, applies too many schemas to a value.

    Only references within the document, `#/$defs/name`, are followed. A reference to a schema
    around it costs nothing: the library does not follow it either.
    """
    if not isinstance(schema, dict):
        return False
    counts = _expanded_counts([schema, *_reference_targets(schema)], schema)
    return max(counts.values()) > MAX_EXPANDED


def _reference_targets(schema: dict[str, Any]) -> list[Any]:
    """Every value that a reference leads to, once: only there can the counts multiply."""
    found: dict[int, Any] = {}
    pending: list[Any] = [schema]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            target = resolve_reference(schema, part.get("$ref"))
            if target:
                found[id(target)] = target
            pending += part.values()
        elif isinstance(part, list):
            pending += part
    return list(found.values())


def _expanded_counts(starts: list[Any], schema: dict[str, Any]) -> dict[int, int]:
    """For each of these parts and those inside: how many schemas it applies to one value.

    A schema counts once per way that leads to it. Counting stops just above the limit.
    """
    counted: dict[int, int] = {}
    opened: set[int] = set()
    pending = starts
    while pending:
        part = pending[-1]
        inner = same_value_schemas(part, schema)
        if id(part) not in opened:
            opened.add(id(part))
            pending += [item for item in inner if id(item) not in opened]
            continue
        pending.pop()
        # A schema that refers back to one around it finds no count yet.
        demands = 1 + sum(counted.get(id(item), 0) for item in inner)
        counted[id(part)] = min(demands, MAX_EXPANDED + 1)
    return counted


def same_value_schemas(part: Any, schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The schemas that a part of a schema applies to the same value, one step away."""
    if not isinstance(part, dict):
        return []
    found = [*subschemas(part, SAME_VALUE_KEYWORDS), resolve_reference(schema, part.get("$ref"))]
    return [item for item in found if isinstance(item, dict)]


_MAX_STEPS = 10_000  # steps of about 50 microseconds each
_MAX_WAYS = 10  # in which the same part of a schema is applied to the same value, on average
_MEMBERS = ("additionalProperties", "unevaluatedProperties")
_ITEMS = ("items", "additionalItems", "unevaluatedItems", "contains")

_Ways = Counter[int]  # by the id of a part of the schema, how many ways lead to it


def takes_too_long(schema: dict[str, Any], value: Any) -> bool:
    """Whether the errors of an invalid value would be reported many times over.

    Only references can cause this: without them no part of a schema is used twice.
    """
    parts: dict[int, dict[str, Any]] = {id(schema): schema}
    level: list[tuple[Any, _Ways]] = [(value, Counter(parts.keys()))]
    steps = distinct = 0
    while level:
        below: list[tuple[Any, _Ways]] = []
        for item, ways in level:
            reached = _spread(ways, parts, schema)
            if reached is None:
                return True
            steps += reached.total()
            distinct += len(reached)
            if steps > max(_MAX_STEPS, _MAX_WAYS * distinct):
                return True
            below += _below(item, reached, parts)
        level = below
    return False


def _spread(ways: _Ways, parts: dict[int, dict[str, Any]], schema: dict[str, Any]) -> _Ways | None:
    """The ways to all parts that are applied to the same value; None if there are too many."""
    reached: _Ways = Counter()
    while ways:
        reached.update(ways)
        if reached.total() > _MAX_STEPS:
            return None
        further: _Ways = Counter()
        for part, count in ways.items():
            for inner in same_value_schemas(parts[part], schema):
                parts[id(inner)] = inner
                further[id(inner)] += count
        ways = further
    return reached


def _below(
    value: Any, reached: _Ways, parts: dict[int, dict[str, Any]]
) -> Iterator[tuple[Any, _Ways]]:
    """The members or items of a value, each with the ways to the schemas applied to it."""
    if isinstance(value, dict):
        children = list(value.items())
    else:
        children = list(enumerate(value)) if isinstance(value, list) else []
    for key, child in children:
        ways: _Ways = Counter()
        for part, count in reached.items():
            for inner in _schemas_for(key, parts[part]):
                parts[id(inner)] = inner
                ways[id(inner)] += count
        if ways:
            yield child, ways


def _schemas_for(key: str | int, part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The schemas that a part of a schema applies to a member or to an item."""
    if isinstance(key, str):
        named = part.get("properties")
        found = [named.get(key)] if isinstance(named, dict) else []
        patterns = part.get("patternProperties")
        found += patterns.values() if isinstance(patterns, dict) else ()
        found += [part.get(word) for word in _MEMBERS]
    else:
        found = [part.get(word) for word in _ITEMS]
        for word in ("prefixItems", "items"):
            listed = part.get(word)
            found += listed[key : key + 1] if isinstance(listed, list) else ()
    for schema in found:
        if isinstance(schema, dict):
            yield schema
