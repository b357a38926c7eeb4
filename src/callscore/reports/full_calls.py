"""Calls as they are, however long: what a table of two columns has no room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.call_text import call_text
from callscore.core.diff import call_lines
from callscore.core.text import display_width
from callscore.core.wording import Phrase, say
from callscore.reports.case_wording import wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.call import ToolCall
    from callscore.core.diff import Line
    from callscore.core.model import Score
    from callscore.core.wording import Language

__all__ = ["UNBOUND", "full_lines", "whole_calls", "width_of_lines"]

# As wide as no call is.
UNBOUND = 1_000_000
_INDENT = "  "
_EXPECTED = Phrase("Expected, in full", "Эталонные вызовы полностью")
_ACTUAL = Phrase("Actual, in full", "Фактические вызовы полностью")


def full_lines(score: Score, *, width: int, lang: Language) -> list[str]:
    """Both sides of a score, a call after the other; none where two columns have room for them.

    Args:
        score: the score.
        width: how many columns there are.
        lang: the language.
    """
    if width_of_lines(call_lines(score, width=UNBOUND, lang=lang)) <= width:
        return []
    lines: list[str] = []
    for header, calls in ((_EXPECTED, score.expected), (_ACTUAL, score.actual)):
        if calls:
            lines += [say(header, lang), *whole_calls(calls, width - len(_INDENT))]
    return lines


def whole_calls(calls: Sequence[ToolCall], width: int) -> list[str]:
    """Calls in lines of so many columns."""
    return [
        _INDENT + line for call in calls for line in wrapped(call_text(call, limit=UNBOUND), width)
    ]


def width_of_lines(lines: Sequence[Line]) -> int:
    """How many columns the widest of the lines takes."""
    return max([display_width("".join([text for text, _ in line])) for line in lines], default=0)
