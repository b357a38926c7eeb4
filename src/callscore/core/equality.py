"""JSON equality: 1 is 1.0, but true is not 1, "1" is not 1, and key order does not matter.

Also the JSON type of a value, and the exact value of a number.
"""

from __future__ import annotations

from decimal import Decimal
from math import isfinite, isnan
from operator import itemgetter
from typing import Any, TypeGuard

import msgspec

from callscore.core.large_number import LargeNumber, large_integer
from callscore.core.rendering import has_few_parts
from callscore.core.rules import Matcher

_ABSENT = object()
_ARRAYS = (list, tuple)
_NUMBERS = (int, float)
_ALL_NUMBERS = (int, float, LargeNumber)
_SCALARS = frozenset({str, int, float, bool, type(None)})
PLAIN = _SCALARS - {float}  # where equal is equal: a float may be NaN
_JSON_TYPES = _SCALARS | {list, dict}
_encode = msgspec.json.Encoder().encode


def equal(left: Any, right: Any) -> bool:
    """Whether two values are the same JSON value.

    Numbers compare by exact mathematical value, NaN equals NaN, a tuple is an array. A value
    that JSON does not know (a date, a Decimal) equals only one of its own type that prints alike.
    """
    kind, other = left.__class__, right.__class__
    if kind is other:
        if kind in _SCALARS:
            return left == right or (kind is float and isnan(left) and isnan(right))
    elif kind in _JSON_TYPES and other in _JSON_TYPES:
        return kind in _NUMBERS and other in _NUMBERS and left == right
    try:
        # The fast way to True; False needs a closer look: NaN, a tuple, 1.0 for 1, key order.
        # Python's own equality takes true for 1, and the text alone takes NaN for null.
        if left == right and _encode(left) == _encode(right):
            return True
    except Exception:  # noqa: BLE001, S110  (not JSON, or an object that raises when compared)
        pass
    return _equal_deep(left, right)


def equal_objects(left: dict[str, Any], right: dict[str, Any]) -> bool:
    """Whether two JSON objects are the same: `equal` for values that are known to be objects."""
    try:
        # As in `equal`, without the call.
        if left is right or (left == right and (not left or _encode(left) == _encode(right))):
            return True
    except Exception:  # noqa: BLE001, S110  (not JSON, or an object that raises when compared)
        pass
    return len(left) == len(right) and _have_equal_values(left, right)


def _have_equal_values(left: dict[str, Any], right: dict[str, Any]) -> bool:
    for key, value in left.items():
        other = right.get(key, _ABSENT)
        kind = value.__class__
        # Nearly all values are such scalars; comparing them inline saves a call.
        if kind is other.__class__ and kind in PLAIN:
            if value != other:
                return False
        elif value is not other and (other is _ABSENT or not equal(value, other)):
            return False
    return True


def differing_keys(left: dict[str, Any], right: dict[str, Any]) -> list[str]:
    """The keys whose values are not the same on both sides, those of the left side first."""
    found: list[str] = []
    shared = 0
    for key, value in left.items():
        if key in right:
            shared += 1
            other = right[key]
            kind = value.__class__
            # Nearly all values are such scalars; comparing them inline saves a call.
            if kind is other.__class__ and kind in PLAIN:
                if value == other:
                    continue
            elif value is other or equal(value, other):
                continue
        found.append(key)
    if shared < len(right):
        found += [key for key in right if key not in left]
    return found


def _equal_deep(left: Any, right: Any) -> bool:
    try:
        return _equal(left, right)
    except RecursionError:  # nested deeper than the interpreter can follow
        return fingerprint(left) == fingerprint(right)


def _equal(left: Any, right: Any) -> bool:
    if left is right:
        return True
    if isinstance(left, dict):
        return isinstance(right, dict) and _equal_members(left, right)
    if isinstance(left, _ARRAYS):
        return (
            isinstance(right, _ARRAYS) and len(left) == len(right) and all(map(_equal, left, right))
        )
    return _equal_scalars(left, right)


# Not inside `_equal`: the closure would make every access to its parameters slower.
def _equal_members(left: dict[Any, Any], right: dict[Any, Any]) -> bool:
    return len(left) == len(right) and all(
        key in right and _equal(value, right[key]) for key, value in left.items()
    )


