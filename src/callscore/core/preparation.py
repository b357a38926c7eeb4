"""The calls as the settings look at them: which of them count, and under which names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from callscore.core.forbidden import forbids, patterns_in, refuse_contradictions
from callscore.core.naming import comparable_name, renamed, renamed_expectation, renames

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.core.call import ToolCall
    from callscore.core.expectation import Expected
    from callscore.core.pair import Ignored
    from callscore.core.settings import Settings
    from callscore.core.tool import Tool

__all__ = ["Prepared", "prepared"]


class Prepared(NamedTuple):
    """What is to be compared.

    Attributes:
        expected: what is expected, without what does not count.
        actual: the calls that were made, likewise.
        ignored: the calls that were left out.
        forbidden: which of the actual calls must not have been made.
    """

    expected: tuple[Expected, ...]
    actual: tuple[ToolCall, ...]
    ignored: tuple[Ignored, ...] = ()
    forbidden: tuple[int, ...] = ()


def prepared(
    expected: tuple[Expected, ...],
    actual: tuple[ToolCall, ...],
    settings: Settings,
    tools: Mapping[str, Tool],
) -> Prepared:
    """Both sides selected and renamed.

    Names come last: a pattern may be about a name as the trace has it.

    Raises:
        InvalidCall: a call is both expected and forbidden.
    """
    ignored: tuple[Ignored, ...] = ()
    refuse_contradictions(expected, settings)
    if _selects(settings):
        from callscore.core.selection import select

        selected = select(expected, actual, settings, _by_any_name(tools, settings))
        expected, actual, ignored = selected
    patterns = patterns_in(expected)
    forbidden = tuple(
        [
            position
            for position, call in enumerate(actual if patterns else ())
            if forbids(patterns, call.name, settings) is not None
        ]
    )
    if renames(settings):
        expected = renamed_expectation(expected, settings)
        # A forbidden call keeps its name, so that nothing is paired with it.
        kept = set(forbidden)
        actual = tuple(
            [
                call if position in kept else renamed((call,), settings)[0]
                for position, call in enumerate(actual)
            ]
        )
    return Prepared(expected, actual, ignored, forbidden)


def _by_any_name(tools: Mapping[str, Tool], settings: Settings) -> Mapping[str, Tool]:
    """The tools by their names and by what is compared of these; but not where they differ then."""
    if not renames(settings):
        return tools
    compared: dict[str, Tool | None] = {}
    for name, tool in tools.items():
        alike = compared.setdefault(comparable_name(name, settings), tool)
        if alike is not None and alike.effect != tool.effect:
            compared[comparable_name(name, settings)] = None
    return {**{name: tool for name, tool in compared.items() if tool is not None}, **tools}


def _selects(settings: Settings) -> bool:
    return (
        settings.count_calls != "all"
        or settings.failed_calls != "count"
        or settings.repeated_calls != "count"
    )
