"""How a function of another tool is asked, on the command line and in Python."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import msgspec

from callscore.metrics.options import options_of
from callscore.metrics.registry import itself
from callscore.parity import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.metrics.metric import Option, Peer

__all__ = ["command_lines", "python_lines", "written"]

_FILE = "cases.jsonl"
_WORDS = ("get_weather", "word")  # for an option that names a tool, and for any other
_NUMBERS = (0.5, 0.25)


def written(value: Any) -> str:
    """A value as the command line has it."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def command_lines(name: str, function: Callable[..., Any]) -> list[str]:
    """Commands that ask for a metric: as it comes, if it can be asked so, and with an option."""
    told = ",".join([f"{key}={written(value)}" for key, value in _told(function).items()])
    line = f"callscore score {_FILE} --metric {name}"
    must_be_told = any(option.is_required for option in options_of(function))
    plain = [] if must_be_told else [line]
    return [*plain, *([f"{line}:{told}"] if told else [])]


def python_lines(peer: Peer, name: str, function: Callable[..., Any]) -> list[str]:
    """Lines of Python that ask for the same."""
    if peer.name == itself().name:
        return ["import callscore", "", f"callscore.score(expected, actual).{name}"]
    # Those of another package are where that package has them.
    package, _, module = function.__module__.rpartition(".")
    home = ("callscore.parity", peer.name) if peer.name in TOOLS else (package, module)
    source = f"from {home[0]} import {home[1]}" if home[0] else f"import {home[1]}"
    return [source, "", f"{home[1]}.{name}({', '.join(_given(peer, name, function))})"]


def _given(peer: Peer, name: str, function: Callable[..., Any]) -> list[str]:
    if name in peer.metrics:
        return ["expected", "actual", *[f"{k}={_literal(v)}" for k, v in _told(function).items()]]
    return [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty
    ]


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _told(function: Callable[..., Any]) -> dict[str, Any]:
    """Values for an example: of each option that must be told, or else of the first there is."""
    options = options_of(function)
    required = [option for option in options if option.is_required]
    return {option.name: _other_value(option) for option in required or options[:1]}


def _other_value(option: Option) -> Any:
    """A value that is not the default."""
    members = get_args(option.type) if get_origin(option.type) is not Literal else ()
    for kind in members or (option.type,):
        for value in _values(option.name, kind):
            if value != option.default:
                return value
    return option.default


def _values(name: str, kind: Any) -> tuple[Any, ...]:
    """A few values of a type, the most sensible first."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    some = {bool: (True, False), int: (1, 2), float: _NUMBERS}
    words = _WORDS if "tool" in name else _WORDS[::-1]
    return some.get(kind, words if kind is str else ())
