"""One number of another tool: a function that returns it, and the options it takes.

A module that reproduces a tool has

- a docstring whose first line says what it reproduces,
- `TITLE`, what the tool calls itself,
- `VERSION`, the version that the functions were compared with,
- `METRICS`, the functions that return one number per case; the first is the one that the tool is
  known for, and with its defaults it represents the tool when all tools are compared,

and may have

- `RATES_OF_FAULT`, those of them for which lower is better,
- `INVERTING_OPTIONS`, the names of options that turn a metric into the opposite when they are true,
- `KNOWS_RULES`, true where its functions understand rules and groups in what is expected.

Such a function takes the expected and the actual calls, and the tool's options by keyword. It
returns a number, a truth value, or None where the tool explicitly does not score a case; where the
tool raises, it raises `NotScorable`. A parameter named `tools` receives the definitions of the
tools, by name, where they are known, else None. What is not in `METRICS` but in `__all__` is
described as something that Python can call.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from math import isfinite
from numbers import Real
from types import SimpleNamespace
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, Struct, structs

from callscore.core.call import Tool, ToolCall
from callscore.core.case import Expected, has_turns, is_state, with_calls
from callscore.core.results import MetricValue
from callscore.core.rules import contains_matchers
from callscore.core.suggestions import did_you_mean
from callscore.core.turns import without_turns
from callscore.errors import InvalidOption, InvalidSettings, NotScorable

# Sums and squares of numbers up to this size do not overflow.
_MAX_VALUE = 1e15


def number_from(value: Any) -> float:
    """The number that a function returned: any kind of number, or a truth value.

    Raises:
        NotScorable: it is not a number, or not finite, or too large.
    """
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()  # Python does not take a bool of numpy for a number
    if not isinstance(value, Real | Decimal):
        raise NotScorable(
            f"the metric returned a value of type {type(value).__name__}, not a number."
        )
    try:
        number = float(value)
    except (ValueError, OverflowError):
        number = float("inf")
    if not isfinite(number) or abs(number) > _MAX_VALUE:
        raise NotScorable(f"the metric returned {_number_text(value)}, which cannot be compared.")
    return number


def _number_text(value: Any) -> str:
    return repr(value) if isinstance(value, float) else f"a number beyond {_MAX_VALUE:g}"


def copy_calls(calls: Sequence[Expected]) -> tuple[Any, ...]:
    """Deep copies of calls, for functions that may modify their arguments."""
    return tuple([with_calls(call, _copy_call) for call in calls])


def _copy_call(call: ToolCall) -> ToolCall:
    arguments, result = _copy_value(call.arguments), _copy_value(call.result)
    return structs.replace(call, arguments=arguments, result=result)


def _copy_value(value: Any) -> Any:
    """A deep copy of a JSON value of any depth; `copy.deepcopy` is recursive."""
    outermost = [value]
    pending: list[Any] = [outermost]
    while pending:
        container = pending.pop()
        places = container.items() if isinstance(container, dict) else enumerate(container)
        for place, member in places:
            if isinstance(member, dict | list):
                container[place] = member.copy()
                pending.append(container[place])
    return outermost[0]


# Functions of these packages never modify their arguments.
_OWN_PACKAGES = ("callscore.parity.", "callscore.metrics.")


class Option(Struct, frozen=True):
    """A keyword option of a metric; `default` is `msgspec.UNSET` if it is required."""

    name: str
    type: Any
    default: Any

    @property
    def is_required(self) -> bool:
        """Whether it has no default."""
        return self.default is UNSET


class MetricProvider(Struct, frozen=True):
    """The contents of a module that reproduces a tool; the module docstring describes them.

    Attributes:
        name: the name of the module.
        metrics: the functions, by name.
        others: functions that do not return one number per case, and can only be called in Python.
        rates_of_fault: the names of the metrics for which lower is better.
    """

    name: str
    title: str
    version: str
    metrics: dict[str, Callable[..., float | None]]
    others: dict[str, Callable[..., Any]] = {}
    rates_of_fault: tuple[str, ...] = ()
    inverting: tuple[str, ...] = ()
    knows_rules: bool = False


class Metric(Struct, frozen=True):
    """A metric of another tool with its options.

    Attributes:
        name: the name with its options: `ragas.tool_call_accuracy:strict_order=false`.
        takes_tools: whether the function has a parameter `tools`.
        version: the version of the tool that it was compared with; None if unknown.
        less_is_better: whether lower is better, for example because an option inverts it.
        knows_rules: whether it understands rules and groups in the expectation.
    """

    name: str
    function: Callable[..., float | None]
    options: dict[str, Any]
    takes_tools: bool = False
    version: str | None = None
    less_is_better: bool = False
    knows_rules: bool = False

    def of(
        self,
        expected: Sequence[Expected],
        actual: Sequence[ToolCall],
        tools: Mapping[str, Tool] | None = None,
    ) -> float | None:
        """The number of the tool for a case; None if it does not score such a case.

        Raises:
            NotScorable: the tool raises, or does not support the expectation.
            InvalidSettings: an option has a value that it cannot have.
        """
        if not self.knows_rules:
            unknown = unsupported_expectations(expected)
            if unknown is not None:
                raise NotScorable(unknown)
            if has_turns(expected) or any(map(is_state, (*expected, *actual))):
                expected = calls_only(expected)
                actual = tuple([call for call in actual if not is_state(call)])
        known = {"tools": tools} if self.takes_tools else {}
        try:
            module = str(getattr(self.function, "__module__", ""))
            if not module.startswith(_OWN_PACKAGES):
                expected, actual = copy_calls(expected), copy_calls(actual)
            value = self.function(expected, actual, **self.options, **known)
        except NotScorable:
            raise
        except InvalidSettings as error:
            raise InvalidOption(f"the metric {self.name}: {error}") from error
        except Exception as error:  # metrics of other packages may raise anything
            raise NotScorable(f"the metric raised {type(error).__name__}: {error}") from error
        return None if value is None else number_from(value)

    def value_of(
        self,
        expected: Sequence[Expected],
        actual: Sequence[ToolCall],
        tools: Mapping[str, Tool] | None = None,
    ) -> MetricValue:
        """The number of the tool for a case, or the reason why there is none."""
        try:
            value = self.of(expected, actual, tools)
        except NotScorable as error:
            return MetricValue(self.name, None, str(error))
        return MetricValue(self.name, value, _NO_NUMBER if value is None else None)


_NO_NUMBER = "the tool does not score such a case."


def unsupported_expectations(expected: Sequence[Expected]) -> str | None:
    """Why other tools cannot score this expectation (rules, groups); None if they can.

    They get the calls of all turns as one list, and never the state at the end.
    """
    if expected and all(map(is_state, expected)):
        return "the case expects a state, and says nothing about calls."
    for item in calls_only(expected):
        if not isinstance(item, ToolCall):
            return "the expectation contains groups, which other tools do not support."
        if contains_matchers(item.arguments):
            return "the expectation contains matchers, which other tools do not support."
    return None


def calls_only(expected: Sequence[Expected]) -> tuple[Expected, ...]:
    """An expectation without turns, and without the state at the end."""
    return without_turns(tuple([item for item in expected if not is_state(item)]))


# The parameter that receives the tool definitions; it is not an option.
TOOLS_PARAMETER = "tools"

_TYPE_TEXTS = {
    bool: "true | false",
    int: "an integer",
    float: "a number",
    str: "text",
    type(None): "null",
}


def options_of(function: Callable[..., float | None]) -> tuple[Option, ...]:
    """The options of a metric on the command line: keywords whose values are words and numbers."""
    return tuple(option for option in _keyword_parameters(function) if _is_text_option(option.type))


def python_options_of(function: Callable[..., float | None]) -> tuple[Option, ...]:
    """The options that can only be set in Python: functions, objects."""
    return tuple(
        option for option in _keyword_parameters(function) if not _is_text_option(option.type)
    )


def takes_tools(function: Callable[..., float | None]) -> bool:
    """Whether a metric has a parameter for the tool definitions."""
    return TOOLS_PARAMETER in inspect.signature(function).parameters


def describe_choices(kind: Any) -> str:
    """The values that an option can have, in words."""
    return " | ".join(
        _TYPE_TEXTS.get(member) or " | ".join(map(str, get_args(member)))
        for member in _members(kind)
    )


def parse_options(
    name: str, given: str | None, function: Callable[..., float | None]
) -> dict[str, Any]:
    """Parse the options of a metric: `option=value,option=value`, or None for none.

    Raises:
        InvalidSettings: it has no such option or value, or lacks a required one.
    """
    known = {option.name: option for option in options_of(function)}
    options: dict[str, Any] = {}
    for part in () if given is None else given.split(","):
        option, value = _parse_option(name, part, known)
        if option in options:
            raise InvalidSettings(f"{name}: {option} is given twice.")
        options[option] = convert_option(f"{name}:{option}", value, known[option].type)
    lacking = [key for key, option in known.items() if option.is_required and key not in options]
    if lacking:
        raise InvalidSettings(
            f"the metric {name} requires {', '.join(lacking)}. Write {name}:{lacking[0]}=..."
        )
    only_python = [option.name for option in python_options_of(function) if option.is_required]
    if only_python:
        raise InvalidSettings(
            f"the metric {name} requires {', '.join(only_python)}, which only Python can pass."
        )
    return options


def _parse_option(name: str, part: str, known: dict[str, Option]) -> tuple[str, str]:
    option, equals, value = part.partition("=")
    see = f" `callscore metrics {name}` shows its options."
    if not option:
        raise InvalidSettings(f"{name}: an option is missing after a colon or a comma.{see}")
    if option not in known:
        meant = did_you_mean(option, known) or "."
        raise InvalidSettings(f"unknown option {option!r} of the metric {name}{meant}{see}")
    if not equals:
        raise InvalidSettings(f"{name}:{option}: the value is missing. Write {name}:{option}=...")
    if value.partition(":")[2].partition("=")[0] in known:
        raise InvalidSettings(f"{name}:{part}: separate options with a comma.")
    return option, value


def convert_option(place: str, text: str, kind: Any) -> Any:
    """Parse the value of an option.

    Raises:
        InvalidSettings: the option cannot have it.
    """
    try:
        value = msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError as error:
        raise _conversion_error(place, text, kind) from error
    if isinstance(value, float) and not isfinite(value):
        raise _conversion_error(place, text, kind)
    return value


def _conversion_error(place: str, text: str, kind: Any) -> InvalidSettings:
    hint = " Separate options with a comma." if ":" in text else ""
    return InvalidSettings(f"{place}={text}: expected {describe_choices(kind)}.{hint}")


def _keyword_parameters(function: Callable[..., float | None]) -> list[Option]:
    found = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY and name != TOOLS_PARAMETER:
            is_required = parameter.default is parameter.empty
            default = msgspec.UNSET if is_required else parameter.default
            found.append(Option(name, _type_of(function, parameter), default))
    return found


def _type_of(function: Callable[..., float | None], parameter: inspect.Parameter) -> Any:
    """The type of one parameter alone: types of others may be imported for type checkers only."""
    alone = SimpleNamespace(__annotations__={parameter.name: parameter.annotation})
    try:
        return get_type_hints(alone, getattr(function, "__globals__", {}))[parameter.name]
    except (NameError, TypeError):
        return object


def _is_text_option(kind: Any) -> bool:
    """Whether a type is a simple one, a choice of words, or a union of these."""
    members = _members(kind)
    is_simple = all(
        get_origin(member) is Literal or any(member is simple for simple in _TYPE_TEXTS)
        for member in members
    )
    return is_simple and any(member is not type(None) for member in members)


def _members(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) not in {None, Literal} else (kind,)
