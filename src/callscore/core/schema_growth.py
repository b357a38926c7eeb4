"""How much a schema asks of one value once its references are followed.

Twenty schemas, each of which refers twice to the next, ask a million things of a single number. Who
writes such a schema wants to keep somebody busy, so it is not used at all.
"""

from __future__ import annotations

from typing import Any

from callscore.core.schema_parts import SAME_VALUE, schemas_in
from callscore.core.schema_reference import target_of

__all__ = ["MOST_DEMANDS", "asks_too_much", "parts_of"]

MOST_DEMANDS = 10_000


def asks_too_much(schema: Any) -> bool:
    """Whether some part of a schema, with all references inside of it, asks too much of one value.

    Only references within the document, `#/$defs/name`, are followed. A reference that leads back to
    where it stands costs nothing: the library does not follow it either.
    """
    if not isinstance(schema, dict):
        return False
    return max(_demands([schema, *_referred_to(schema)], schema).values()) > MOST_DEMANDS


def _referred_to(schema: dict[str, Any]) -> list[Any]:
    """Everything that a reference leads to; what grows, grows from there."""
    found: list[Any] = []
    pending: list[Any] = [schema]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            found += [target for target in (target_of(schema, part.get("$ref")),) if target]
            pending += part.values()
        elif isinstance(part, list):
            pending += part
    return list({id(target): target for target in found}.values())


def _demands(starts: list[Any], schema: dict[str, Any]) -> dict[int, int]:
    """How many schemas each of these, and of those inside, holds against one value.

    A schema counts as often as there are ways that lead to it, up to a bit more than is allowed.
    """
    counted: dict[int, int] = {}
    opened: set[int] = set()
    pending = starts
    while pending:
        part = pending[-1]
        inner = parts_of(part, schema)
        if id(part) not in opened:
            opened.add(id(part))
            pending += [item for item in inner if id(item) not in opened]
            continue
        pending.pop()
        # Of a way that leads back to where it began there is no count yet.
        demands = 1 + sum(counted.get(id(item), 0) for item in inner)
        counted[id(part)] = min(demands, MOST_DEMANDS + 1)
    return counted


def parts_of(part: Any, schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The schemas that a part of a schema holds against the same value, one step away."""
    if not isinstance(part, dict):
        return []
    found = [*schemas_in(part, SAME_VALUE), target_of(schema, part.get("$ref"))]
    return [item for item in found if isinstance(item, dict)]
