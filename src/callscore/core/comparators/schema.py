"""Any value that is valid under a JSON Schema."""

from __future__ import annotations

from typing import Any

from callscore.core.rules import Context, Matcher, Verdict, contains_matchers
from callscore.core.schemas.validation import is_valid, schema_problem, validation_errors

KEYS = ("$schema",)
SCHEMA: dict[str, Any] = {
    "value": {
        "description": "A JSON Schema, draft 2020-12 by default. References are not fetched.",
        "type": ["object", "boolean"],
    },
    "options": {},
}
EXAMPLES = (
    ({"$schema": {"type": "string", "minLength": 3}}, "Rome", "Ro"),
    ({"$schema": {"enum": ["red", "green"]}}, "red", "blue"),
)


def check(matcher: Matcher) -> str | None:
    """The value is a schema that can be used."""
    if contains_matchers(matcher.value):
        return "a JSON Schema cannot contain matchers."
    problem = schema_problem(matcher.value)
    return None if problem is None else f"invalid JSON Schema: {problem}"


def compare(matcher: Matcher, actual: Any, context: Context) -> Verdict:
    """Whether the value is valid; else the first thing that is wrong with it."""
    errors = validation_errors(matcher.value, actual, context.budget)
    if not errors:
        return Verdict(matched=True)
    from callscore.words.reasons import schema_error_note

    return Verdict(matched=False, value=0.0, note=schema_error_note(errors[0]))


def accepts(matcher: Matcher, actual: Any, context: Context) -> bool:
    """Whether the value is valid."""
    return is_valid(matcher.value, actual, context.budget)
