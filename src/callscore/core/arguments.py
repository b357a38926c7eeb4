"""One pair of argument objects: how much of the expected one is there, and what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from callscore.core.equality import equal

if TYPE_CHECKING:
    from callscore.core.settings import ExtraArguments

__all__ = [
    "Difference",
    "DifferenceKind",
    "differences",
    "json_type",
    "matched_arguments",
    "overlap_ratio",
]

DifferenceKind = Literal["missing", "unexpected", "type", "value", "malformed"]

_ABSENT = object()
_ARRAYS = (list, tuple)


class Difference(Struct, frozen=True, gc=False):
    """One reason why two calls are not equal.

    Attributes:
        path: where, as a JSON path into the arguments: `$.passengers[0].name`.
        kind: `missing` (expected and not given), `unexpected` (given and not expected), `type`
            and `value` (given, but other), `malformed` (the arguments are not a JSON object).
        expected: the value that was expected there; None where the kind is `unexpected`.
        actual: the value that was given there; None where the kind is `missing`.
        argument: the name of the top-level argument it is in; None where it is all of them.
        detail: why the arguments could not be read, where the kind is `malformed`.
    """

    path: str
    kind: DifferenceKind
    expected: Any = None
    actual: Any = None
    argument: str | None = None
    detail: str | None = None

    @property
    def reason(self) -> str:
        """The difference in one English sentence."""
        from callscore.core.wording import reason

        return reason(self)


def matched_arguments(expected: dict[str, Any], actual: dict[str, Any]) -> int:
    """How many of the expected arguments the actual call has with the same value."""
    matched = 0
    for key, value in expected.items():
        if key in actual and equal(value, actual[key]):
            matched += 1
    return matched


def overlap_ratio(
    matched: int, *, wanted: int, given: int, shared: int, extra_arguments: ExtraArguments
) -> tuple[int, int]:
    """The overlap of a pair as a numerator and a denominator, both exact.

    Args:
        matched: how many of the wanted arguments were given with the same value.
        wanted: how many arguments were expected.
        given: how many were given.
        shared: how many were both wanted and given, with whatever value.
        extra_arguments: whether arguments that nobody expected enlarge the denominator.
    """
    if not wanted and not given:
        return 1, 1
    if extra_arguments == "count":
        return matched, wanted + given - shared
    return (matched, wanted) if wanted else (1, 2)


# Where a difference is: the steps from the root, newest first, so that descending costs nothing.
# A step is a key or a position; in Python a key may be anything that can be hashed.
_Trail = tuple["_Trail", Any] | None


def differences(expected: dict[str, Any], actual: dict[str, Any]) -> tuple[Difference, ...]:
    """Everything in which two argument objects differ, in the order of the expected one."""
    found: list[Difference] = []
    pending: list[tuple[_Trail, Any, Any]] = [(None, expected, actual)]
    while pending:
        trail, left, right = pending.pop()
        if left is _ABSENT:
            found.append(Difference(_path(trail), "unexpected", None, right, _argument(trail)))
        elif right is _ABSENT:
            found.append(Difference(_path(trail), "missing", left, None, _argument(trail)))
        elif isinstance(left, dict) and isinstance(right, dict):
            pending += reversed(_members(trail, left, right))
        elif isinstance(left, _ARRAYS) and isinstance(right, _ARRAYS):
            pending += reversed(_items(trail, left, right))
        elif not equal(left, right):
            kind: DifferenceKind = "value" if json_type(left) == json_type(right) else "type"
            found.append(Difference(_path(trail), kind, left, right, _argument(trail)))
    return tuple(found)


def _members(
    trail: _Trail, left: dict[str, Any], right: dict[str, Any]
) -> list[tuple[_Trail, Any, Any]]:
    both = [((trail, key), value, right.get(key, _ABSENT)) for key, value in left.items()]
    return both + [
        ((trail, key), _ABSENT, value) for key, value in right.items() if key not in left
    ]


def _items(
    trail: _Trail, left: list[Any] | tuple[Any, ...], right: list[Any] | tuple[Any, ...]
) -> list[tuple[_Trail, Any, Any]]:
    return [
        (
            (trail, position),
            left[position] if position < len(left) else _ABSENT,
            right[position] if position < len(right) else _ABSENT,
        )
        for position in range(max(len(left), len(right)))
    ]


def json_type(value: Any) -> str:
    """The JSON type of a value; of one that JSON does not know, its Python type."""
    for name, types in _JSON_TYPES:
        if isinstance(value, types):
            return name
    return type(value).__qualname__


_JSON_TYPES: tuple[tuple[str, type | tuple[type, ...]], ...] = (
    ("boolean", bool),
    ("number", (int, float)),
    ("string", str),
    ("null", type(None)),
    ("object", dict),
    ("array", _ARRAYS),
)


def _path(trail: _Trail) -> str:
    steps: list[str] = []
    while trail is not None:
        trail, step = trail
        if isinstance(step, int):
            steps.append(f"[{step}]")
        elif isinstance(step, str) and step.isidentifier():
            steps.append(f".{step}")
        else:
            steps.append(f"[{step!r}]")
    return "$" + "".join(reversed(steps))


def _argument(trail: _Trail) -> str | None:
    """The first step of a trail: the name of an argument."""
    argument: Any = None
    while trail is not None:
        trail, argument = trail
    return None if argument is None else str(argument)
