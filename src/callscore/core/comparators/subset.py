"""An object that contains at least these members, each of which may be a matcher."""

from __future__ import annotations

from typing import Any

from callscore.core.rules import Context, Matcher, Verdict, operand_problem
from callscore.core.value_comparison import failing_members

KEYS = ("$subset",)
NESTS = True
RULE = True
SCHEMA: dict[str, Any] = {
    "value": {
        "description": "The keys and values that the object must contain; it may contain others.",
        "$ref": "#/definitions/values",
    },
    "options": {},
}
EXAMPLES = (
    ({"$subset": {"city": "Paris"}}, {"city": "Paris", "stars": 4}, {"stars": 4}),
    ({"$subset": {"stars": {"$gte": 3}}}, {"stars": 4}, {"stars": 2}),
)


def check(matcher: Matcher) -> str | None:
    """The value is an object."""
    return None if isinstance(matcher.value, dict) else operand_problem(matcher, "an object")


def compare(matcher: Matcher, actual: Any, context: Context) -> Verdict:
    """Whether every member is there as expected; the failed parts are those that are not."""
    if not isinstance(actual, dict):
        return Verdict(matched=False, value=0.0)
    expected = matcher.value
    failing = failing_members(expected, actual, context)
    if not failing:
        return Verdict(matched=True)
    share = (len(expected) - len(failing)) / len(expected)
    return Verdict(matched=False, value=share, parts=tuple(failing))
