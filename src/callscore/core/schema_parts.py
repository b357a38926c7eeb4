"""The schemas that stand inside of a schema: for the same value, or for what is inside of it."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["ANYWHERE", "SAME_VALUE", "Places", "schemas_in"]


class Places(NamedTuple):
    """The keywords under which schemas stand.

    Attributes:
        single: those that hold one.
        lists: those that hold a list of them.
        mappings: those that hold them by name.
    """

    single: tuple[str, ...]
    lists: tuple[str, ...]
    mappings: tuple[str, ...]


SAME_VALUE = Places(
    ("not", "if", "then", "else"), ("allOf", "anyOf", "oneOf"), ("dependentSchemas", "dependencies")
)
ANYWHERE = Places(
    (
        *("items", "additionalItems", "unevaluatedItems", "contains"),
        *("additionalProperties", "unevaluatedProperties", "propertyNames"),
        *SAME_VALUE.single,
    ),
    (*SAME_VALUE.lists, "prefixItems", "items"),
    (*SAME_VALUE.mappings, "properties", "patternProperties", "$defs", "definitions"),
)


def schemas_in(part: dict[str, Any], places: Places) -> list[Any]:
    """What stands at these places of a schema; whoever asks looks at each, for it may be anything."""
    found = [part.get(key) for key in places.single]
    for key in places.lists:
        listed = part.get(key)
        found += listed if isinstance(listed, list) else ()
    for key in places.mappings:
        named = part.get(key)
        found += named.values() if isinstance(named, dict) else ()
    return found
