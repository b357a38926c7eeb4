"""What to look at first: tools, confusions and arguments, those that went wrong most often on top."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callscore.core.fault import FaultKind
    from callscore.core.summary import Summary, ToolCounts

__all__ = ["confused_tools", "forbidden_tools", "worst_arguments", "worst_faults", "worst_tools"]


def worst_tools(summary: Summary) -> list[tuple[str, ToolCounts]]:
    """Every tool with its counts: most incorrect, missed and extra calls first, then by name.

    Tools that must not be called, and were, come before all others.
    """
    return sorted(summary.tools.items(), key=lambda entry: (*_wrong(entry[1]), entry[0]))


def _wrong(counts: ToolCounts) -> tuple[int, int]:
    return -counts.forbidden, -(counts.incorrect + counts.missed + counts.extra)


def forbidden_tools(summary: Summary) -> list[tuple[str, int]]:
    """Tool, and how often it was called although it must not be: most often first, then by name."""
    return [(tool, counts.forbidden) for tool, counts in worst_tools(summary) if counts.forbidden]


def worst_faults(summary: Summary) -> list[tuple[str, FaultKind, int]]:
    """Tool, failure class, and how often the schemas find it: most often first, then by name."""
    found = [(tool, kind, count) for (tool, kind), count in summary.faults.items()]
    return sorted(found, key=lambda entry: (-entry[2], entry[:2]))


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
