"""JSON equality: 1 is 1.0, but true is not 1, "1" is not 1, and key order does not matter."""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["equal", "equal_objects", "fingerprint"]

_ABSENT = object()
# Two values of one of these types are the same JSON value exactly when Python calls them equal.
_ATOMS = frozenset({str, int, bool, type(None)})
_ARRAYS = (list, tuple)
_encode = msgspec.json.Encoder().encode
_NOT_ENCODED = (TypeError, ValueError, OverflowError)


def equal(left: Any, right: Any) -> bool:
    """Whether two values are the same JSON value.

    Numbers compare by exact mathematical value, NaN equals NaN, a tuple is an array. A value
    that JSON does not know (a date, a Decimal) equals only one of its own type that prints alike.
    """
    try:
        return _equal(left, right)
    except RecursionError:  # nested deeper than the interpreter can follow
        return fingerprint(left) == fingerprint(right)


def equal_objects(left: dict[str, Any], right: dict[str, Any]) -> bool:
    """Whether two JSON objects are the same: `equal` for the case that nearly every call is."""
    try:
        # Python's own equality takes true for 1; the same text as well rules that out. It is the
        # quick way to a yes. A no must be looked into: NaN, a tuple, 1 and 1.0, another key order.
        if left == right and _encode(left) == _encode(right):
            return True
    except (RecursionError, *_NOT_ENCODED):
        pass
    if len(left) != len(right):
        return False
    for key, value in left.items():
        other = right.get(key, _ABSENT)
        if value is not other:
            kind = value.__class__
            if kind in _ATOMS and other.__class__ in _ATOMS:
                if kind is not other.__class__ or value != other:
                    return False
            elif other is _ABSENT or not equal(value, other):
                return False
    return True


def _equal(left: Any, right: Any) -> bool:
    if left is right:
        return True
    if isinstance(left, dict):
        return isinstance(right, dict) and _equal_members(left, right)
    if isinstance(left, _ARRAYS):
        return (
            isinstance(right, _ARRAYS)
            and len(left) == len(right)
            and all(map(_equal, left, right))
        )
    return _equal_scalars(left, right)


def _equal_members(left: dict[Any, Any], right: dict[Any, Any]) -> bool:
    return len(left) == len(right) and all(
        key in right and _equal(value, right[key]) for key, value in left.items()
    )


def _equal_scalars(left: Any, right: Any) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return False  # true and false are singletons: the identity test has already spoken
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right or (left != left and right != right)  # noqa: PLR0124  (NaN)
    if isinstance(left, str):
        return isinstance(right, str) and left == right
    return type(left) is type(right) and repr(left) == repr(right)


class _Piece(str):
    """A finished stretch of a fingerprint, told apart from the strings inside a value."""

    __slots__ = ()


def fingerprint(value: Any) -> str:
    """A text that two values share exactly when they are the same JSON value.

    Walks with a stack of its own, so that no depth of nesting can exhaust the interpreter's.
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
            for key, member in sorted(_members(item), key=_first, reverse=True):
                pending += (member, _Piece(key))
        elif isinstance(item, _ARRAYS):
            pieces.append("[")
            pending.append(_Piece("]"))
            for member in reversed(item):
                pending += (_Piece(","), member)
        else:
            pieces.append(_scalar_text(item))
    return "".join(pieces)


def _members(item: dict[Any, Any]) -> list[tuple[str, Any]]:
    # A key that is no string is not JSON either; a dictionary treats True, 1 and 1.0 as one key.
    return [
        (_scalar_text(int(key) if isinstance(key, bool) else key) + ":", member)
        for key, member in item.items()
    ]


def _first(member: tuple[str, Any]) -> str:
    return member[0]


def _scalar_text(value: Any) -> str:
    if isinstance(value, str):
        return str.__repr__(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return hex(value)  # the decimal digits of a huge integer would be refused
    if isinstance(value, float):
        return hex(int(value)) if value.is_integer() else value.hex()
    return f"{type(value).__qualname__} {value!r}"
