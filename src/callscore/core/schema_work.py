"""How long it would take to tell all errors of a value.

Whether a value is valid is soon known. But where each of two alternatives looks into the same member,
and so on below, the errors of a value that is ten levels deep are told a thousand times.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from callscore.core.schema_growth import parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["takes_too_long"]

_MOST = 10_000  # steps, each of which takes some 50 microseconds
_MOST_WAYS = 10  # in which the same part of a schema is held against the same value, on average
_MEMBERS = ("additionalProperties", "unevaluatedProperties")
_ITEMS = ("items", "additionalItems", "unevaluatedItems", "contains")

_Ways = Counter[int]  # by the id of a part of the schema, how many ways lead to it


def takes_too_long(schema: dict[str, Any], value: Any) -> bool:
    """Whether the errors of a value are told again and again.

    Args:
        schema: a schema with references; without them no part of it is used twice.
        value: a value that is not valid.
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
            if steps > max(_MOST, _MOST_WAYS * distinct):
                return True
            below += _below(item, reached, parts)
        level = below
    return False


def _spread(ways: _Ways, parts: dict[int, dict[str, Any]], schema: dict[str, Any]) -> _Ways | None:
    """The ways to all parts that are held against the same value; None where there is no end."""
    reached: _Ways = Counter()
    while ways:
        reached.update(ways)
        if reached.total() > _MOST:
            return None
        further: _Ways = Counter()
        for part, count in ways.items():
            for inner in parts_of(parts[part], schema):
                parts[id(inner)] = inner
                further[id(inner)] += count
        ways = further
    return reached


def _below(
    value: Any, reached: _Ways, parts: dict[int, dict[str, Any]]
) -> Iterator[tuple[Any, _Ways]]:
    """The members or items of a value, with the ways to what is held against each."""
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
    """What a schema asks of a member or of an item, or of some of them."""
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
