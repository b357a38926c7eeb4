"""Where metrics disagree, for people: who is blind to what, and the cases that show it best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from callscore.core.diff import rich_text
from callscore.core.text import clip_middle, escape
from callscore.core.wording import say
from callscore.metrics import own
from callscore.reports import disagreement_wording as wording
from callscore.reports.disagreement_case import by_value, short_diff
from callscore.reports.metric_table import MEAN, METRIC, METRICS, number_text
from callscore.reports.sections import Section, print_sections, width_of, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from callscore.core.phrase import Language
    from callscore.core.results import Results
    from callscore.metrics.disagreement import Disagreement, Disagreements, Opinion

__all__ = ["NAME", "render", "write"]

NAME = "table"

_SPACE = 2
_SHORTEST_NAME = 12  # with as many more columns, the numbers need not stand close
_COLOURS = {
    "gain": "green",
    "loss": "red",
    "blind": "yellow",
    "masked": "dim",
    "perfect": "magenta",
    "reason": "dim",
}


def write(found: Disagreements, results: Results, *, lang: Language = "en") -> str:
    """The report as plain text, for a file."""
    return written(lambda console: render(found, results, lang=lang, console=console))


def render(
    found: Disagreements, results: Results, *, console: Console, lang: Language = "en"
) -> None:
    """Print the report."""
    print_sections(_sections(found, results, width_of(console), lang), console)


def _sections(
    found: Disagreements, results: Results, width: int, lang: Language
) -> Iterator[Section]:
    yield _headline(found, lang)
    notes: Section = [_note(*line) for line in wording.compared_notes(found, results, lang)]
    if notes:
        yield notes
    if not found.cases:
        return
    yield _blindness(found, width, lang)
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
    counts, agreement = wording.headline(found, lang)
    return [Text().append(f"{counts}: ", "bold").append(agreement, "bold")]


def _note(sentence: str, names: str) -> Text:
    line = Text().append("! ", "yellow").append(sentence)
    return line.append(f" ({names})" if names else "", "dim")


def _blindness(found: Disagreements, width: int, lang: Language) -> Section:
    kinds = list(found.faults)
    labels = [say(wording.KIND_NAMES[kind], lang) for kind in kinds]
    has_mean, space, room = _shares([say(MEAN, lang), *labels], width)
    table = _table(space)
    table.add_column(Text(say(METRIC, lang)), no_wrap=True)
    for label in [say(MEAN, lang), *labels] if has_mean else labels:
        table.add_column(Text(label), justify="right", no_wrap=True)
    counts = [Text(str(found.faults[kind]), "dim") for kind in kinds]
    about = Text(clip_middle(say(wording.CASES_WITH, lang), room), "dim")
    if kinds:
        table.add_row(about, *[""] * has_mean, *counts)
    for metric, sights in zip(found.metrics, found.sights, strict=True):
        mean = [number_text(metric.mean)] * has_mean
        shares = [_share(wording.blind_share(sights.get(kind))) for kind in kinds]
        table.add_row(_name(metric.name, room), *mean, *shares)
    return [Text(say(wording.BLINDNESS if kinds else METRICS, lang), "bold"), table]


def _shares(labels: list[str], width: int) -> tuple[bool, int, int]:
    """Whether there is room for the means, how much between columns, and how much for names.

    It is the names that give way first, then the means, never the other numbers.
    """
    needed = [max(len(label), len("0.000")) for label in labels]
    for space in range(_SPACE, 0, -1):
        room = width - sum(needed) - space * len(needed)
        if room >= _SHORTEST_NAME * space:
            return True, space, room
    return False, 1, max(width - sum(needed[1:]) - len(needed[1:]), 1)


def _share(share: str) -> Text:
    return Text(share, "dim" if share in {"0%", "–"} else "yellow")  # noqa: RUF001  (a dash)


def _case(found: Disagreement, width: int, lang: Language) -> Section:
    label = clip_middle(escape(found.case.label), width // 2)
    line = Text().append(label, "bold").append("   ").append(wording.case_line(found, lang), "dim")
    room = max(width // 2, _SHORTEST_NAME)
    names = {opinion.name: _name(opinion.name, room) for opinion in found.opinions}
    table = _table(_SPACE, show_header=False)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True, width=max(name.cell_len for name in names.values()))
    table.add_column(ratio=1)
    for value, opinions in by_value(found):
        for number, opinion in enumerate(opinions):
            shown = Text("" if number else value, "bold")
            table.add_row(shown, names[opinion.name], _why(opinion, found, lang))
    return [line, rich_text(short_diff(found, width, lang)), table]


def _name(name: str, room: int) -> Text:
    """The name of a metric; our own stands out, as the one to compare with."""
    style = "bold" if name.startswith(f"{own.NAME}.") else ""
    return Text(clip_middle(escape(name), room), style)


def _why(opinion: Opinion, found: Disagreement, lang: Language) -> Text:
    text = Text()
    for number, (part, about) in enumerate(wording.opinion_parts(opinion, found, lang)):
        text.append("; " if number else "").append(part, _COLOURS[about])
    return text


def _table(space: int, *, show_header: bool = True) -> Table:
    return Table(
        box=None,
        pad_edge=False,
        padding=(0, space, 0, 0),
        header_style="dim",
        show_header=show_header,
    )
