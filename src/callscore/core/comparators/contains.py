"""Text that has this text in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.comparator import operand_problem
from callscore.core.verdict import Verdict
from callscore.core.wrong_type import wrong_type

if TYPE_CHECKING:
    from callscore.core.matcher import Matcher
    from callscore.core.verdict import Context

__all__ = ["EXAMPLES", "KEYS", "RULE", "SCHEMA", "check", "compare"]

KEYS = ("$contains",)
RULE = True
SCHEMA: dict[str, Any] = {
    "value": {"description": "What the text must have in it, letter by letter.", "type": "string"},
    "options": {},
}
EXAMPLES = (({"$contains": "Paris"}, "hotels in Paris", "hotels in paris"),)


def check(matcher: Matcher) -> str | None:
    """The value is text."""
    return None if isinstance(matcher.value, str) else operand_problem(matcher, "text")


def compare(matcher: Matcher, actual: Any, _: Context) -> Verdict:
    """Whether it is in there."""
    if not isinstance(actual, str):
        return wrong_type(actual, "string")
    matched = matcher.value in actual
    return Verdict(matched, float(matched))
