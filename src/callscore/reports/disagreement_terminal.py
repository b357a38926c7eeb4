"""The report of disagreeing metrics on a terminal: what each is blind to, and the best examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callscore.core.phrases import Language, say
from callscore.core.rendering import escape
from callscore.metrics.registry import OWN_NAME
from callscore.reports import disagreement as wording
from callscore.reports.formatting import NO_NUMBER, number_text
from callscore.reports.score import MEAN, METRIC, METRICS
from callscore.reports.styled import StyledLines, Text
from callscore.reports.tables import NumberRow, number_table, room_for_names, wrapped_grid
from callscore.reports.terminal import (
    PlainPage,
    Section,
    heading_line,
    note_line,
    print_sections,
    report_width,
)

if TYPE_CHECKING:
    from rich.console import Console

    from callscore.core.results import Results
    from callscore.metrics.disagreement import Disagreement, Disagreements

_SPACE = 2
_SHORTEST_NAME = 12  # that is left of a line, for the means to have room
_COLOURS = {
    "gain": "green",
    "loss": "red",
    "blind": "yellow",
    "masked": "dim",
    "perfect": "magenta",
    "reason": "dim",
}


def render(
    found: Disagreements, results: Results, *, console: Console | PlainPage, lang: Language = "en"
) -> None:
    """Print the report."""
    print_sections(_sections(found, results, report_width(console), lang), console)


def _sections(
    found: Disagreements, results: Results, width: int, lang: Language
) -> Iterator[Section]:
    headline = Text(say(wording.NOTHING_COMPARED, lang), "bold")
    if found.cases:
        counts, agreement = wording.headline_parts(found, lang)
        headline = Text().append(f"{counts}: ", "bold").append(agreement, "bold")
    yield [headline]
    yield [note_line(*line) for line in wording.compared_notes(found, results, lang)]
    if not found.cases:
        return
    yield _blindness_section(found, width, lang)
    if found.shown:
        yield [Text(say(wording.HOW_TO_READ, lang), "dim")]
    for disagreement in found.shown:
        about = Text(wording.case_line(disagreement, lang), "dim")
        line = heading_line(disagreement.case.label, [about], width)
        diff = StyledLines(wording.short_diff(disagreement, width, lang))
        yield [line, diff, *_opinions(disagreement, width, lang)]
    more = wording.more_cases(found, lang)
    yield [Text(more, "dim")] if more else []


def _blindness_section(found: Disagreements, width: int, lang: Language) -> Section:
    kinds = list(found.faults)
    labels = [say(MEAN, lang), *[say(wording.KIND_NAMES[kind], lang) for kind in kinds]]
    # A narrow terminal has no room for the means.
    widths = [max(len(label), len("0.000")) for label in labels]
    first = 0 if room_for_names(widths, width, 1) >= _SHORTEST_NAME else 1
    rows = []
    if kinds:
        counts = [Text(), *[Text(str(found.faults[kind]), "dim") for kind in kinds]]
        rows.append(NumberRow(Text(say(wording.CASES_WITH, lang), "dim"), counts[first:]))
    for metric, sights in zip(found.metrics, found.sights, strict=True):
        shares = [wording.blind_share(sights.get(kind)) for kind in kinds]
        cells = [
            Text(number_text(metric.mean)),
            *[Text(share, "dim" if share in {"0%", NO_NUMBER} else "yellow") for share in shares],
        ]
        rows.append(NumberRow(_name(metric.name), cells[first:]))
    table = number_table(say(METRIC, lang), labels[first:], rows, width, space=_SPACE)
    return [Text(say(wording.BLINDNESS if kinds else METRICS, lang), "bold"), table]


def _opinions(found: Disagreement, width: int, lang: Language) -> Section:
    """Numbers, names and reasons; a name longer than half a line has a line of its own."""
    widths = [_name(opinion.name).cell_len for opinion in found.opinions]
    room = max([taken for taken in widths if taken <= width // 2], default=0)
    groups = wording.opinions_by_value(found)
    most = max(len(value) for value, _ in groups)
    section: Section = []
    for value, opinions in groups:
        for number, opinion in enumerate(opinions):
            shown = Text("" if number else value.rjust(most), "bold")
            name, reasons = _name(opinion.name), wording.opinion_parts(opinion, found, lang)
            why = Text("; ").join([Text(part, _COLOURS[about]) for part, about in reasons])
            if name.cell_len > room:
                start = " " * (most + _SPACE)
                indent = shown or Text(start[:most])
                section.append(Text().append_text(indent).append(" " * _SPACE).append_text(name))
                shown, name = Text(), Text()
            if shown or name or why:
                row = (shown, name, why)
                section.append(wrapped_grid([row], widths=[most, room], space=_SPACE))
    return section


def _name(name: str) -> Text:
    """The name of a metric; callscore's own are bold."""
    return Text(escape(name), "bold" if name.startswith(f"{OWN_NAME}.") else "")
