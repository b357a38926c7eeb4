"""A rule that stands in place of an argument's value.

What the rule means is in `comparators`, one module a rule; this is only its form, so that anything
can hold one. `{"$approx": 3.14, "abs": 0.01}` is `Matcher("$approx", 3.14, {"abs": 0.01})`.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

__all__ = ["ABSENT", "Matcher", "holds_matchers"]

_SCALARS = frozenset({str, int, float, bool, type(None)})
_is_flat = _SCALARS.issuperset
# The rules that were ever made in this process. Where there is none, none has to be looked for.
_made: set[str] = set()


class _Absent:
    """The value of an argument that was not given; nothing that JSON has is this."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()


class Matcher(Struct, frozen=True, gc=False):
    """A rule in place of a value.

    Attributes:
        key: the rule, as case files spell it: `$approx`.
        value: what stands under that key; it may hold matchers where the rule looks inside.
        options: what stands beside it: `{"abs": 0.01}`.
    """

    key: str
    value: Any = True
    options: dict[str, Any] = {}

    def __post_init__(self) -> None:
        _made.add(self.key)

    def __repr__(self) -> str:
        from callscore.core.comparator import describe

        return describe(self)


def holds_matchers(value: Any) -> bool:
    """Whether a rule stands anywhere in a value; no depth of nesting can exhaust the walk."""
    if not _made:
        return False
    pending = [value]
    while pending:
        item = pending.pop()
        if item.__class__ is Matcher:
            return True
        if isinstance(item, dict):
            item = item.values()
        elif not isinstance(item, list | tuple):
            continue
        # Most hold nothing but scalars, which this finds out without a step of the interpreter.
        if not _is_flat(map(type, item)):
            pending += [member for member in item if member.__class__ not in _SCALARS]
    return False
