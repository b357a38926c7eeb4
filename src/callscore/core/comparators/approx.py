"""A number within a tolerance."""

from __future__ import annotations

from typing import Any

from callscore.core.equality import exact_ratio, is_number
from callscore.core.large_number import LargeNumber, as_large
from callscore.core.rules import (
    Context,
    Matcher,
    Verdict,
    describe_value,
    operand_problem,
    option_problem,
)
from callscore.core.value_comparison import wrong_type

KEYS = ("$approx",)
OPTIONS = ("rel", "abs")
RULE = True
SCHEMA: dict[str, Any] = {
    "value": {"description": "The expected number.", "type": "number"},
    "options": {
        "rel": {
            "description": "The largest relative difference; 1e-6 if neither"
            " this nor `abs` is given.",
            "type": "number",
            "minimum": 0,
        },
        "abs": {"description": "The largest absolute difference.", "type": "number", "minimum": 0},
    },
}
EXAMPLES = (
    ({"$approx": 3.14, "abs": 0.01}, 3.15, 3.2),
    ({"$approx": 1000, "rel": 0.05}, 950, 949),
    ({"$approx": 0.1}, 0.10000000001, 0.1001),
)

_DEFAULT_REL = 1e-6
_STEPS = 40  # for exact arithmetic
_ALMOST_ONE = 1 - 2**-53


def check(matcher: Matcher) -> str | None:
    """The value is a number, and the tolerances are not below zero."""
    if not is_number(matcher.value):
        return operand_problem(matcher, "a number")
    for option, tolerance in matcher.options.items():
        if not (isinstance(tolerance, int | float) and is_number(tolerance)) or tolerance < 0:
            return option_problem(matcher, option, "a number ≥ 0")
    return None


def compare(matcher: Matcher, actual: Any, context: Context) -> Verdict:
    """Whether the distance is within the tolerance; the value is tolerance / distance."""
    if not is_number(actual):
        return wrong_type(actual, "number")
    context.budget.spend(_STEPS, KEYS[0])
    numbers = (matcher.value, actual, matcher.options.get("abs", 0))
    expected, given, fixed = _ratios(numbers)
    distance = abs(given[0] * expected[1] - expected[0] * given[1]), given[1] * expected[1]
    default = 0 if "abs" in matcher.options else _DEFAULT_REL
    rel = exact_ratio(matcher.options.get("rel", default))
    share = rel[0] * abs(expected[0]), rel[1] * expected[1]
    tolerance = share if share[0] * fixed[1] > fixed[0] * share[1] else fixed  # the greater one
    allowed, needed = tolerance[0] * distance[1], distance[0] * tolerance[1]
    if needed <= allowed:
        return Verdict(matched=True)
    return Verdict(matched=False, value=min(allowed / needed, _ALMOST_ONE))


def _ratios(numbers: tuple[Any, ...]) -> list[tuple[int, int]]:
    """The exact values of numbers; large ones, and those beside them, in proportion."""
    large = [number.magnitude for number in numbers if isinstance(number, LargeNumber)]
    if not large:
        return [exact_ratio(number) for number in numbers]
    found = [as_large(number) for number in numbers]
    return [each.scaled_ratio(max(large)) for each in found if each is not None]


def describe(matcher: Matcher) -> str:
    """The number and its tolerances: `$approx 3.14 ± 0.01`."""
    text = f"{matcher.key} {describe_value(matcher.value)}"
    if "abs" in matcher.options:
        text += f" ± {describe_value(matcher.options['abs'])}"
    if "rel" in matcher.options or "abs" not in matcher.options:
        text += f", rel {describe_value(matcher.options.get('rel', _DEFAULT_REL))}"
    return text
