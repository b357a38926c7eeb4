"""One of several values, each of which may be a matcher."""

from __future__ import annotations

from typing import Any

from callscore.core.rules import Context, Matcher, Verdict, describe_value, operand_problem
from callscore.core.value_comparison import may_be_absent

KEYS = ("$one_of",)
NESTS = True
SCHEMA: dict[str, Any] = {
    "value": {
        "description": "The accepted values; each may be a matcher.",
        "type": "array",
        "items": {"$ref": "#/definitions/value"},
        "minItems": 1,
    },
    "options": {},
}
EXAMPLES = (
    ({"$one_of": ["economy", "business"]}, "business", "first"),
    ({"$one_of": [None, {"$gt": 5}]}, 6, 5),
)


def _one_may_be_absent(matcher: Matcher) -> bool:
    return any(map(may_be_absent, matcher.value))


MAY_BE_ABSENT = _one_may_be_absent


def check(matcher: Matcher) -> str | None:
    """The value is a list with something in it."""
    if isinstance(matcher.value, list | tuple) and matcher.value:
        return None
    return operand_problem(matcher, "a list of at least one value")


def compare(matcher: Matcher, actual: Any, context: Context) -> Verdict:
    """The verdict of the best alternative."""
    best = Verdict(matched=False, value=0.0)
    for alternative in matcher.value:
        verdict = context.compare(alternative, actual)
        if verdict.matched and verdict.value == 1:
            return verdict
        if (verdict.matched, verdict.value) > (best.matched, best.value):
            best = verdict
    # The failing parts of one alternative say little about the others.
    return best._replace(parts=())


def describe(matcher: Matcher) -> str:
    """The alternatives, as a list without brackets around it."""
    listed = describe_value(matcher.value)
    return f"{matcher.key} {listed.removeprefix('[').removesuffix(']')}"
