"""What a metric can be told on the command line, where everything is text."""

from __future__ import annotations

import inspect
from math import isfinite
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from callscore.core.nearest import meant_by
from callscore.errors import InvalidSettings
from callscore.metrics.metric import Option

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "TOOLS",
    "choices_of",
    "converted",
    "options_of",
    "python_options_of",
    "takes_tools",
    "told",
]

# The parameter that is given the definitions of the tools, and that nobody sets.
TOOLS = "tools"

_WORDS = {
    bool: "true | false",
    int: "a whole number",
    float: "a number",
    str: "text",
    type(None): "null",
}


def options_of(function: Callable[..., float | None]) -> tuple[Option, ...]:
    """What a metric can be told on the command line: keywords whose values are words and numbers."""
    return tuple(option for option in _keywords(function) if _is_told_by_text(option.type))


def python_options_of(function: Callable[..., float | None]) -> tuple[Option, ...]:
    """What only Python can tell a metric: functions, objects and the like."""
    return tuple(option for option in _keywords(function) if not _is_told_by_text(option.type))


def takes_tools(function: Callable[..., float | None]) -> bool:
    """Whether a metric wants to know the definitions of the tools."""
    return TOOLS in inspect.signature(function).parameters


def choices_of(kind: Any) -> str:
    """The values that an option can have, in words."""
    return " | ".join(_choice(member) for member in _members(kind))


def told(name: str, given: str | None, function: Callable[..., float | None]) -> dict[str, Any]:
    """The options of a metric, from how they are written: `option=value,option=value`.

    Args:
        name: the metric.
        given: what is written behind its name and a colon; None where there is no colon.
        function: what gives the number.

    Raises:
        InvalidSettings: it has no such option or value, or must be told another.
    """
    known = {option.name: option for option in options_of(function)}
    options: dict[str, Any] = {}
    for part in () if given is None else given.split(","):
        option, value = _option_and_value(name, part, known)
        if option in options:
            raise InvalidSettings(f"{name}: {option} is given twice.")
        options[option] = converted(f"{name}:{option}", value, known[option].type)
    lacking = [key for key, option in known.items() if option.is_required and key not in options]
    if lacking:
        raise InvalidSettings(
            f"the metric {name} must be told {', '.join(lacking)}: {name}:{lacking[0]}=..."
        )
    only_python = [option.name for option in python_options_of(function) if option.is_required]
    if only_python:
        raise InvalidSettings(f"the metric {name} must be told {', '.join(only_python)} in Python.")
    return options


def _option_and_value(name: str, part: str, known: dict[str, Option]) -> tuple[str, str]:
    option, equals, value = part.partition("=")
    see = f" `callscore metrics {name}` shows what it can be told."
    if not option:
        raise InvalidSettings(f"{name}: an option is missing behind a colon or a comma.{see}")
    if option not in known:
        meant = meant_by(option, known) or "."
        raise InvalidSettings(f"the metric {name} has no option {option!r}{meant}{see}")
    if not equals:
        raise InvalidSettings(f"{name}:{option}: say what it is, as in {name}:{option}=...")
    if value.partition(":")[2].partition("=")[0] in known:
        raise InvalidSettings(f"{name}:{part}: separate options with a comma.")
    return option, value


def converted(place: str, text: str, kind: Any) -> Any:
    """The value of an option that somebody has written down.

    Raises:
        InvalidSettings: the option cannot have it.
    """
    try:
        value = msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError as error:
        raise _refusal(place, text, kind) from error
    if isinstance(value, float) and not isfinite(value):
        raise _refusal(place, text, kind)
    return value


def _refusal(place: str, text: str, kind: Any) -> InvalidSettings:
    hint = " Separate options with a comma." if ":" in text else ""
    return InvalidSettings(f"{place}={text}: it can be {choices_of(kind)}.{hint}")


def _keywords(function: Callable[..., float | None]) -> list[Option]:
    found = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY and name != TOOLS:
            is_required = parameter.default is parameter.empty
            default = msgspec.UNSET if is_required else parameter.default
            found.append(Option(name, _type_of(function, parameter), default))
    return found


def _type_of(function: Callable[..., float | None], parameter: inspect.Parameter) -> Any:
    """The type of one parameter; that of another may be known to type checkers alone."""
    alone = SimpleNamespace(__annotations__={parameter.name: parameter.annotation})
    try:
        return get_type_hints(alone, getattr(function, "__globals__", {}))[parameter.name]
    except (NameError, TypeError):
        return object


def _is_told_by_text(kind: Any) -> bool:
    """Whether a type is one of the simple ones, a choice of words, or several of these."""
    members = _members(kind)
    is_told = all(member in _WORDS or get_origin(member) is Literal for member in members)
    return is_told and any(member is not type(None) for member in members)


def _members(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) not in {None, Literal} else (kind,)


def _choice(kind: Any) -> str:
    return _WORDS[kind] if kind in _WORDS else " | ".join(map(str, get_args(kind)))
