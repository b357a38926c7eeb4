"""Evalite: toolCallAccuracy, and two yes-or-no scorers that are taught with it.

The two are from the lesson "Evaluating Tool Call Agents". They are not part of the package, and so
are not compared with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import isnan
from typing import Any, Literal

from callscore.errors import InvalidSettings
from callscore.parity.parameters import Arguments, Calls, names_of, option_value, pairs_of
from callscore.parity.value_comparison import js_deep_equal, json_stringify_key

__all__ = [
    "METRICS",
    "TITLE",
    "VERSION",
    "Fields",
    "parameters_valid",
    "tool_call_accuracy",
    "tool_called",
]

TITLE = "Evalite"
VERSION = "1.0.0-beta.16"

Mode = Literal["exact", "flexible"]
Fields = Mapping[str, Mapping[str, str]]

_PRESENT = "present"
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list, tuple),
    "null": (type(None),),
}


def tool_call_accuracy(  # noqa: PLR0913  (as many options as the scorer has)
    expected: Calls,
    actual: Calls,
    *,
    mode: Mode = "exact",
    exact: float = 1.0,
    name_only: float = 0.5,
    extra_penalty: float = 0.25,
    wrong_penalty: float = 0.25,
) -> float:
    """The credit for calls that match, less the penalty for those that do not, per expected call.

    Exact: calls are compared position by position. Flexible: calls that are the same are found
    anywhere, and the rest is paired by name. The result is kept between 0 and 1. Both sides empty
    give 1, one side alone gives 0.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        mode: whether the order counts.
        exact: the credit for a call that matches; the scorer takes it, and does not use it. This
            and what follows are the members of its `weights`.
        name_only: the credit for a call by the right name with other arguments.
        extra_penalty: for a call that nothing was left for, in flexible mode.
        wrong_penalty: for a call that is not the one at its position, in exact mode.

    Defects:
        The credit `exact` is always 1, whatever it is set to. In exact mode, a call beyond the
        number of the expected ones is wrong twice, and an expected call beyond the number of those
        that were made is not wrong at all. An expected call without arguments matches any in exact
        mode, but only its like in flexible mode. In flexible mode, what is not finite is null, and
        an argument `__proto__` does not count, at any depth. Integers beyond 2**53 are the same
        where their doubles are.

    Raises:
        InvalidSettings: the mode is unknown.
    """
    del exact  # as the scorer does
    pair, penalty = option_value(
        "mode",
        mode,
        {"exact": (_in_order, wrong_penalty), "flexible": (_in_any_order, extra_penalty)},
    )
    wanted, made = pairs_of(expected), pairs_of(actual)
    if not wanted or not made:
        return 1.0 if not wanted and not made else 0.0
    same, named, wrong = pair(wanted, made)
    total = len(wanted)
    score = (same + name_only * named) / total - penalty * (wrong / total)
    return score if isnan(score) else max(0.0, min(1.0, score))  # NaN comes from infinite weights


def _in_order(
    expected: list[tuple[str, Arguments]], made: list[tuple[str, Arguments]]
) -> tuple[int, int, int]:
    """How many calls are the same, have only the name, and are neither."""
    same = named = 0
    for (name, arguments), (given_name, actual) in zip(expected, made, strict=False):
        if name != given_name:
            continue
        if arguments is None or js_deep_equal(arguments, actual, nan_is_nan=True):
            same += 1
        else:
            named += 1
    beyond = max(0, len(made) - len(expected))
    return same, named, len(made) - same - named + beyond


def _in_any_order(
    expected: list[tuple[str, Arguments]], actual: list[tuple[str, Arguments]]
) -> tuple[int, int, int]:
    """How many calls are the same, have only the name, and are extra."""
    missing, left = Counter(map(_key, expected)), Counter(map(_key, actual))
    matched = missing & left
    named = _by_name(missing - matched) & _by_name(left - matched)
    same, by_name = matched.total(), named.total()
    return same, by_name, len(actual) - same - by_name


def _key(call: tuple[str, Arguments]) -> tuple[str, Any]:
    name, arguments = call
    # The scorer builds its text by assignment, and assigning `__proto__` creates no member.
    return name, None if arguments is None else json_stringify_key(arguments, without="__proto__")


def _by_name(calls: Counter[tuple[str, Any]]) -> Counter[str]:
    names: Counter[str] = Counter()
    for (name, _), count in calls.items():
        names[name] += count
    return names


def tool_called(expected: Calls | str | None, actual: Calls) -> float:
    """Whether the expected tool is among the calls: 1.0 or 0.0.

    Where none is expected, whether there are no calls. It is the first scorer of the lesson
    "Evaluating Tool Call Agents", which is not part of the package.

    Args:
        expected: the name of the tool, or None if no tool is expected, as in the lesson; or
            calls, any of which is enough, or none, which is our generalization.
        actual: the actual calls.

    Defects:
        Other calls, and further calls of the tool, cost nothing.
    """
    called = names_of(actual)
    if isinstance(expected, str):
        return float(expected in called)
    if not expected:
        return float(not called)
    return float(not set(names_of(expected)).isdisjoint(called))


def parameters_valid(
    expected: Calls | str | None, actual: Calls, *, fields: Fields | None = None
) -> float:
    """Whether the expected tool was called with the right fields: 1.0 or 0.0.

    Only the first call of the tool is looked at. 1.0 if no tool is expected. It is the second
    scorer of the lesson "Evaluating Tool Call Agents", which is not part of the package. The lesson
    writes out the checks for its own tools. Here they are a table, or the arguments of the expected
    call if there is no table.

    Args:
        expected: the name of the tool, or None if no tool is expected, as in the lesson; or
            calls, each of which must be found, or none, which is our generalization.
        actual: the actual calls.
        fields: by the name of the tool, what each field must be: `string`, `number`, `boolean`,
            `object`, `array`, `null`, or `present` for anything that JavaScript takes for true.
            Where it does not name the tool, a call needs the fields of the expected call, and in
            each a value of the type that is there.

    Defects:
        If no tool is expected, calls are not looked at. The values do not count.

    Raises:
        InvalidSettings: a field must be something else.
    """
    if not expected:
        return 1.0
    wanted = [(expected, None)] if isinstance(expected, str) else pairs_of(expected)
    first: dict[str, Arguments] = {}
    for name, arguments in pairs_of(actual):
        first.setdefault(name, arguments)
    for name, arguments in wanted:
        if name not in first:
            return 0.0
        given = first[name] or {}
        for key, kind in _fields_of(name, arguments, fields).items():
            if key not in given or not _has_type(given[key], kind):
                return 0.0
    return 1.0


def _fields_of(name: str, arguments: Arguments, fields: Fields | None) -> Mapping[str, str]:
    if fields is None or name not in fields:
        return {
            key: next((word for word in _TYPES if _has_type(value, word)), _PRESENT)
            for key, value in (arguments or {}).items()
        }
    for field, kind in fields[name].items():
        if kind not in _TYPES and kind != _PRESENT:
            words = ", ".join([*_TYPES, _PRESENT])
            raise InvalidSettings(f"the field {field!r} of {name} is {kind!r}; expected {words}.")
    return fields[name]


def _has_type(value: Any, kind: str) -> bool:
    if kind == _PRESENT:
        # Empty objects and arrays are true there; NaN is false.
        return isinstance(value, (dict, list, tuple)) or bool(value and value == value)  # noqa: PLR0124
    is_truth = isinstance(value, bool)
    return isinstance(value, _TYPES[kind]) and is_truth is (kind == "boolean")


METRICS = (tool_call_accuracy, tool_called, parameters_valid)
