"""Forbidden calls: those whose tool names, as written or as compared, match a pattern."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from callscore.core.case import Forbidden, calls_in
from callscore.core.tool_names import (
    changes_names,
    comparable_name,
    matches_pattern,
    normalise_letters,
)
from callscore.errors import InvalidCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from callscore.core.case import Expected
    from callscore.core.settings import Settings

__all__ = ["forbidden_patterns", "forbidding_pattern", "reject_contradictions"]

_CHARACTER_SET = re.compile(r"(\[[^\]]*\])")


def forbidden_patterns(expected: Iterable[Expected]) -> tuple[str, ...]:
    """The names and patterns that are forbidden."""
    return tuple([item.pattern for item in expected if isinstance(item, Forbidden)])


def forbidding_pattern(patterns: Sequence[str], name: str, settings: Settings) -> str | None:
    """The first of the patterns that a tool's name fits; None where it fits none.

    A pattern may be about the name as the trace has it, or about what is compared of it.
    """
    for pattern in patterns:
        if matches_pattern(pattern, name):
            return pattern
        if changes_names(settings):
            alike = _normalised_pattern(pattern, settings)
            names = normalise_letters(name, settings), comparable_name(name, settings)
            if any(matches_pattern(alike, known) for known in names):
                return pattern
    return None


def _normalised_pattern(pattern: str, settings: Settings) -> str:
    """A pattern with its letters as names are compared; `-` in a set such as `[a-z]` is no letter."""
    is_folded = "case" in settings.normalise_name
    parts = [
        (part.casefold() if is_folded else part)
        if part.startswith("[")
        else normalise_letters(part, settings)
        for part in _CHARACTER_SET.split(pattern)
    ]
    return "".join(parts)


def reject_contradictions(expected: tuple[Expected, ...], settings: Settings) -> None:
    """Refuse to expect what is forbidden.

    Raises:
        InvalidCall: a call is both.
    """
    patterns = forbidden_patterns(expected)
    for call in calls_in(expected) if patterns else ():
        pattern = forbidding_pattern(patterns, call.name, settings)
        if pattern is not None:
            problem = f"{call.name!r} is expected, and forbidden by {pattern!r}"
            raise InvalidCall(f"expected: {problem}. Take one of the two out.")
