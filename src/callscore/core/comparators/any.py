"""Any value, as long as the argument is given."""

from __future__ import annotations

from typing import Any

from callscore.core.rules import ABSENT, Context, Matcher, Verdict, operand_problem

KEYS = ("$any",)
SCHEMA: dict[str, Any] = {
    "value": {"const": True, "description": "Any value matches, null included."},
    "options": {},
}
EXAMPLES = (({"$any": True}, None, ABSENT),)


def check(matcher: Matcher) -> str | None:
    """The only value is true."""
    return None if matcher.value is True else operand_problem(matcher, "true")


def compare(_matcher: Matcher, _actual: Any, _context: Context) -> Verdict:
    """Accepts every value that was given."""
    return Verdict(matched=True)


def describe(matcher: Matcher) -> str:
    """Only the key."""
    return matcher.key
