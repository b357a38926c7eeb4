"""Text that contains this text."""

from __future__ import annotations

from typing import Any

from callscore.core.rules import Context, Matcher, Verdict, operand_problem
from callscore.core.value_comparison import wrong_type

KEYS = ("$contains",)
RULE = True
SCHEMA: dict[str, Any] = {
    "value": {
        "description": "The text that the value must contain, character by character.",
        "type": "string",
    },
    "options": {},
}
EXAMPLES = (({"$contains": "Paris"}, "hotels in Paris", "hotels in paris"),)


_CHARACTERS_PER_STEP = 50


def check(matcher: Matcher) -> str | None:
    """The value is text."""
    return None if isinstance(matcher.value, str) else operand_problem(matcher, "text")


def compare(matcher: Matcher, actual: Any, context: Context) -> Verdict:
    """Whether it is in there."""
    if not isinstance(actual, str):
        return wrong_type(actual, "string")
    context.budget.spend(len(actual) // _CHARACTERS_PER_STEP, KEYS[0])
    matched = matcher.value in actual
    return Verdict(matched, float(matched))
