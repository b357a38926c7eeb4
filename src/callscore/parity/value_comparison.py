"""Comparisons that several tools share: JavaScript equality, JSON text, common items."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache
from json import (  # noqa: TID251  (texts are compared: they come from the same encoder)
    JSONDecoder,
    JSONEncoder,
)
from math import floor, inf, isfinite
from typing import Any

from callscore.errors import NotScorable

__all__ = [
    "common_count",
    "f1_of",
    "has_members",
    "is_submultiset",
    "is_subsequence",
    "js_deep_equal",
    "js_number",
    "js_round",
    "js_strict_equal",
    "js_trim",
    "json_round_trip",
    "json_stringify_key",
    "python_json_text",
]

_ARRAYS = (list, tuple)
_CONTAINERS = (dict, list, tuple)
_WHITESPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_BOOLEAN_TOKENS = {True: ("true",), False: ("false",)}  # neither token equals 1 or 0


def js_number(value: float) -> float:
    """A number as JavaScript reads it: a double."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def js_round(value: float) -> int:
    """The nearest integer, the greater of two: `Math.round`."""
    below = floor(value)
    # Not floor(value + 0.5): that sum is itself rounded.
    return below + 1 if value - below >= 0.5 else below  # noqa: PLR2004  (one half)


def js_trim(text: str) -> str:
    """A text without the whitespace around it: `trim`, whose whitespace differs from Python's."""
    return text.strip(_WHITESPACE)


def js_strict_equal(left: Any, right: Any) -> bool:
    """Whether two scalars are the same: `===`, by which NaN is not NaN."""
    kind, other = left.__class__, right.__class__
    if kind is other and kind is not int:
        return bool(left == right)
    if kind in (int, float) and other in (int, float):
        return js_number(left) == js_number(right)
    return False


def js_deep_equal(
    left: Any, right: Any, *, arrays_by_key: bool = False, nan_is_nan: bool = False
) -> bool:
    """Whether two values are the same, member by member.

    With `arrays_by_key`, an array equals an object with the keys "0", "1" and so on.
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
        elif not js_strict_equal(first, second):
            are_nan = first != first and second != second  # noqa: PLR0124  (true of NaN alone)
            if not (nan_is_nan and are_nan):
                return False
    return True


def _keyed(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    return {str(position): member for position, member in enumerate(value)}


def _members_of_both(left: Any, right: Any) -> list[tuple[Any, Any]] | None:
    """The pairs of members to compare; None if the keys differ."""
    if len(left) != len(right) or isinstance(left, dict) is not isinstance(right, dict):
        return None
    if not isinstance(left, dict):
        return list(zip(left, right, strict=True))
    if left.keys() != right.keys():
        return None
    return [(member, right[key]) for key, member in left.items()]


def json_stringify_key(value: Any, *, without: str | None = None) -> tuple[Any, ...]:
    """A key that two values share exactly when `JSON.stringify` with sorted keys gives one text.

    Numbers that are not finite are null. `without` is a key to leave out of all objects.
    """
    tokens: list[Any] = []
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            keys = sorted(key for key in item if key != without)
            # The number of keys comes first, so that no two values share their tokens.
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
        return _BOOLEAN_TOKENS[scalar]
    if kind is int or kind is float:
        double = js_number(scalar)
        return double if isfinite(double) else None
    return scalar


def python_json_text(value: Any, **options: Any) -> str:
    """The text of `json.dumps` with these options.

    Raises:
        NotScorable: the value cannot be written, or its keys cannot be sorted.
    """
    try:
        return _encoder(tuple(options.items()))(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise NotScorable(f"a value cannot be written as JSON: {error}.") from error


def json_round_trip(value: Any) -> Any:
    """The value that `json.loads` reads from the text of `json.dumps`.

    Raises:
        NotScorable: the value cannot be written.
        RecursionError: it can be written, but is nested too deeply to be read.
    """
    return JSONDecoder().decode(python_json_text(value))


@cache
def _encoder(options: tuple[tuple[str, Any], ...]) -> Callable[[Any], str]:
    # Creating one costs as much as writing a small value.
    return JSONEncoder(**dict(options)).encode


def common_count(first: Iterable[Hashable], second: Iterable[Hashable]) -> int:
    """The size of the multiset intersection of two sequences."""
    free: dict[Hashable, int] = {}
    for item in second:
        free[item] = free.get(item, 0) + 1
    common = 0
    for item in first:
        left = free.get(item)
        if left:
            free[item] = left - 1
            common += 1
    return common


def f1_of(common: int, expected: int, actual: int) -> float:
    """The harmonic mean of precision and recall, from counts; 0.0 if nothing is common.

    The operations are in the order of the tools, because the last bit depends on it.
    """
    if not common:
        return 0.0
    precision, recall = common / actual, common / expected
    return 2 * precision * recall / (precision + recall)


def is_subsequence(part: Sequence[Any], whole: Sequence[Any]) -> bool:
    """Whether all items of one sequence are found in another in this order, maybe among others."""
    rest = iter(whole)
    # `in` advances the iterator past the item, so that the next is searched for behind it.
    return all(item in rest for item in part)


def is_submultiset(part: Sequence[Hashable], whole: Iterable[Hashable]) -> bool:
    """Whether all items of one sequence are found in another, in any order."""
    return common_count(part, whole) == len(part)


def has_members(value: dict[str, Any], members: dict[str, Any]) -> bool:
    """Whether an object has all of these members, and possibly others.

    Value by value, because `==` of two dicts takes a NaN object for equal to itself.
    """
    return all(key in value and value[key] == member for key, member in members.items())
