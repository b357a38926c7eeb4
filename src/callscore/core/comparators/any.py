"""Any value, as long as the argument is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.rules import ABSENT, Verdict, operand_problem

if TYPE_CHECKING:
    from callscore.core.rules import Context, Matcher

__all__ = ["EXAMPLES", "KEYS", "SCHEMA", "check", "compare", "describe"]

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
