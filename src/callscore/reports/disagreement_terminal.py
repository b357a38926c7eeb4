"""Where metrics disagree, for people: who is blind to what, and the cases that show it best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from callscore.core.phrases import say
from callscore.core.rendering import clip_middle, escape
from callscore.metrics.registry import OWN_NAME
from callscore.reports import disagreement as wording
from callscore.reports.disagreement import opinions_by_value, short_diff
from callscore.reports.formatting import number_text
from callscore.reports.score import MEAN, METRIC, METRICS
from callscore.reports.tables import NumberRow, number_table, room_for_names, wrapped_grid
from callscore.reports.terminal import (
    Section,
    note_line,
    print_sections,
    printed_text,
    report_width,
)
from callscore.words.diff import rich_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from callscore.core.phrases import Language
    from callscore.core.results import Results
    from callscore.metrics.disagreement import Disagreement, Disagreements, MetricOpinion

__all__ = ["render", "write_text"]

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


def write_text(found: Disagreements, results: Results, *, lang: Language = "en") -> str:
    """The report as plain text, for a file."""
    return printed_text(lambda console: render(found, results, lang=lang, console=console))


def render(
    found: Disagreements, results: Results, *, console: Console, lang: Language = "en"
) -> None:
    """Print the report."""
    print_sections(_sections(found, results, report_width(console), lang), console)


def _sections(
    found: Disagreements, results: Results, width: int, lang: Language
) -> Iterator[Section]:
    yield _headline(found, lang)
    notes: Section = [note_line(*line) for line in wording.compared_notes(found, results, lang)]
    if notes:
        yield notes
    if not found.cases:
        return
    yield _blindness_section(found, width, lang)
    if found.shown:
        yield [Text(say(wording.HOW_TO_READ, lang), "dim")]
    for disagreement in found.shown:
        yield _case(disagreement, width, lang)
    more = wording.more_cases(found, lang)
    if more is not None:
        yield [Text(more, "dim")]


def _headline(found: Disagreements, lang: Language) -> Section:
    if not found.cases:
        return [Text(say(wording.NOTHING_COMPARED, lang), "bold")]
    counts, agreement = wording.headline_parts(found, lang)
    return [Text().append(f"{counts}: ", "bold").append(agreement, "bold")]


def _blindness_section(found: Disagreements, width: int, lang: Language) -> Section:
    kinds = list(found.faults)
    labels = [say(MEAN, lang), *[say(wording.KIND_NAMES[kind], lang) for kind in kinds]]
    # On a narrow terminal the means give way, never the other numbers.
    widths = [max(len(label), len("0.000")) for label in labels]
    first = 0 if room_for_names(widths, width, 1) >= _SHORTEST_NAME else 1
    rows = []
    if kinds:
        counts = [Text(), *[Text(str(found.faults[kind]), "dim") for kind in kinds]]
        rows.append(NumberRow(Text(say(wording.CASES_WITH, lang), "dim"), counts[first:]))
    for metric, sights in zip(found.metrics, found.sights, strict=True):
        shares = [_share(wording.blind_share(sights.get(kind))) for kind in kinds]
        cells = [Text(number_text(metric.mean)), *shares]
        rows.append(NumberRow(_name(metric.name), cells[first:]))
    table = number_table(say(METRIC, lang), labels[first:], rows, width, space=_SPACE)
    return [Text(say(wording.BLINDNESS if kinds else METRICS, lang), "bold"), table]


def _share(share: str) -> Text:
    return Text(share, "dim" if share in {"0%", "–"} else "yellow")  # noqa: RUF001  (a dash)


def _case(found: Disagreement, width: int, lang: Language) -> Section:
    label = clip_middle(escape(found.case.label), width // 2)
    line = Text().append(label, "bold").append("   ").append(wording.case_line(found, lang), "dim")
    return [line, rich_text(short_diff(found, width, lang)), *_opinions(found, width, lang)]


def _opinions(found: Disagreement, width: int, lang: Language) -> Section:
    """Numbers, names and reasons; a name that takes half of a line has one above, and is not cut."""
    widths = [_name(opinion.name).cell_len for opinion in found.opinions]
    room = max([taken for taken in widths if taken <= width // 2], default=0)
    groups = opinions_by_value(found)
    most = max(len(value) for value, _ in groups)
    section: Section = []
    for value, opinions in groups:
        for number, opinion in enumerate(opinions):
            shown = Text("" if number else value.rjust(most), "bold")
            name, why = _name(opinion.name), _reason_cell(opinion, found, lang)
            if name.cell_len > room:
                section.append(name)
                name = Text()
            if shown or name or why:
                row = (shown, name, why)
                section.append(wrapped_grid([row], widths=[most, room], space=_SPACE))
    return section


def _name(name: str) -> Text:
    """The name of a metric; our own stands out, as the one to compare with."""
    return Text(escape(name), "bold" if name.startswith(f"{OWN_NAME}.") else "")


def _reason_cell(opinion: MetricOpinion, found: Disagreement, lang: Language) -> Text:
    text = Text()
    for number, (part, about) in enumerate(wording.opinion_parts(opinion, found, lang)):
        text.append("; " if number else "").append(part, _COLOURS[about])
    return text
