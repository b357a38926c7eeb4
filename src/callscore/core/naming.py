"""The names of tools as they are compared: verbatim, unless the settings ask for less."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import structs

from callscore.core.expectation import with_calls

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.core.call import ToolCall
    from callscore.core.expectation import Expected
    from callscore.core.settings import Settings

__all__ = ["comparable_name", "renamed", "renamed_expectation", "renames", "spelled_alike"]

_NUMBER_BEHIND = re.compile(r":\d+$")  # as in `functions.get_weather:0`
_NAMESPACE = re.compile(r"^.*(?:[./:]|__)(?=.)", re.DOTALL)
_DOTS = str.maketrans("./:-", "____")


def renamed(calls: tuple[ToolCall, ...], settings: Settings) -> tuple[ToolCall, ...]:
    """The calls with their names as these settings compare them."""
    return tuple(
        [
            call
            if (name := comparable_name(call.name, settings)) == call.name
            # A call is frozen; this is the quickest way to one that differs in its name.
            else structs.replace(call, name=name)
            for call in calls
        ]
    )


def renamed_expectation(expected: tuple[Expected, ...], settings: Settings) -> tuple[Expected, ...]:
    """What is expected, likewise; what is forbidden stays as it was written."""

    def rename(call: ToolCall) -> ToolCall:
        return renamed((call,), settings)[0]

    return tuple([with_calls(item, rename) for item in expected])


def renames(settings: Settings) -> bool:
    """Whether names are compared otherwise than as they are."""
    return bool(settings.strip_prefix or settings.normalise_name)


def comparable_name(name: str, settings: Settings) -> str:
    """A tool's name as these settings compare it. Nothing is ever taken off down to no name."""
    for fits in _patterns(settings.strip_prefix):
        found = fits(name)
        if found and found.end() < len(name):
            name = name[found.end() :]
            break
    if "namespace" in settings.normalise_name:
        name = _NAMESPACE.sub("", _NUMBER_BEHIND.sub("", name))
    return spelled_alike(name, settings)


def spelled_alike(name: str, settings: Settings) -> str:
    """A name, or a pattern for names, with nothing taken off, but with the letters as compared."""
    if "dots" in settings.normalise_name:
        name = name.translate(_DOTS)
    return name.casefold() if "case" in settings.normalise_name else name


@lru_cache(maxsize=64)
def _patterns(prefixes: tuple[str, ...]) -> list[Callable[[str], re.Match[str] | None]]:
    """What finds each prefix: `*` stands for as little as will do."""
    return [
        re.compile(".*?".join(map(re.escape, prefix.split("*"))), re.DOTALL).match
        for prefix in prefixes
    ]
