"""How much one call of a tool may bring: a model that sends more is told so, and nothing breaks."""

from __future__ import annotations

from typing import Any

from callscore.errors import InvalidCall

__all__ = [
    "DEEPEST",
    "LARGEST",
    "MOST_CALLS",
    "require_bounded",
    "require_few",
    "require_few_items",
]

LARGEST = 1_000_000  # characters, where every value counts as one more
DEEPEST = 100  # levels; readers of JSON give up not far beyond
MOST_CALLS = 1_000  # on each side

_ATOMS = (str, int, float, type(None))  # a boolean is an integer here
_BITS_A_DIGIT = 3


def require_bounded(value: Any) -> None:
    """Refuse an input that is too large or too deep to be answered, or that is no JSON.

    Raises:
        InvalidCall: it is.
    """
    size = 0
    level = [value]
    for _ in range(DEEPEST + 1):
        size += sum(map(_weight, level))
        if size > LARGEST:
            raise InvalidCall(
                f"the input is too large: it may have {LARGEST:,} characters. Send fewer calls, or "
                "shorten the long values in the same way on both sides."
            )
        level = [member for item in level for member in _members(item)]
        if not level:
            return
    raise InvalidCall(
        f"the input is nested too deeply: it may have {DEEPEST} levels. Flatten the arguments, or "
        "put the deep ones down as JSON text on both sides."
    )


def _weight(value: Any) -> int:
    if isinstance(value, str):
        return 1 + len(value)
    if isinstance(value, int):
        return 1 + value.bit_length() // _BITS_A_DIGIT
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise InvalidCall("the input is not JSON: the keys of its objects must be text.")
        return 1 + sum(map(len, value))
    return 1


def _members(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list | tuple):
        return list(value)
    if not isinstance(value, _ATOMS):
        kind = type(value).__qualname__
        raise InvalidCall(f"the input is not JSON: a {kind} stands in it. Send plain data.")
    return []


def require_few(count: int, side: str) -> None:
    """Refuse a side with too many calls.

    Raises:
        InvalidCall: it has.
    """
    _require_few(count, "calls", side)


def require_few_items(count: int, side: str) -> None:
    """Refuse a side with too many items, calls or not, before any of them is looked at.

    Raises:
        InvalidCall: it has.
    """
    _require_few(count, "items", side)


def _require_few(count: int, what: str, side: str) -> None:
    if count > MOST_CALLS:
        raise InvalidCall(
            f"{side}: there are {count:,} {what} in it, and at most {MOST_CALLS:,} can be compared "
            "here. Send them in parts, or run `callscore score` on a file."
        )
