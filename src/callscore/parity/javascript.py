"""Values out of JSON as JavaScript sees them, for the tools that are written in it.

Every number is a double there: 2**53 + 1 is 2**53, 1 is 1.0, and an integer that is too long is
infinite. Nothing here recurses, so that no depth of nesting can exhaust the interpreter's stack.
"""

from __future__ import annotations

from math import floor, inf, isfinite
from typing import Any

__all__ = ["number", "round_half_up", "same_scalar", "same_value", "text_key", "trim"]

_ARRAYS = (list, tuple)
_CONTAINERS = (dict, list, tuple)
_WHITESPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_TRUTHS = {True: ("true",), False: ("false",)}  # no token of these equals 1 or 0


def number(value: float) -> float:
    """A number as the double that it is read as."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def round_half_up(value: float) -> int:
    """The nearest integer, the greater of two: `Math.round`."""
    below = floor(value)
    # Not floor(value + 0.5): that sum is itself rounded.
    return below + 1 if value - below >= 0.5 else below  # noqa: PLR2004  (one half)


def trim(text: str) -> str:
    """A text without the whitespace around it: `trim`, which takes other characters than Python."""
    return text.strip(_WHITESPACE)


def same_scalar(left: Any, right: Any) -> bool:
    """Whether two values that are no containers are the same: `===`, by which NaN is not itself."""
    kind, other = left.__class__, right.__class__
    if kind is other and kind is not int:
        return bool(left == right)
    if kind in (int, float) and other in (int, float):
        return number(left) == number(right)
    return False


def same_value(
    left: Any, right: Any, *, arrays_by_key: bool = False, nan_is_nan: bool = False
) -> bool:
    """Whether two values are the same, member by member.

    Args:
        left: a value out of JSON.
        right: another.
        arrays_by_key: whether an array is taken for an object with the keys "0", "1" and so on.
        nan_is_nan: whether NaN is the same as NaN.
    """
    pending = [(left, right)]
    while pending:
        first, second = pending.pop()
        if isinstance(first, _CONTAINERS) and isinstance(second, _CONTAINERS):
            if arrays_by_key and isinstance(first, dict) is not isinstance(second, dict):
                first, second = _keyed(first), _keyed(second)
            members = _members_of_both(first, second)
            if members is None:
                return False
            pending += members
        elif not (same_scalar(first, second) or (nan_is_nan and _are_nan(first, second))):
            return False
    return True


def _are_nan(left: Any, right: Any) -> bool:
    return bool(left != left and right != right)  # noqa: PLR0124  (NaN alone is not itself)


def _keyed(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    return {str(position): member for position, member in enumerate(value)}


def _members_of_both(left: Any, right: Any) -> list[tuple[Any, Any]] | None:
    """The members that have to be the same; None where not even their keys are."""
    if len(left) != len(right) or isinstance(left, dict) is not isinstance(right, dict):
        return None
    if not isinstance(left, dict):
        return list(zip(left, right, strict=True))
    if left.keys() != right.keys():
        return None
    return [(member, right[key]) for key, member in left.items()]


def text_key(value: Any, *, without: str | None = None) -> tuple[Any, ...]:
    """What two values share exactly when `JSON.stringify` gives them one text, with sorted keys.

    That text has no word for what is not finite, and writes null.

    Args:
        value: a value out of JSON.
        without: a key that is left out of every object.
    """
    tokens: list[Any] = []
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            keys = sorted(key for key in item if key != without)
            # The keys come first; as their number is known, no two values share their tokens.
            tokens += (("{", len(keys)), *keys)
            pending += [item[key] for key in keys]
        elif isinstance(item, _ARRAYS):
            tokens.append(("[", len(item)))
            pending += item
        else:
            tokens.append(_token(item))
    return tuple(tokens)


def _token(scalar: Any) -> Any:
    kind = scalar.__class__
    if kind is bool:
        return _TRUTHS[scalar]
    if kind is int or kind is float:
        double = number(scalar)
        return double if isfinite(double) else None
    return scalar
