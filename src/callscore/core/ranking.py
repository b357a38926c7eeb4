"""What to look at first: tools, confusions and arguments, those that went wrong most often on top."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callscore.core.summary import Summary, ToolCounts

__all__ = ["confused_tools", "worst_arguments", "worst_tools"]


def worst_tools(summary: Summary) -> list[tuple[str, ToolCounts]]:
    """Every tool with its counts: most incorrect, missed and extra calls first, then by name."""
    return sorted(summary.tools.items(), key=lambda entry: (-_wrong(entry[1]), entry[0]))


def _wrong(counts: ToolCounts) -> int:
    return counts.incorrect + counts.missed + counts.extra


def worst_arguments(summary: Summary) -> list[tuple[str, str, int]]:
    """Tool, argument, and in how many incorrect calls it differs: most often first, then by name."""
    found = [(tool, argument, count) for (tool, argument), count in summary.wrong_arguments.items()]
    return sorted(found, key=lambda entry: (-entry[2], entry[:2]))


def confused_tools(summary: Summary) -> list[tuple[str | None, str | None, int]]:
    """Expected tool, called tool, and how often: most often first, then by name.

    None stands where there was no other call to set against: nothing called, or nothing expected.
    """
    found = [(expected, called, count) for (expected, called), count in summary.confusion.items()]
    return sorted(found, key=lambda entry: (-entry[2], entry[0] or "", entry[1] or ""))
