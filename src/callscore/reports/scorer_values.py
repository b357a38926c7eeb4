"""What the scorers say of one case, in as few lines as there is room for, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from callscore.core.text import clip, escape
from callscore.reports.metric_table import metric_cells
from callscore.reports.run_wording import low_scorers
from callscore.reports.sections import INDENT, SPACE, Section, indented

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.results import MetricValue

__all__ = ["value_lines"]

_REASON_WIDTH = 300


def value_lines(
    values: Sequence[MetricValue],
    at_least: float,
    width: int,
    *,
    longest: int | None = _REASON_WIDTH,
) -> Section:
    """The numbers with their names, those that are not enough in red, and below them the reasons.

    Args:
        values: what each scorer says.
        at_least: the number from which a scorer is content.
        width: how many columns there are.
        longest: how many columns a reason may take; None for all of it.
    """
    if not values:
        return []
    low = {escape(found.name) for found in low_scorers(values, at_least)}
    none = {escape(found.name) for found in values if found.value is None}
    lines = Text()
    for place, cells in enumerate(metric_cells(values, width - INDENT)):
        lines.append("\n" if place else "")
        for position, (value, name) in enumerate(cells):
            style = "dim" if name.rstrip() in none else "red" if name.rstrip() in low else ""
            lines.append(SPACE if position else "").append(value, style).append(f" {name}", "dim")
    section: Section = [indented(lines)]
    for found in values:
        if found.reason:
            reason = escape(found.reason)
            reason = reason if longest is None else clip(reason, longest)
            section.append(indented(Text().append(f"{escape(found.name)}: ", "dim").append(reason)))
    return section
