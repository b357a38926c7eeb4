"""Compares a value with an expected one in which rules may stand in place of values."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from callscore.core.equality import equal, json_type
from callscore.core.phrases import Note, Phrase
from callscore.core.rules import (
    ABSENT,
    Context,
    FailedPart,
    Matcher,
    Verdict,
    comparator_for,
    contains_matchers,
)

if TYPE_CHECKING:
    from typing import Literal

    from callscore.core.rules import Timeouts
    from callscore.core.settings import Settings

__all__ = ["compare_value", "is_accepted", "make_context", "may_be_absent", "wrong_type"]


# Comparing a value with an expected one that may contain rules.

_MATCH = Verdict(matched=True)
_MISMATCH = Verdict(matched=False, value=0.0)


def make_context(settings: Settings, timeouts: Timeouts | None = None) -> Context:
    """What rules need beside two values, under these settings.

    Args:
        settings: how calls are compared.
        timeouts: what ran out of time so far in the case that is scored; None where none is.
    """

    def compare_inside(expected: Any, actual: Any) -> Verdict:
        return compare_value(expected, actual, context)

    context = Context(compare_inside, settings.similarity, settings.judge, timeouts)
    return context


def compare_value(expected: Any, actual: Any, context: Context) -> Verdict:
    """How an actual value does for an expected one; a value without rules wants an equal one.

    `actual` is ABSENT where none was given.
    """
    if expected.__class__ is Matcher:
        comparator = comparator_for(expected.key)
        is_lacking = actual is ABSENT and not comparator.may_be_absent(expected)
        return _MISMATCH if is_lacking else comparator.compare(expected, actual, context)
    if not contains_matchers(expected):
        return _MATCH if equal(expected, actual) else _MISMATCH
    if isinstance(expected, dict):
        return _verdict_from_parts(_failing_members(expected, actual, context), len(expected))
    return _verdict_from_parts(_failing_items(expected, actual, context), len(expected))


def is_accepted(expected: Any, actual: Any, context: Context) -> bool:
    """Whether a value is accepted for an expected one; `actual` is ABSENT where none was given."""
    return compare_value(expected, actual, context).matched


def may_be_absent(expected: Any) -> bool:
    """Whether nothing at all can be compared with what is expected."""
    if expected.__class__ is not Matcher:
        return False
    return comparator_for(expected.key).may_be_absent(expected)


def _verdict_from_parts(failing: list[FailedPart] | None, size: int) -> Verdict:
    if failing is None:
        return _MISMATCH
    if not failing:
        return _MATCH
    return Verdict(matched=False, value=max(0.0, 1 - len(failing) / size), parts=tuple(failing))


def _failing_members(
    expected: dict[str, Any], actual: Any, context: Context
) -> list[FailedPart] | None:
    """The members that are not as expected; None where there are none to look at."""
    if not isinstance(actual, dict):
        return None
    failing = [
        FailedPart(key, value, actual.get(key, ABSENT))
        for key, value in expected.items()
        if not is_accepted(value, actual.get(key, ABSENT), context)
    ]
    failing += [
        FailedPart(key, ABSENT, value) for key, value in actual.items() if key not in expected
    ]
    return failing


def _failing_items(expected: Any, actual: Any, context: Context) -> list[FailedPart] | None:
    if not isinstance(actual, list | tuple):
        return None
    wanted = [*expected, *[ABSENT] * (len(actual) - len(expected))]
    given = [*actual, *[ABSENT] * (len(expected) - len(actual))]
    return [
        FailedPart(position, left, right)
        for position, (left, right) in enumerate(zip(wanted, given, strict=True))
        if left is ABSENT or not is_accepted(left, right, context)
    ]


# The note for a value of another JSON type than the rule expects.

_TYPES: Final = {
    "boolean": Phrase("a boolean", "логическое значение"),
    "number": Phrase("a number", "число"),
    "string": Phrase("a string", "строка"),
    "object": Phrase("an object", "объект"),
    "array": Phrase("an array", "массив"),
}


def wrong_type(actual: Any, expected: Literal["number", "string"]) -> Verdict:
    """A verdict that rejects a value of another JSON type, with a note."""
    given = json_type(actual)
    if given == expected:  # a number that JSON cannot spell
        return Verdict(matched=False, value=0.0)
    kind = _TYPES.get(given, Phrase("{given}", "{given}"))
    rest = _TYPES[expected]
    phrase = Phrase(f"{kind.en}, not {rest.en}", f"{kind.ru}, а не {rest.ru}")
    return Verdict(matched=False, value=0.0, note=Note(phrase, {"given": given}))
