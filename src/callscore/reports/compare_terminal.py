"""Two runs compared, for people: the verdict, the numbers, the cases that flipped, and the slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from callscore.core.wording import count_of, say
from callscore.reports import compare_wording as wording
from callscore.reports.compare_markdown import FEW
from callscore.reports.compare_notes import alarm_notes, below_notes, compare_notes
from callscore.reports.compare_parts import (
    MARKS,
    by_kind,
    change_rows,
    has_several,
    moved_slices,
)
from callscore.reports.compare_tables import (
    KIND_STYLES,
    VERDICT_STYLES,
    change_lines,
    measure_table,
    side_table,
    slice_table,
)
from callscore.reports.sections import SPACE, Section, note_line, print_sections, width_of, written
from callscore.reports.wording import CASES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from callscore.comparing.comparison import ChangeKind, Comparison, Difference, Slice
    from callscore.core.wording import Language

__all__ = [
    "change_section",
    "flip_section",
    "render",
    "slice_sections",
    "sure_lines",
    "write",
]


def write(comparison: Comparison, *, most: int = FEW, lang: Language = "en") -> str:
    """The report as plain text, for a file."""
    return written(lambda console: render(comparison, console=console, most=most, lang=lang))


def render(
    comparison: Comparison, *, console: Console, most: int = FEW, lang: Language = "en"
) -> None:
    """Print the report.

    Args:
        comparison: what it is about.
        console: where to print it.
        most: how many cases to show of those that went otherwise in the same way, and how many tools
            and tags.
        lang: the language.
    """
    width = width_of(console)
    sections = [
        *_beginning(comparison, width, lang),
        *[change_section(comparison, kind, width, most=most, lang=lang) for kind in MARKS],
        *slice_sections(comparison, moved_slices(comparison), width, most=most, lang=lang),
        flip_section(comparison, lang),
    ]
    print_sections([section for section in sections if section], console)


def _beginning(comparison: Comparison, width: int, lang: Language) -> Iterator[Section]:
    yield _headline(comparison, lang)
    yield [side_table(comparison, lang)]
    grave = [*alarm_notes(comparison, lang), *below_notes(comparison, lang)]
    yield [
        *[note_line(*line, style="bold red") for line in grave],
        *[note_line(*line) for line in compare_notes(comparison, lang)],
    ]
    if comparison.others:
        yield [measure_table((comparison.main, *comparison.others), width, lang)]


def _headline(comparison: Comparison, lang: Language) -> Section:
    main = comparison.main
    verdict = say(wording.VERDICTS[main.verdict], lang).capitalize()
    line = Text().append(verdict, f"bold {VERDICT_STYLES[main.verdict]}")
    line.append(SPACE + wording.change_line(comparison, lang))
    return [line, *sure_lines(main, lang)]


def sure_lines(difference: Difference, lang: Language) -> Section:
    """How sure a difference is, and what would have been seen; nothing where none was looked for."""
    if difference.change is None:
        return []
    lines = [wording.sure_line(difference, lang), *wording.visible_lines(difference, lang)]
    return [Text(line, "dim") for line in lines]


def change_section(
    comparison: Comparison, kind: ChangeKind, width: int, *, most: int, lang: Language
) -> Section:
    """The cases that went otherwise in one way; empty where there are none, or none are wanted."""
    changes = comparison.changed(kind)
    if not changes or not most:
        return []
    cases = count_of(CASES, len(changes), lang)
    rows = change_rows(changes[:most], lang, has_evaluation=has_several(comparison))
    section: Section = [Text(say(wording.CHANGES[kind], lang, cases=cases), "bold")]
    section += change_lines(rows, kind, width)
    if len(changes) > len(rows):
        more = say(wording.MORE, lang, count=len(changes) - len(rows))
        section.append(Text(more, "dim"))
    return section


def slice_sections(
    comparison: Comparison, slices: Sequence[Slice], width: int, *, most: int, lang: Language
) -> list[Section]:
    """The tools, and the tags, each under what they are compared by."""
    holm = wording.holm_line(comparison, lang)
    sections = []
    for group in by_kind(slices) if most else []:
        heading = Text().append(wording.slice_heading(group[0], lang), "bold")
        section: Section = [heading.append(SPACE + holm if holm else "", "dim")]
        section.append(slice_table(group[:most], width, lang))
        if len(group) > most:
            section.append(Text(say(wording.MORE, lang, count=len(group) - most), "dim"))
        sections.append(section)
        holm = ""  # it is about all of them, and said once
    return sections


def flip_section(comparison: Comparison, lang: Language) -> Section:
    """How many cases went otherwise in each way, and how many did not; nothing of no cases."""
    parts = [
        Text(words, "dim" if kind is None else KIND_STYLES[kind])
        for words, kind in wording.flips(comparison, lang)
    ]
    return [Text(", ").join(parts)] if parts else []