def _equal_scalars(left: Any, right: Any) -> bool:
    if _is_number(left) and _is_number(right):
        return bool(left == right) or (left != left and right != right)  # noqa: PLR0124  (NaN)
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    if isinstance(left, Matcher) and isinstance(right, Matcher):  # two long ones may print alike
        is_same = left.key == right.key and _equal(left.value, right.value)
        return is_same and _equal(left.options, right.options)
    return type(left) is type(right) and _object_text(left) == _object_text(right)


def _is_number(value: Any) -> bool:
    return isinstance(value, _ALL_NUMBERS) and not isinstance(value, bool)


class _Piece(str):
    """A finished piece of a fingerprint, distinct from the strings inside a value."""

    __slots__ = ()


def fingerprint(value: Any) -> str:
    """A text that two values share exactly when they are the same JSON value.

    It is not recursive, so that any depth of nesting is possible.
    """
    pieces: list[str] = []
    pending: list[Any] = [value]
    while pending:
        item = pending.pop()
        if item.__class__ is _Piece:
            pieces.append(item)
        elif isinstance(item, dict):
            pieces.append("{")
            pending.append(_Piece("}"))
            for key, member in sorted(_members(item), key=itemgetter(0), reverse=True):
                pending += (member, _Piece(key))
        elif isinstance(item, _ARRAYS):
            pieces.append("[")
            pending.append(_Piece("]"))
            for member in reversed(item):
                pending += (_Piece(","), member)
        elif item.__class__ is Matcher:  # not a JSON value, but two of them may be equal
            pieces.append("<")
            pending += (_Piece(">"), item.options, item.value, item.key)
        else:
            pieces.append(_scalar_text(item))
    return "".join(pieces)


def digest(text: str) -> bytes:
    """A short hash of a text, for caches."""
    from hashlib import blake2b  # rarely needed

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _members(item: dict[Any, Any]) -> list[tuple[str, Any]]:
    # Keys that are not strings are not JSON; a dictionary treats True, 1 and 1.0 as one key.
    return [
        (_scalar_text(int(key) if isinstance(key, bool) else key) + ":", member)
        for key, member in item.items()
    ]


def _scalar_text(value: Any) -> str:
    if isinstance(value, str):
        return str.__repr__(value)
    if _is_number(value):
        large = large_integer(value) if isinstance(value, int) else value
        if isinstance(large, LargeNumber):
            return f"number {large!r}"
        is_whole = isinstance(value, int) or value.is_integer()
        # In base 16, as Python refuses to print the decimal digits of a huge integer.
        return hex(int(value)) if is_whole else value.hex()
    return f"{type(value).__qualname__} {_object_text(value)}"


def _object_text(value: Any) -> str:
    try:
        return repr(value) if has_few_parts(value) else str(id(value))
    except Exception:  # noqa: BLE001  (of an object of the user, which then equals only itself)
        return str(id(value))


def is_number(value: Any) -> TypeGuard[int | float]:
    """Whether a value is a number that JSON can spell: not true, not NaN, not infinite.

    It may be a `LargeNumber`, which compares as numbers do.
    """
    if isinstance(value, LargeNumber):
        return True
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) or isfinite(value)


def is_fraction(value: Any) -> TypeGuard[int | float]:
    """Whether a value is a number from 0 to 1."""
    return is_number(value) and 0 <= value <= 1


def exact_ratio(number: float) -> tuple[int, int]:
    """The exact value of a number as it is written, as a numerator and a denominator above zero.

    0.1 is one tenth, which no float is. The fraction is not reduced.
    """
    if isinstance(number, int):
        return int(number), 1
    return Decimal(float.__repr__(number)).as_integer_ratio()


def json_type(value: Any) -> str:
    """The JSON type of a value; the Python type if it is not JSON."""
    for name, types in _TYPE_NAMES:
        if isinstance(value, types):
            return name
    return type(value).__qualname__


_TYPE_NAMES: tuple[tuple[str, type | tuple[type, ...]], ...] = (
    ("boolean", bool),
    ("number", (int, float, LargeNumber)),
    ("string", str),
    ("null", type(None)),
    ("object", dict),
    ("array", _ARRAYS),
)
