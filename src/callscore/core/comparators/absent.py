"""The argument must be absent."""

from __future__ import annotations

from typing import Any

from callscore.core.rules import ABSENT, Context, Matcher, Verdict, operand_problem

KEYS = ("$absent",)
MAY_BE_ABSENT = True
SCHEMA: dict[str, Any] = {
    "value": {
        "const": True,
        "description": "The argument must be absent; null is not accepted either.",
    },
    "options": {},
}
EXAMPLES = (({"$absent": True}, ABSENT, None),)


def check(matcher: Matcher) -> str | None:
    """The only value is true."""
    return None if matcher.value is True else operand_problem(matcher, "true")


def compare(_: Matcher, actual: Any, _context: Context) -> Verdict:
    """Accepts only an absent value."""
    is_absent = actual is ABSENT
    return Verdict(is_absent, float(is_absent))


def describe(matcher: Matcher) -> str:
    """Only the key."""
    return matcher.key
