"""Tool names: how settings normalize them, patterns with `*`, and how many names two lists share."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from msgspec import structs

from callscore.core.case import Expected, with_calls

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.core.settings import Order, Settings

_TRAILING_NUMBER = re.compile(r"(?<=.):\d+$")  # as in `functions.get_weather:0`
_NAMESPACE = re.compile(r"^.*(?:[./:]|__)(?=.)", re.DOTALL)
_DOTS = str.maketrans("./:-", "____")


def with_compared_name(call: ToolCall, settings: Settings) -> ToolCall:
    """The call with its name as these settings compare it."""
    name = comparable_name(call.name, settings)
    return call if name == call.name else structs.replace(call, name=name)


def expectation_with_compared_names(
    expected: tuple[Expected, ...], settings: Settings
) -> tuple[Expected, ...]:
    """The expectation with its names as compared; forbidden patterns are not changed."""
    rename = partial(with_compared_name, settings=settings)
    return tuple([with_calls(item, rename) for item in expected])


def changes_names(settings: Settings) -> bool:
    """Whether these settings normalize names."""
    return bool(settings.strip_prefix or settings.normalize_name)


def comparable_name(name: str, settings: Settings) -> str:
    """A tool's name as these settings compare it; it never becomes empty."""
    for fits in _prefix_searches(settings.strip_prefix):
        found = fits(name)
        if found and found.end() < len(name):
            name = name[found.end() :]
            break
    if "namespace" in settings.normalize_name:
        name = without_namespace(name)
    return normalize_letters(name, settings)


def without_namespace(name: str) -> str:
    """A name without that of its server, and without a number at its end: `mcp__crm__get_user`."""
    return _NAMESPACE.sub("", _TRAILING_NUMBER.sub("", name))


def normalize_letters(name: str, settings: Settings) -> str:
    """A name, or a pattern, with its letters as compared; prefixes and namespaces are kept."""
    if "dots" in settings.normalize_name:
        name = name.translate(_DOTS)
    return name.casefold() if "case" in settings.normalize_name else name


@lru_cache(maxsize=64)
def _prefix_searches(prefixes: tuple[str, ...]) -> list[Callable[[str], re.Match[str] | None]]:
    """A matching function per prefix; `*` matches as little as possible."""
    return [
        re.compile(".*?".join(map(re.escape, prefix.split("*"))), re.DOTALL).match
        for prefix in prefixes
    ]


def strips_prefix(prefix: str, name: str) -> bool:
    """Whether there is such a prefix to remove from a name."""
    (fits,) = _prefix_searches((prefix,))
    found = fits(name)
    return found is not None and found.end() < len(name)


def matches_pattern(pattern: str, name: str) -> bool:
    """Whether a pattern matches a whole name, case-sensitively.

    `*` stands for anything, `?` for one character, `[a-z]` for one of several.
    """
    return _compiled(pattern).match(name) is not None


def is_for_all(pattern: str) -> bool:
    """Whether a pattern matches every name: `*`."""
    return {*pattern} == {"*"}


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    from fnmatch import translate  # rarely needed; what it makes of `*` never backtracks

    return re.compile(translate(pattern))


def count_same_names(expected: Sequence[str], actual: Sequence[str], order: Order) -> int:
    """How many calls could be paired if the arguments did not matter."""
    if expected == actual:
        return len(expected)
    if order == "any":
        return _count_common(expected, actual)
    if order == "in_order":
        return common_subsequence_length(expected, actual)
    return sum(left == right for left, right in zip(expected, actual, strict=False))


def _count_common(expected: Sequence[str], actual: Sequence[str]) -> int:
    left: dict[str, int] = {}  # a `Counter` takes longer for the few calls of most cases
    for name in actual:
        left[name] = left.get(name, 0) + 1
    same = 0
    for name in expected:
        if count := left.get(name):
            left[name] = count - 1
            same += 1
    return same


def common_subsequence_length(expected: Sequence[str], actual: Sequence[str]) -> int:
    """The length of the longest sequence of names that both have in this order.

    The bit-parallel method: a zero bit marks an actual name that makes the sequence longer.
    """
    positions: dict[str, int] = {}
    for position, name in enumerate(actual):
        positions[name] = positions.get(name, 0) | 1 << position
    everything = (1 << len(actual)) - 1
    row = everything
    for name in expected:
        here = row & positions.get(name, 0)
        row = ((row + here) | (row - here)) & everything
    return len(actual) - row.bit_count()
