"""One pair of argument objects: how much of the expected one is there, and what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from callscore.core.equality import equal
from callscore.core.matcher import ABSENT, Matcher
from callscore.core.phrase import Note

if TYPE_CHECKING:
    from callscore.core.settings import ExtraArguments
    from callscore.core.verdict import Context

__all__ = [
    "Difference",
    "DifferenceKind",
    "differences",
    "json_type",
    "matched_arguments",
    "overlap_ratio",
]

DifferenceKind = Literal["missing", "unexpected", "type", "value", "matcher", "malformed"]

_ARRAYS = (list, tuple)
_STRUCTURAL = ("$subset", "$unordered")
_DEEPEST = 200


class Difference(Struct, frozen=True, gc=False):
    """One reason why two calls are not equal.

    Attributes:
        path: where, as a JSON path into the arguments: `$.passengers[0].name`.
        kind: `missing` (expected and not given), `unexpected` (given and not expected), `type`
            and `value` (given, but other), `matcher` (given, but not as a rule asks for),
            `malformed` (the arguments are not a JSON object).
        expected: the value that was expected there; None where the kind is `unexpected`.
        actual: the value that was given there; None where the kind is `missing`.
        argument: the name of the top-level argument it is in; None where it is all of them.
        detail: why the arguments could not be read, where the kind is `malformed`.
        matcher: the rule that was not met, as case files spell it: `$approx`.
        closeness: how near the value comes to what the rule asks for, from 0 to 1.
        note: what else the rule has to say.
    """

    path: str
    kind: DifferenceKind
    expected: Any = None
    actual: Any = None
    argument: str | None = None
    detail: str | None = None
    matcher: str | None = None
    closeness: float | None = None
    note: Note | None = None

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
# What is still to be looked at: where, both values, and the rule that led there.
_Pending = tuple[_Trail, Any, Any, str | None]


def differences(
    expected: dict[str, Any], actual: dict[str, Any], context: Context | None = None
) -> tuple[Difference, ...]:
    """Everything in which two argument objects differ, in the order of the expected one.

    Args:
        expected: the arguments that were expected.
        actual: those that were given.
        context: what rules need; None where the expected arguments hold none.
    """
    found: list[Difference] = []
    pending: list[_Pending] = [(None, expected, actual, None)]
    while pending:
        trail, left, right, matcher = pending.pop()
        if context is not None and left.__class__ is Matcher:
            rest, difference = _by_rule((trail, left, right, matcher), context)
            pending += reversed(rest)
            found += difference
        elif isinstance(left, dict) and isinstance(right, dict):
            pending += reversed(_members(trail, left, right))
        elif isinstance(left, _ARRAYS) and isinstance(right, _ARRAYS):
            pending += reversed(_items(trail, left, right))
        elif left is ABSENT or right is ABSENT or not equal(left, right):
            found.append(_difference(trail, left, right, matcher))
    return tuple(found)


def _difference(trail: _Trail, left: Any, right: Any, matcher: str | None) -> Difference:
    path, argument = _path(trail), _argument(trail)
    if left is ABSENT:
        return Difference(path, "unexpected", None, right, argument, matcher=matcher)
    if right is ABSENT:
        wanted = left if matcher is None else _bare(left)
        return Difference(path, "missing", wanted, None, argument, matcher=matcher)
    kind: DifferenceKind = "value" if json_type(left) == json_type(right) else "type"
    return Difference(path, kind, left, right, argument, matcher=matcher)


def _bare(value: Any, depth: int = 0) -> Any:
    """What is missing, without the rules that only say how its parts are compared."""
    if depth == _DEEPEST:
        return value  # nobody looks as deep as this
    if isinstance(value, Matcher):
        return _bare(value.value, depth + 1) if value.key in _STRUCTURAL else value
    if isinstance(value, dict):
        return {key: _bare(member, depth + 1) for key, member in value.items()}
    return [_bare(item, depth + 1) for item in value] if isinstance(value, list) else value


def _by_rule(pending: _Pending, context: Context) -> tuple[list[_Pending], list[Difference]]:
    """What a rule leaves to be looked at, and what it has to say itself."""
    from callscore.core.comparison import may_be_absent

    trail, rule, actual, led_by = pending
    if actual is ABSENT and not may_be_absent(rule):
        return [], [_difference(trail, rule, ABSENT, led_by or rule.key)]
    verdict = context.compare(rule, actual)
    if verdict.matched:
        return [], []
    if verdict.parts:
        return [
            ((trail, part.step), part.expected, part.actual, rule.key) for part in verdict.parts
        ], []
    failed = Difference(
        _path(trail),
        "matcher",
        rule,
        actual,
        _argument(trail),
        matcher=rule.key,
        closeness=verdict.value,
        note=verdict.note,
    )
    return [], [failed]


def _members(trail: _Trail, left: dict[str, Any], right: dict[str, Any]) -> list[_Pending]:
    both: list[_Pending] = [
        ((trail, key), value, right.get(key, ABSENT), None) for key, value in left.items()
    ]
    return both + [
        ((trail, key), ABSENT, value, None) for key, value in right.items() if key not in left
    ]


def _items(
    trail: _Trail, left: list[Any] | tuple[Any, ...], right: list[Any] | tuple[Any, ...]
) -> list[_Pending]:
    return [
        (
            (trail, position),
            left[position] if position < len(left) else ABSENT,
            right[position] if position < len(right) else ABSENT,
            None,
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
