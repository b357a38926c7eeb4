"""Any value of a JSON type, or of one of several."""

from __future__ import annotations

from typing import Any

from callscore.core.equality import json_type
from callscore.core.rules import Context, Matcher, Verdict, describe_value, operand_problem

_NAMES = ("string", "number", "integer", "boolean", "null", "object", "array")

KEYS = ("$type",)
SCHEMA: dict[str, Any] = {
    "value": {
        "description": "The JSON type of the value, or a list of accepted types.",
        "oneOf": [
            {"enum": list(_NAMES)},
            {"type": "array", "items": {"enum": list(_NAMES)}, "minItems": 1},
        ],
    },
    "options": {},
}
EXAMPLES: tuple[tuple[Any, Any, Any], ...] = (
    ({"$type": "string"}, "Paris", 5),
    ({"$type": "integer"}, 1.0, 1.5),
    ({"$type": "number"}, 1, True),
    ({"$type": ["string", "null"]}, None, []),
)


def check(matcher: Matcher) -> str | None:
    """The value is a type, or a list of types."""
    names = _names(matcher)
    # A tuple and not a set, as the given value may have no hash.
    if names and all(isinstance(name, str) and name in _NAMES for name in names):
        return None
    return operand_problem(matcher, f"one of {', '.join(_NAMES)}, or a list of these")


def compare(matcher: Matcher, actual: Any, _: Context) -> Verdict:
    """Whether the value is of one of the types."""
    names, kind = _names(matcher), json_type(actual)
    is_integer = kind == "number" and (isinstance(actual, int) or actual.is_integer())
    matched = kind in names or ("integer" in names and is_integer)
    return Verdict(matched, float(matched))


def describe(matcher: Matcher) -> str:
    """The types, without quotes."""
    words = [describe_value(name).strip('"') for name in _names(matcher)[: len(_NAMES)]]
    return f"{matcher.key} {', '.join(words)}"


def _names(matcher: Matcher) -> list[Any]:
    return list(matcher.value) if isinstance(matcher.value, list | tuple) else [matcher.value]
