"""What a failed question says in the report of pytest, and what one without an answer says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.call_text import call_text
from callscore.core.diff import call_lines, plain_text
from callscore.core.text import escape
from callscore.reports.metric_table import metric_cells, number_text
from callscore.reports.run_wording import low_scorers
from callscore.testing.failing import text_width

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.core.run import Result

__all__ = ["error_text", "failed_text"]

_MOST_CALLS = 20
_SPACE = "   "


def error_text(problem: str, details: str) -> str:
    """A sentence, and below it where it happened, if that is known."""
    lines = [escape(line) for line in details.splitlines()]
    return "\n".join([escape(problem), *(["", *lines] if lines else [])])


def failed_text(outcome: Result, at_least: float) -> str:
    """Why a question fails in one line, what the scorers say, and the calls of both sides."""
    width = text_width()
    rows = metric_cells(outcome.values, width) if outcome.values else []
    lines = [
        *(_why(outcome, at_least), ""),
        *[_SPACE.join(f"{value} {name}" for value, name in cells).rstrip() for cells in rows],
    ]
    lines += [
        f"{escape(found.name)}: {escape(found.reason)}" for found in outcome.values if found.reason
    ]
    return "\n".join([*lines, "", *_calls(outcome, width)])


def _why(outcome: Result, at_least: float) -> str:
    score = outcome.score
    if score is not None and score.forbidden:
        return f"{escape(score.actual[score.forbidden[0]].name)} was called, which is forbidden"
    low = low_scorers(outcome.values, at_least)
    said = ", ".join(f"{escape(found.name)} {number_text(found.value)}" for found in low)
    broken = ", ".join(escape(found.name) for found in outcome.values if found.is_broken)
    whys = [f"{said}, and at least {number_text(at_least)} is wanted"] if low else []
    return "; ".join([*whys, *([f"a scorer does not work: {broken}"] if broken else [])])


def _calls(outcome: Result, width: int) -> Iterator[str]:
    if outcome.score is not None:
        yield plain_text(call_lines(outcome.score, width=width))
        return
    calls = outcome.case.actual or ()
    yield "The calls that were made:" if calls else "No calls were made."
    yield from (f"  {call_text(call, limit=width)}" for call in calls[:_MOST_CALLS])
    if len(calls) > _MOST_CALLS:
        yield f"  … {len(calls) - _MOST_CALLS} more"
