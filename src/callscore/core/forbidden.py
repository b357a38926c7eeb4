"""Calls that must not be made: those whose names, as written or as compared, fit a pattern."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from callscore.core.expectation import Forbidden, calls_in
from callscore.core.naming import comparable_name, renames, spelled_alike
from callscore.core.wildcard import fits
from callscore.errors import InvalidCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from callscore.core.expectation import Expected
    from callscore.core.settings import Settings

__all__ = ["forbids", "patterns_in", "refuse_contradictions"]

_SET = re.compile(r"(\[[^\]]*\])")


def patterns_in(expected: Iterable[Expected]) -> tuple[str, ...]:
    """The names and patterns that are forbidden."""
    return tuple([item.pattern for item in expected if isinstance(item, Forbidden)])


def forbids(patterns: Sequence[str], name: str, settings: Settings) -> str | None:
    """The first of the patterns that a tool's name fits; None where it fits none.

    A pattern may be about the name as the trace has it, or about what is compared of it.
    """
    for pattern in patterns:
        if fits(pattern, name):
            return pattern
        if renames(settings):
            alike = _pattern_alike(pattern, settings)
            names = spelled_alike(name, settings), comparable_name(name, settings)
            if any(fits(alike, known) for known in names):
                return pattern
    return None


def _pattern_alike(pattern: str, settings: Settings) -> str:
    """A pattern with its letters as names are compared; `-` in a set such as `[a-z]` is no letter."""
    is_folded = "case" in settings.normalise_name
    parts = [
        (part.casefold() if is_folded else part)
        if part.startswith("[")
        else spelled_alike(part, settings)
        for part in _SET.split(pattern)
    ]
    return "".join(parts)


def refuse_contradictions(expected: tuple[Expected, ...], settings: Settings) -> None:
    """Refuse to expect what is forbidden.

    Raises:
        InvalidCall: a call is both.
    """
    patterns = patterns_in(expected)
    for call in calls_in(expected) if patterns else ():
        pattern = forbids(patterns, call.name, settings)
        if pattern is not None:
            problem = f"{call.name!r} is expected, and forbidden by {pattern!r}"
            raise InvalidCall(f"expected: {problem}. Take one of the two out.")
