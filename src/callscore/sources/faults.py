"""Objects and arrays put together from parts: a fault in a part spoils the whole, as in a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.malformed import FaultyArray, FaultyObject, fault_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callscore.core.malformed import Malformed

__all__ = ["array_of", "object_of"]


def object_of(members: dict[str, Any]) -> dict[str, Any]:
    """These members as an object that knows what is malformed in it."""
    fault = _first_fault(members.values())
    return members if fault is None else FaultyObject(members, fault)


def array_of(items: list[Any]) -> list[Any]:
    """These items as an array that knows what is malformed in it."""
    fault = _first_fault(items)
    return items if fault is None else FaultyArray(items, fault)


def _first_fault(values: Iterable[Any]) -> Malformed | None:
    """Of the first faulty value; what is put together has no text of its own to show."""
    for value in values:
        fault = fault_of(value)
        if fault is not None:
            return fault
    return None
