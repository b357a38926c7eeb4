"""MCPJam: the matcher of tool calls with which its evals pass or fail a case."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from callscore.errors import InvalidSettings
from callscore.parity.parameters import Arguments, Calls, option_value, pairs_of
from callscore.parity.value_comparison import js_trim, json_stringify_key

if TYPE_CHECKING:
    _Pairs = list[tuple[str, Arguments]]
    _Fits = Callable[[dict[str, Any], dict[str, Any]], bool]
    # The pairs of positions that match, and for each expected call where to search by name alone.
    _Paired = tuple[dict[int, int], list[range]]

__all__ = [
    "INVERTING_OPTIONS",
    "METRICS",
    "TITLE",
    "VERSION",
    "ToolCallMatch",
    "evaluate_tool_calls",
    "passed",
]

TITLE = "MCPJam"
VERSION = "1.14.0"

Order = Literal["ignore", "strict", "superset"]
ArgumentMatching = Literal["partial", "exact", "ignore"]

_UNDEFINED = object()
_FUNCTION = object()
# The members that every object of JavaScript inherits.
_INHERITED: dict[str, Any] = {"__proto__": {}} | dict.fromkeys(
    (
        "__defineGetter__",
        "__defineSetter__",
        "__lookupGetter__",
        "__lookupSetter__",
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "toLocaleString",
        "toString",
        "valueOf",
    ),
    _FUNCTION,
)


class ToolCallMatch(Struct, frozen=True, gc=False):
    """How the calls of a case were matched.

    Attributes:
        passed: whether the case passes.
        missing: the positions of the expected calls that were not made.
        extra: the positions of the calls that nothing expected was left for.
        mismatched: the pairs of positions, expected and actual, with the right name and the wrong
            arguments.
    """

    passed: bool
    missing: tuple[int, ...] = ()
    extra: tuple[int, ...] = ()
    mismatched: tuple[tuple[int, int], ...] = ()


def evaluate_tool_calls(  # noqa: PLR0913  (as many options as the matcher has)
    expected: Calls,
    actual: Calls,
    *,
    tool_call_order: Order = "ignore",
    argument_matching: ArgumentMatching = "partial",
    max_extra_tool_calls: int | None = None,
    is_negative_test: bool = False,
) -> ToolCallMatch:
    """How the calls of a case are matched, and whether the case passes.

    A case passes where every expected call was made with arguments that match, and no more calls
    besides than are allowed.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        tool_call_order: `ignore` to find each expected call anywhere, `strict` at its own position
            alone, `superset` in this order, with others in between.
        argument_matching: `partial` where a call may have more arguments, `exact` where it may not,
            `ignore` where only names count.
        max_extra_tool_calls: how many other calls are allowed; None for any number.
        is_negative_test: whether the case passes where there are no calls, whatever is expected.

    Defects:
        Where there are no calls, a case fails even where none is expected, if it is not a negative
        test; where there are, it passes, unless extra calls are limited. Calls are paired in the
        order in which they are expected, and not for the best outcome. In partial matching, an
        expected value that reads `any`, `string`, `number`, `boolean`, `object`, `array` or `null`
        stands for a type, in any case and with whitespace around it, so that these words cannot be
        expected as such; and every call has arguments such as `toString` and `__proto__`. A number
        that is not finite is null. Integers beyond 2**53 are the same if their doubles are.

    Raises:
        InvalidSettings: an option has a value that it cannot have.
    """
    pair = option_value("tool_call_order", tool_call_order, _ORDERS)
    fits = option_value("argument_matching", argument_matching, _MATCHINGS)
    if max_extra_tool_calls is not None and max_extra_tool_calls < 0:
        raise InvalidSettings("max_extra_tool_calls: expected an integer ≥ 0, or None.")
    wanted, made = pairs_of(expected), pairs_of(actual)
    if is_negative_test:
        return ToolCallMatch(not made, extra=tuple(range(len(made))))
    if not made:
        return ToolCallMatch(passed=False, missing=tuple(range(len(wanted))))
    paired, reach = pair(wanted, made, fits)
    mismatched = _pair_by_name(wanted, made, paired, reach)
    taken = set(paired.values())
    missing = tuple(place for place in range(len(wanted)) if place not in paired)
    extra = tuple(place for place in range(len(made)) if place not in taken)
    is_within = max_extra_tool_calls is None or len(extra) <= max_extra_tool_calls
    passes = not missing and not mismatched and is_within
    return ToolCallMatch(passes, missing, extra, mismatched)


def passed(  # noqa: PLR0913  (likewise)
    expected: Calls,
    actual: Calls,
    *,
    tool_call_order: Order = "ignore",
    argument_matching: ArgumentMatching = "partial",
    max_extra_tool_calls: int | None = None,
    is_negative_test: bool = False,
) -> bool:
    """Whether the case passes: every expected call was made, and not too many others.

    The arguments have to match, too. `evaluate_tool_calls` says which calls did.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        tool_call_order: `ignore` to find each expected call anywhere, `strict` at its own position
            alone, `superset` in this order, with others in between.
        argument_matching: `partial` where a call may have more arguments, `exact` where it may not,
            `ignore` where only names count.
        max_extra_tool_calls: how many other calls are allowed; None for any number.
        is_negative_test: whether the case passes where there are no calls, whatever is expected.

    Defects:
        Where there are no calls, a case fails even where none is expected, if it is not a negative
        test. Calls are paired in the order in which they are expected, and not for the best outcome.
        In partial matching, an expected value that reads `string`, or any other name of a type,
        stands for the type. Integers beyond 2**53 are the same if their doubles are.

    Raises:
        InvalidSettings: an option has a value that it cannot have.
    """
    return evaluate_tool_calls(
        expected,
        actual,
        tool_call_order=tool_call_order,
        argument_matching=argument_matching,
        max_extra_tool_calls=max_extra_tool_calls,
        is_negative_test=is_negative_test,
    ).passed


def _pair_anywhere(expected: _Pairs, actual: _Pairs, fits: _Fits) -> _Paired:
    paired: dict[int, int] = {}
    left = list(range(len(actual)))
    for place, call in enumerate(expected):
        found = next((other for other in left if _matches(call, actual[other], fits)), None)
        if found is not None:
            paired[place] = found
            left.remove(found)
    return paired, [range(len(actual))] * len(expected)


def _pair_by_position(expected: _Pairs, actual: _Pairs, fits: _Fits) -> _Paired:
    both = min(len(expected), len(actual))
    paired = {
        place: place for place in range(both) if _matches(expected[place], actual[place], fits)
    }
    reach = [range(place, min(place + 1, len(actual))) for place in range(len(expected))]
    return paired, reach


def _pair_in_order(expected: _Pairs, actual: _Pairs, fits: _Fits) -> _Paired:
    paired: dict[int, int] = {}
    reach: list[range] = []
    start = 0
    for place, call in enumerate(expected):
        reach.append(range(start, len(actual)))
        found = next((other for other in reach[-1] if _matches(call, actual[other], fits)), None)
        if found is not None:
            paired[place] = found
        # A failed search leaves no calls for the following expected ones either.
        start = len(actual) if found is None else found + 1
    return paired, reach


def _pair_by_name(
    expected: _Pairs, actual: _Pairs, paired: dict[int, int], reach: list[range]
) -> tuple[tuple[int, int], ...]:
    """Pair the other calls by name alone; these pairs are the mismatches."""
    taken, found = set(paired.values()), []
    for place, (name, _) in enumerate(expected):
        if place in paired:
            continue
        for other in reach[place]:
            if other not in taken and actual[other][0] == name:
                paired[place] = other
                taken.add(other)
                found.append((place, other))
                break
    return tuple(found)


def _matches(call: tuple[str, Arguments], other: tuple[str, Arguments], fits: _Fits) -> bool:
    return call[0] == other[0] and fits(call[1] or {}, other[1] or {})


def _fits_partly(expected: dict[str, Any], actual: dict[str, Any]) -> bool:
    return all(
        _value_fits(value, actual[key] if key in actual else _INHERITED.get(key, _UNDEFINED))
        for key, value in expected.items()
    )


def _value_fits(expected: Any, actual: Any) -> bool:
    accepts = _PLACEHOLDERS.get(js_trim(expected).lower()) if isinstance(expected, str) else None
    return accepts(actual) if accepts else _have_same_json(expected, actual)


def _have_same_json(expected: Any, actual: Any) -> bool:
    return json_stringify_key(expected) == json_stringify_key(actual)


_ORDERS = {"ignore": _pair_anywhere, "strict": _pair_by_position, "superset": _pair_in_order}
_MATCHINGS = {
    "partial": _fits_partly,
    "exact": _have_same_json,
    "ignore": lambda _wanted, _given: True,
}
_PLACEHOLDERS: dict[str, Callable[[Any], bool]] = {
    "any": lambda value: value is not _UNDEFINED,
    "string": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list | tuple),
    "null": lambda value: value is None,
}
METRICS = (passed,)
INVERTING_OPTIONS = ("is_negative_test",)
