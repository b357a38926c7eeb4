"""What stands in a trace where a JSON value should be: kept as text, never guessed at.

A fault spoils every object and array around it. Those stay what they are, so that a case can still
be read, but each knows what is wrong inside and what its text was.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

__all__ = [
    "CONCATENATED",
    "INVALID",
    "NOT_AN_OBJECT",
    "NOT_CAPTURED",
    "TOO_DEEP",
    "TRUNCATED",
    "FaultyArray",
    "FaultyObject",
    "Malformed",
    "excerpt",
    "fault_of",
]

# What can be wrong with the arguments of a call, as `ToolCall.error` has it.
INVALID = "invalid_json"
TRUNCATED = "truncated_json"
CONCATENATED = "concatenated_json"
NOT_AN_OBJECT = "not_an_object"
TOO_DEEP = "nested_too_deeply"
NOT_CAPTURED = "not_captured"  # nobody wrote them down, which is not the same as none

_LONGEST = 2000


class Malformed(Struct, frozen=True, gc=False):
    """A value that is not JSON although it is clear where it begins and ends.

    Attributes:
        raw: its text, shortened.
        problem: why it is not JSON, as half a sentence.
    """

    raw: str
    problem: str


class FaultyObject(dict[str, Any]):
    """A JSON object with something malformed in it, at whatever depth."""

    __slots__ = ("fault",)

    def __init__(self, members: dict[str, Any], fault: Malformed) -> None:
        super().__init__(members)
        self.fault = fault


class FaultyArray(list[Any]):
    """A JSON array with something malformed in it, at whatever depth."""

    __slots__ = ("fault",)

    def __init__(self, items: list[Any], fault: Malformed) -> None:
        super().__init__(items)
        self.fault = fault


def fault_of(value: object) -> Malformed | None:
    """What is malformed in a value, with the text of the whole value; None where nothing is."""
    if isinstance(value, FaultyObject | FaultyArray):
        return value.fault
    return value if isinstance(value, Malformed) else None


def excerpt(text: str) -> str:
    """A text short enough to keep and always possible to print; what was cut off shows as `…`."""
    kept = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return kept.encode("utf-8", "backslashreplace").decode()
