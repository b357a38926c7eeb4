"""The report of two compared runs on a terminal: verdict, numbers, changed cases, and slices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from callscore.core.phrases import Language, count_of, say
from callscore.core.rendering import clip_middle, display_width, escape, wrap
from callscore.reports import compare as wording
from callscore.reports.compare import (
    DEFAULT_MAX_SHOWN,
    MARKS,
    ChangeRow,
    change_rows,
    changed_slices,
    slices_by_kind,
)
from callscore.reports.compare_notes import (
    alarm_notes,
    below_notes,
    comparison_notes,
    has_several_evaluations,
    lost_lists,
)
from callscore.reports.styled import Text
from callscore.reports.tables import NumberRow, WrappedGrid, number_table, wrapped_grid
from callscore.reports.terminal import (
    SPACE,
    PlainPage,
    Section,
    note_line,
    print_sections,
    report_width,
)
from callscore.words.value_text import CASES

if TYPE_CHECKING:
    from rich.console import Console

    from callscore.comparing.changes import ChangeKind
    from callscore.comparing.comparison import Comparison
    from callscore.comparing.differences import Difference, Slice, Verdict

VERDICT_STYLES: dict[Verdict, str] = {
    "improved": "green",
    "regressed": "red",
    "no evidence": "",
    "not enough data": "yellow",
}
KIND_STYLES: dict[ChangeKind, str] = {"broken": "red", "fixed": "green", "changed": "yellow"}
_COLUMN_SPACE = 3
_INDENT = 4
_MARK_WIDTH = 2  # a mark and a blank
_SHORTEST_NAME = 20
_LONGEST_NAME = 400
# The columns that are left out on a narrow terminal, in this order.
_OPTIONAL_MEASURE_COLUMNS = (4, 3)  # p, the interval
_OPTIONAL_SLICE_COLUMNS = (4, 0, 1, 2)  # p, cases, before, after


def side_table(comparison: Comparison, lang: Language) -> WrappedGrid:
    """The two runs below each other, wrapped if they are too long."""
    rows = []
    for label, side in ((wording.BEFORE, comparison.before), (wording.AFTER, comparison.after)):
        name, *words = wording.side_parts(side, lang)
        said = Text(name).append("".join([f", {word}" for word in words]), "dim")
        rows.append((Text(say(label, lang), "dim"), said))
    return wrapped_grid(rows, overflow="fold")


def measure_table(comparison: Comparison, width: int, lang: Language) -> Text:
    """One row per measure: before, after, and how certain the difference is."""
    rows = []
    over_cases = wording.is_over_cases(comparison)
    for difference in (comparison.main, *comparison.others):
        styles = ("", "", _style(difference), "dim", "dim")
        cells = map(Text, wording.measure_cells(difference, lang), styles)
        name = wording.measure_name(difference.measure, lang, over_cases=over_cases)
        rows.append(NumberRow(Text(name), [*cells]))
    label, *heads = [say(head, lang) for head in (wording.MEASURE, *wording.MEASURE_LABELS)]
    return number_table(label, heads, rows, width, spare=_OPTIONAL_MEASURE_COLUMNS)


def _style(difference: Difference) -> str:
    is_sure = difference.verdict in {"improved", "regressed"}
    return VERDICT_STYLES[difference.verdict] if is_sure else ""


def change_lines(rows: Sequence[ChangeRow], kind: ChangeKind, width: int) -> list[Text]:
    """One line per changed case; a name or remarks that do not fit have lines of their own."""
    columns = [[row.trials for row in rows], [row.f1 and f"F1 {row.f1}" for row in rows]]
    while columns and _name_room(columns, width) < _SHORTEST_NAME:
        columns = columns[:-1]
    columns = [column for column in columns if any(column)]
    names = [clip_middle(escape(row.case), _LONGEST_NAME) for row in rows]
    room = _name_room(columns, width)
    widest = max([wide for wide in map(display_width, names) if wide <= room], default=0)
    lines = []
    for place, row in enumerate(rows):
        mark = Text().append(f"{MARKS[kind]} ", KIND_STYLES[kind])
        *above, line = _name_lines(mark, names[place], widest, width)
        end = _MARK_WIDTH + widest + _COLUMN_SPACE if widest else _INDENT
        for column in columns:
            _append_at(line, column[place], end, "dim")
            end += _widest(column) + _COLUMN_SPACE
        is_short = display_width(row.remarks) <= width - end
        if is_short:
            _append_at(line, row.remarks, end, "dim")
        lines += [each for each in (*above, line) if each.plain.strip()]
        if row.remarks and not is_short:
            parts = wrap(row.remarks, width - _INDENT)
            lines += [Text(" " * _INDENT + part, "dim") for part in parts]
    return lines


def _name_lines(mark: Text, name: str, column: int, width: int) -> list[Text]:
    """The lines of a whole name; what follows it is appended to the last one."""
    if display_width(name) <= column:
        return [mark.append(name)]
    first, *others = wrap(name, width - _MARK_WIDTH)
    blank = " " * _MARK_WIDTH
    return [mark.append(first), *[Text(blank + part) for part in others], Text(blank)]


def _name_room(columns: Sequence[Sequence[str]], width: int) -> int:
    """How many columns of the terminal are left for the names of cases."""
    taken = [_widest(column) for column in columns]
    return width - _MARK_WIDTH - sum([wide + _COLUMN_SPACE for wide in taken if wide])


def _widest(column: Sequence[str]) -> int:
    return max(map(display_width, column), default=0)


def _append_at(line: Text, cell: str, start: int, style: str) -> None:
    """Append a cell at the start of its column; an empty cell adds no blanks."""
    if cell:
        line.append(" " * (start - line.cell_len)).append(cell, style)


def slice_table(slices: Sequence[Slice], width: int, lang: Language) -> Text:
    """One row per tool, or per tag; all slices are of one kind."""
    rows = []
    for part in slices:
        name = clip_middle(wording.short_slice_name(part, lang), _LONGEST_NAME)
        style = _style(part.difference)
        styles = ("dim", "", "", style, "dim", style or "dim")
        cells = map(Text, wording.slice_cells(part.difference, lang), styles)
        rows.append(NumberRow(Text(name), [*cells]))
    heads = [say(head, lang) for head in wording.SLICE_LABELS]
    label = say(wording.SLICE_KINDS[slices[0].kind], lang)
    return number_table(label, heads, rows, width, spare=_OPTIONAL_SLICE_COLUMNS)


def render(
    comparison: Comparison,
    *,
    console: Console | PlainPage,
    max_shown: int = DEFAULT_MAX_SHOWN,
    lang: Language = "en",
) -> None:
    """Print the report, with at most `max_shown` cases per kind of change, and as many tools and tags."""
    width = report_width(console)
    main, slices = comparison.main, changed_slices(comparison)
    verdict = say(wording.VERDICTS[main.verdict], lang).capitalize()
    headline = Text().append(verdict, f"bold {VERDICT_STYLES[main.verdict]}")
    headline.append(SPACE + wording.change_line(comparison, lang))
    grave = [*alarm_notes(comparison, lang), *below_notes(comparison, lang)]
    notes: Section = [note_line(*line, style="bold red") for line in grave]
    notes += [note_line(*line) for line in comparison_notes(comparison, lang)]
    sections: list[Section] = [
        [headline, *certainty_lines(main, lang)],
        [side_table(comparison, lang)],
        notes,
        [measure_table(comparison, width, lang)] if comparison.others else [],
        *lost_sections(comparison, width, max_shown=max_shown, lang=lang),
        *[
            change_section(comparison, kind, width, max_shown=max_shown, lang=lang)
            for kind in MARKS
        ],
        *slice_sections(comparison, slices, width, max_shown=max_shown, lang=lang),
        flip_section(comparison, lang),
    ]
    print_sections(sections, console)


def certainty_lines(difference: Difference, lang: Language) -> Section:
    """What the verdict means, and how certain it is; empty if nothing was compared."""
    return [Text(line, "dim") for line in wording.certainty_texts(difference, lang)]


def change_section(
    comparison: Comparison, kind: ChangeKind, width: int, *, max_shown: int, lang: Language
) -> Section:
    """The cases of one kind of change; empty if there are none, or if `max_shown` is 0."""
    changes = comparison.changed(kind)
    if not changes or not max_shown:
        return []
    cases = count_of(CASES, len(changes), lang)
    rows = change_rows(
        changes[:max_shown], lang, has_evaluation=has_several_evaluations(comparison)
    )
    section: Section = [Text(say(wording.CHANGES[kind], lang, cases=cases), "bold")]
    section += change_lines(rows, kind, width)
    if len(changes) > len(rows):
        more = say(wording.MORE, lang, count=len(changes) - len(rows))
        section.append(Text(more, "dim"))
    return section


def lost_sections(
    comparison: Comparison, width: int, *, max_shown: int, lang: Language
) -> Iterator[Section]:
    """The cases that are missing, and those that were removed on purpose, with the reasons."""
    for title, rows in lost_lists(comparison, lang) if max_shown else ():
        section: Section = [Text(title, "bold")]
        for name, why in rows[:max_shown]:
            *above, line = _name_lines(
                Text().append("- ", KIND_STYLES["broken"]), escape(name), width, width
            )
            section += [*above, line]
            reason = wrap(escape(why), width - _INDENT) if why else ()
            section += [Text(" " * _INDENT + part, "dim") for part in reason]
        if len(rows) > max_shown:
            more = say(wording.MORE, lang, count=len(rows) - max_shown)
            section.append(Text(more, "dim"))
        yield section


def slice_sections(
    comparison: Comparison, slices: Sequence[Slice], width: int, *, max_shown: int, lang: Language
) -> list[Section]:
    """The tools, and then the tags, in one section each."""
    holm = wording.holm_line(comparison, lang)
    sections = []
    for group in slices_by_kind(slices) if max_shown else []:
        heading = Text().append(wording.slice_heading(group[0], lang), "bold")
        table = slice_table(group[:max_shown], width, lang)
        header, *_ = table.plain.split("\n")
        has_p_values = say(wording.P_VALUE, lang) in header.split()
        shown = holm if has_p_values else ""
        section: Section = [heading.append(SPACE + shown if shown else "", "dim"), table]
        if len(group) > max_shown:
            section.append(Text(say(wording.MORE, lang, count=len(group) - max_shown), "dim"))
        sections.append(section)
        holm = "" if shown else holm  # shown once, since it is about all slices
    return sections


def flip_section(comparison: Comparison, lang: Language) -> Section:
    """How many cases broke, were fixed or changed, and how many did not; empty without cases."""
    parts = [
        Text(words, "dim" if kind is None else KIND_STYLES[kind])
        for words, kind in wording.flip_counts(comparison, lang)
    ]
    return [Text(", ").join(parts)] if parts else []
