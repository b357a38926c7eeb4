"""A value that may be absent; if it is given, it must be this one."""

from __future__ import annotations

from typing import Any

from callscore.core.rules import ABSENT, Context, Matcher, Verdict
from callscore.core.value_comparison import is_accepted

KEYS = ("$optional",)
NESTS = True
MAY_BE_ABSENT = True
RULE = True
SCHEMA: dict[str, Any] = {
    "value": {
        "description": "The expected value if the argument is given; it may be a matcher.",
        "$ref": "#/definitions/value",
    },
    "options": {},
}
EXAMPLES = (
    ({"$optional": 10}, ABSENT, 20),
    ({"$optional": {"$type": "integer"}}, 10, "10"),
)


def check(_: Matcher) -> str | None:
    """Anything can be optional."""
    return None


def compare(matcher: Matcher, actual: Any, context: Context) -> Verdict:
    """Accepts an absent value; otherwise compares with the value."""
    if actual is ABSENT:
        return Verdict(matched=True)
    return context.compare(matcher.value, actual)


def accepts(matcher: Matcher, actual: Any, context: Context) -> bool:
    """Whether the value is absent, or accepted."""
    return actual is ABSENT or is_accepted(matcher.value, actual, context)
