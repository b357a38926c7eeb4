"""The report of advised settings on a terminal: tables, the chart, and the runs to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callscore.core.phrases import Language, say
from callscore.core.rendering import escape
from callscore.reports import advise as wording
from callscore.reports.styled import StyledLines, Text
from callscore.reports.tables import Column, NumberRow, column_table, number_table, wrapped_grid
from callscore.reports.terminal import (
    PlainPage,
    Section,
    heading_line,
    indented,
    note_line,
    print_sections,
    report_width,
)

if TYPE_CHECKING:
    from rich.console import Console

    from callscore.advising.advice import Advice

_FEW = 10
_WIDEST_BAR = 40


def render(
    advice: Advice,
    *,
    console: Console | PlainPage,
    lang: Language = "en",
    max_shown: int | None = _FEW,
) -> None:
    """Print the report."""
    print_sections(_sections(advice, report_width(console), lang, max_shown), console)


def _sections(
    advice: Advice, width: int, lang: Language, max_shown: int | None
) -> Iterator[Section]:
    first, *others = wording.recommended_lines(advice, lang)
    yield [Text(wording.headline(advice, lang), "bold")]
    yield [note_line(*each) for each in wording.notes(advice, lang)]
    style = "green" if advice.is_separating else "yellow"
    yield [Text(first, f"bold {style}"), *[Text(each) for each in others]]
    kept = wording.kept_sentence(advice, lang)
    yield [note_line(kept, "")] if kept else []
    yield [
        Text(say(wording.TO_USE, lang), "dim"),
        indented(Text("\n".join(map(escape, wording.toml_lines(advice.recommended.settings))))),
    ]
    yield _presets(advice, width, lang)
    yield _alternatives(advice, width, lang)
    yield [Text(say(wording.HOW_TO_READ, lang), "dim")]
    yield _learned(advice, lang)
    yield _reliability(advice, width, lang)
    yield from _disagreements(advice, lang, max_shown)
    yield from _suspects(advice, width, lang, max_shown)


def _presets(advice: Advice, width: int, lang: Language) -> Section:
    headers = (wording.AUC, wording.INTERVAL, wording.AGREEMENT, wording.PRECISION)
    best = max(each.auc for each in advice.presets)
    rows = [
        NumberRow(
            Text(escape(each.label), "bold" if each.auc == best else ""),
            [Text(cell) for cell in wording.preset_cells(each, lang)],
        )
        for each in advice.presets
    ]
    labels = [say(each, lang) for each in headers]
    return [number_table(say(wording.PRESETS, lang), labels, rows, width, spare=(1,))]


def _alternatives(advice: Advice, width: int, lang: Language) -> Section:
    title = Text(say(wording.ALTERNATIVES, lang), "bold")
    if not advice.alternatives:
        return [title, Text(say(wording.NO_ALTERNATIVES, lang))]
    headers = (wording.AUC, wording.DIFFERENCE, wording.INTERVAL)
    rows = [
        NumberRow(
            Text(escape(wording.change_label(each, advice))),
            [Text(cell) for cell in wording.change_cells(each, lang)],
        )
        for each in advice.alternatives
    ]
    labels = [say(each, lang) for each in headers]
    return [title, number_table(say(wording.CHANGE, lang), labels, rows, width, spare=(2,))]


def _learned(advice: Advice, lang: Language) -> Section:
    sentences = wording.learned_sentences(advice, lang)
    if not sentences:
        return []
    lines = [
        wrapped_grid([(Text("-", "dim"), Text(each))], space=1, overflow="fold")
        for each in sentences
    ]
    return [Text(say(wording.LEARNED, lang), "bold"), *lines]


def _reliability(advice: Advice, width: int, lang: Language) -> Section:
    bins = advice.reliability[::-1]
    labels = [wording.bin_label(each, lang) for each in bins]
    counts = [str(each.runs) for each in bins]
    shares = [wording.share_text(each) for each in bins]
    room = max(min(_WIDEST_BAR, width - 40), 4)
    columns = [
        Column(say(wording.SCORE, lang), [Text(each) for each in labels], is_left=True),
        Column(say(wording.RUNS_COLUMN, lang), [Text(each, "dim") for each in counts]),
        Column(say(wording.SUCCESS, lang), [Text(each) for each in shares]),
        Column("", [Text(wording.bar(each, room), "cyan") for each in bins], is_left=True),
    ]
    return [Text(say(wording.RELIABILITY, lang), "bold"), column_table(columns, space=2)]


def _disagreements(advice: Advice, lang: Language, max_shown: int | None) -> Iterator[Section]:
    if not advice.disagreements:
        return
    shown = advice.disagreements[:max_shown]
    section: Section = [Text(wording.disagreement_title(advice, lang), "bold")]
    for each in shown:
        text = Text().append(f"{escape(wording.run_label(each))}: ", "bold")
        text.append(wording.disagreement_text(each, lang))
        section.append(wrapped_grid([(Text("-", "dim"), text)], space=1, overflow="fold"))
    more = wording.more_text(len(shown), len(advice.disagreements), lang)
    yield [*section, *([Text(more, "dim")] if more else [])]


def _suspects(
    advice: Advice, width: int, lang: Language, max_shown: int | None
) -> Iterator[Section]:
    shown = advice.suspects[:max_shown]
    if not shown:
        return
    yield [Text(say(wording.SUSPECTS, lang), "bold")]
    for each in shown:
        about = Text(wording.suspect_text(each, lang), "dim")
        yield [
            heading_line(each.case, [about], width),
            StyledLines(wording.suspect_diff(each, width, lang)),
        ]
    more = wording.more_cases(len(shown), len(advice.suspects), lang)
    yield [Text(each, "dim") for each in (more, say(wording.BLESS, lang)) if each]
