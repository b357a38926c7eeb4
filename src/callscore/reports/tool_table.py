"""The table of tools, worst first: what its columns are and what stands in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from callscore.core.ranking import worst_tools
from callscore.reports import wording

if TYPE_CHECKING:
    from callscore.core.phrase import Phrase
    from callscore.core.summary import Summary

__all__ = ["COLUMNS_ALWAYS", "Column", "tool_columns"]

# So many columns the table always has; any others come after these.
COLUMNS_ALWAYS = 5


class Column(NamedTuple):
    """One column of numbers.

    Attributes:
        label: what stands above it.
        colour: what its numbers are shown in, where they are not 0.
        counts: one number a tool.
    """

    label: Phrase
    colour: str
    counts: list[int]


def tool_columns(summary: Summary) -> tuple[list[str], list[Column]]:
    """The names of the tools, and a column for each thing that is counted.

    Forbidden calls and unknown arguments have a column only where there are any.
    """
    ranked = worst_tools(summary)
    tools = [tool for tool, _ in ranked]
    counts = [found for _, found in ranked]
    columns = [
        Column(wording.EXPECTED, "", [found.expected for found in counts]),
        Column(wording.CORRECT, "green", [found.correct for found in counts]),
        Column(wording.INCORRECT, "yellow", [found.incorrect for found in counts]),
        Column(wording.MISSED, "red", [found.missed for found in counts]),
        Column(wording.EXTRA, "magenta", [found.extra for found in counts]),
    ]
    seldom = [
        Column(wording.FORBIDDEN, "bold red", [found.forbidden for found in counts]),
        Column(
            wording.UNKNOWN_ARGUMENTS,
            "yellow",
            [summary.unknown_arguments(tool) or 0 for tool in tools],
        ),
    ]
    return tools, columns + [column for column in seldom if any(column.counts)]
