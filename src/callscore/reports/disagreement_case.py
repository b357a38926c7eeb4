"""One case on which metrics disagree: what is shown of it, and in which order."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from callscore.core.diff import call_lines
from callscore.core.wording import say
from callscore.reports.metric_table import number_text
from callscore.reports.wording import MORE

if TYPE_CHECKING:
    from callscore.core.diff import Line
    from callscore.core.phrase import Language
    from callscore.metrics.disagreement import Disagreement, Opinion

__all__ = ["by_value", "short_diff"]

_MOST_LINES = 10


def by_value(found: Disagreement) -> list[tuple[str, list[Opinion]]]:
    """The opinions by their numbers, from high to low, and last those without one."""
    ranked = sorted(found.opinions, key=_rank)
    groups = groupby(ranked, lambda opinion: number_text(opinion.value))
    return [(value, list(opinions)) for value, opinions in groups]


def _rank(opinion: Opinion) -> tuple[bool, float]:
    """By what is shown of the number: metrics that look alike stay in the order they were asked."""
    if opinion.value is None:
        return True, 0.0
    return False, -float(number_text(opinion.value))


def short_diff(found: Disagreement, width: int, lang: Language) -> list[Line]:
    """The calls of both sides, of which only the first have room."""
    lines = call_lines(found.case.score, width=width, lang=lang)
    if len(lines) <= _MOST_LINES:
        return lines
    more = say(MORE, lang, count=len(lines) - _MOST_LINES + 1)
    return [*lines[: _MOST_LINES - 1], (("  " + more, "muted"),)]
