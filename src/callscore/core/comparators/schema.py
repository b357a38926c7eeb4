"""Any value that is valid under a JSON Schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.json_schema import errors_in, problem_with
from callscore.core.matcher import holds_matchers
from callscore.core.schema_text import note_on
from callscore.core.verdict import Verdict

if TYPE_CHECKING:
    from callscore.core.matcher import Matcher
    from callscore.core.verdict import Context

__all__ = ["EXAMPLES", "KEYS", "SCHEMA", "check", "compare"]

KEYS = ("$schema",)
SCHEMA: dict[str, Any] = {
    "value": {
        "description": "A JSON Schema, of draft 2020-12 where it does not say; nothing is fetched.",
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
    if holds_matchers(matcher.value):
        return "no rule can stand inside a JSON Schema."
    problem = problem_with(matcher.value)
    return None if problem is None else f"the JSON Schema cannot be used: {problem}"


def compare(matcher: Matcher, actual: Any, _: Context) -> Verdict:
    """Whether the value is valid; else the first thing that is wrong with it."""
    errors = errors_in(matcher.value, actual)
    if not errors:
        return Verdict(matched=True)
    return Verdict(matched=False, value=0.0, note=note_on(errors[0]))
