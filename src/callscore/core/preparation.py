"""The calls as the settings look at them: under which names, and which of them count at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.core.call import ToolCall
    from callscore.core.expectation import Expected
    from callscore.core.pair import Ignored
    from callscore.core.settings import Settings
    from callscore.core.tool import Tool

__all__ = ["prepared"]

_Prepared = tuple[tuple["Expected", ...], tuple["ToolCall", ...], tuple["Ignored", ...]]


def prepared(
    expected: tuple[Expected, ...],
    actual: tuple[ToolCall, ...],
    settings: Settings,
    tools: Mapping[str, Tool],
) -> _Prepared:
    """Both sides renamed and selected, and the calls that were left out.

    Names come first: what a tool does is told by the name that is compared.
    """
    if settings.strip_prefix or settings.normalise_name:
        from callscore.core.naming import comparable_name, renamed, renamed_expectation

        expected, actual = renamed_expectation(expected, settings), renamed(actual, settings)
        tools = {comparable_name(name, settings): tool for name, tool in tools.items()}
    if _selects(settings):
        from callscore.core.selection import select

        selected = select(expected, actual, settings, tools)
        return selected.expected, selected.actual, selected.ignored
    return expected, actual, ()


def _selects(settings: Settings) -> bool:
    return (
        settings.count_calls != "all"
        or settings.failed_calls != "count"
        or settings.repeated_calls != "count"
    )
