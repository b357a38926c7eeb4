"""A number above, below or between bounds."""

from __future__ import annotations

from itertools import product
from operator import ge, gt, le, lt
from typing import Any

from callscore.core.equality import is_number
from callscore.core.large_number import LargeNumber
from callscore.core.rules import Context, Matcher, Verdict, operand_problem, option_problem
from callscore.core.value_comparison import wrong_type

# Python compares integers with floats exactly, however large they are.
_TESTS = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}

KEYS = tuple(_TESTS)
OPTIONS = KEYS
_BOUNDS = {
    "$gt": "The number must be greater than this.",
    "$gte": "The number must be at least this.",
    "$lt": "The number must be less than this.",
    "$lte": "The number must be at most this.",
}
SCHEMA: dict[str, Any] = {
    "value": {"description": "A bound of the number.", "type": "number"},
    "options": {
        key: {"description": meaning, "type": "number"} for key, meaning in _BOUNDS.items()
    },
}
EXAMPLES = (
    ({"$gt": 1, "$lte": 5}, 5, 1),
    ({"$gte": 0}, 0, -1),
    ({"$lt": 9007199254740993}, 9007199254740992.0, 9007199254740993),
)


def check(matcher: Matcher) -> str | None:
    """All bounds are numbers, and something can be between them."""
    if not is_number(matcher.value):
        return operand_problem(matcher, "a number")
    for option, bound in matcher.options.items():
        if not is_number(bound):
            return option_problem(matcher, option, "a number")
    bounds = _bounds(matcher)
    for lower, upper in product(("$gt", "$gte"), ("$lt", "$lte")):
        if lower in bounds and upper in bounds:
            is_point = bounds[lower] == bounds[upper] and (lower, upper) == ("$gte", "$lte")
            if bounds[lower] >= bounds[upper] and not is_point:
                return f"no number satisfies both '{lower}' and '{upper}'."
    return None


def compare(matcher: Matcher, actual: Any, _: Context) -> Verdict:
    """Whether it is a number within all bounds."""
    if isinstance(actual, bool) or not isinstance(actual, int | float | LargeNumber):
        return wrong_type(actual, "number")
    matched = all(_TESTS[key](actual, bound) for key, bound in _bounds(matcher).items())
    return Verdict(matched, float(matched))


def _bounds(matcher: Matcher) -> dict[str, Any]:
    return {matcher.key: matcher.value, **matcher.options}
