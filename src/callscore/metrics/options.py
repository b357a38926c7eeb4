"""What a metric can be told on the command line, where everything is text."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from callscore.errors import InvalidSettings
from callscore.metrics.metric import Option

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["TOOLS", "choices_of", "converted", "options_of", "python_options_of", "takes_tools"]

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


def converted(place: str, text: str, kind: Any) -> Any:
    """The value of an option that somebody has written down.

    Raises:
        InvalidSettings: the option cannot have it.
    """
    try:
        return msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidSettings(f"{place}={text}: it can be {choices_of(kind)}.") from error


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
