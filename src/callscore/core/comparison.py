"""Comparing a value with one in which rules may stand in place of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.comparator import comparator_of
from callscore.core.equality import equal
from callscore.core.matcher import ABSENT, Matcher, holds_matchers
from callscore.core.verdict import Context, Part, Verdict

if TYPE_CHECKING:
    from callscore.core.settings import Settings
    from callscore.core.verdict import Slow

__all__ = ["compare", "context_for", "fits", "may_be_absent"]

_FITS = Verdict(matched=True)
_DIFFERS = Verdict(matched=False, value=0.0)


def context_for(settings: Settings, slow: Slow | None = None) -> Context:
    """What rules need beside two values, under these settings.

    Args:
        settings: how calls are compared.
        slow: what ran out of time so far in the case that is scored; None where none is.
    """

    def compare_inside(expected: Any, actual: Any) -> Verdict:
        return compare(expected, actual, context)

    context = Context(compare_inside, settings.similarity, settings.judge, slow)
    return context


def compare(expected: Any, actual: Any, context: Context) -> Verdict:
    """How an actual value does for an expected one; a value without rules wants an equal one.

    `actual` is ABSENT where none was given.
    """
    if expected.__class__ is Matcher:
        comparator = comparator_of(expected.key)
        is_lacking = actual is ABSENT and not comparator.may_be_absent(expected)
        return _DIFFERS if is_lacking else comparator.compare(expected, actual, context)
    if not holds_matchers(expected):
        return _FITS if equal(expected, actual) else _DIFFERS
    if isinstance(expected, dict):
        return _of_parts(_failing_members(expected, actual, context), len(expected))
    return _of_parts(_failing_items(expected, actual, context), len(expected))


def fits(expected: Any, actual: Any, context: Context) -> bool:
    """Whether a value will do where this is expected; `actual` is ABSENT where none was given."""
    return compare(expected, actual, context).matched


def may_be_absent(expected: Any) -> bool:
    """Whether nothing at all can be compared with what is expected."""
    if expected.__class__ is not Matcher:
        return False
    return comparator_of(expected.key).may_be_absent(expected)


def _of_parts(failing: list[Part] | None, size: int) -> Verdict:
    if failing is None:
        return _DIFFERS
    if not failing:
        return _FITS
    return Verdict(matched=False, value=max(0.0, 1 - len(failing) / size), parts=tuple(failing))


def _failing_members(expected: dict[str, Any], actual: Any, context: Context) -> list[Part] | None:
    """The members that are not as expected; None where there are none to look at."""
    if not isinstance(actual, dict):
        return None
    failing = [
        Part(key, value, actual.get(key, ABSENT))
        for key, value in expected.items()
        if not fits(value, actual.get(key, ABSENT), context)
    ]
    failing += [Part(key, ABSENT, value) for key, value in actual.items() if key not in expected]
    return failing


def _failing_items(expected: Any, actual: Any, context: Context) -> list[Part] | None:
    if not isinstance(actual, list | tuple):
        return None
    wanted = [*expected, *[ABSENT] * (len(actual) - len(expected))]
    given = [*actual, *[ABSENT] * (len(expected) - len(actual))]
    return [
        Part(position, left, right)
        for position, (left, right) in enumerate(zip(wanted, given, strict=True))
        if left is ABSENT or not fits(left, right, context)
    ]
