"""The tables of a comparison: its two runs, its measures, the cases that flipped, and the slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from callscore.core.text import clip, clip_middle, display_width, escape
from callscore.core.wording import say
from callscore.reports import compare_wording as wording
from callscore.reports.compare_parts import MARKS
from callscore.reports.number_table import NumberRow, number_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.comparing.comparison import ChangeKind, Comparison, Difference, Slice, Verdict
    from callscore.core.wording import Language
    from callscore.reports.compare_parts import ChangeRow

__all__ = [
    "KIND_STYLES",
    "VERDICT_STYLES",
    "change_lines",
    "measure_table",
    "side_table",
    "slice_table",
]

VERDICT_STYLES: dict[Verdict, str] = {
    "improved": "green",
    "regressed": "red",
    "no evidence": "",
    "not enough data": "yellow",
}
KIND_STYLES: dict[ChangeKind, str] = {"broken": "red", "fixed": "green", "changed": "yellow"}
_SPACE = 3
_INDENT = 4
_MARK = 2  # a mark and a blank
_SHORTEST_NAME = 20
# What a narrow terminal goes without, the first of them first.
_SPARE_OF_MEASURE = (4, 3)  # p, the interval
_SPARE_OF_SLICE = (4, 0, 1, 2)  # p, cases, before, after


def side_table(comparison: Comparison, lang: Language) -> Table:
    """The two runs below each other; what has no room in a line goes on in the next."""
    table = Table.grid(padding=(0, _SPACE, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for label, side in ((wording.BEFORE, comparison.before), (wording.AFTER, comparison.after)):
        name, *words = wording.side_words(side, lang)
        said = Text(name).append("".join([f", {word}" for word in words]), "dim")
        table.add_row(Text(say(label, lang), "dim"), said)
    return table


def measure_table(differences: Sequence[Difference], width: int, lang: Language) -> Text:
    """One row a measure: before, after, and how sure the difference is."""
    headers = (wording.BEFORE, wording.AFTER, wording.DIFFERENCE, wording.INTERVAL, wording.P_VALUE)
    rows = [
        NumberRow(
            Text(wording.measure_name(difference.measure, lang)),
            [
                *_numbers(difference),
                Text(wording.interval_text(difference.interval, lang), "dim"),
                Text(wording.p_text(difference.p_value), "dim"),
            ],
        )
        for difference in differences
    ]
    heads = [say(head, lang) for head in headers]
    return number_table(say(wording.MEASURE, lang), heads, rows, width, spare=_SPARE_OF_MEASURE)


def _numbers(difference: Difference) -> list[Text]:
    return [
        Text(wording.share(difference.before)),
        Text(wording.share(difference.after)),
        Text(wording.points(difference.change), _style(difference)),
    ]


def _style(difference: Difference) -> str:
    is_sure = difference.verdict in {"improved", "regressed"}
    return VERDICT_STYLES[difference.verdict] if is_sure else ""


def change_lines(rows: Sequence[ChangeRow], kind: ChangeKind, width: int) -> list[Text]:
    """A line a case that went otherwise; remarks that have no room in it stand below.

    Args:
        rows: the cases.
        kind: how they went.
        width: how many columns of the terminal there are.
    """
    columns = [[row.trials for row in rows], [row.f1 and f"F1 {row.f1}" for row in rows]]
    while columns and _room(columns, width) < _SHORTEST_NAME:  # what a case is called comes first
        columns = columns[:-1]
    room = max(_room(columns, width), _SHORTEST_NAME)
    names = [clip_middle(escape(row.case), room) for row in rows]
    columns = [names, *[column for column in columns if any(column)]]
    lines = []
    for place, row in enumerate(rows):
        line, end = Text().append(f"{MARKS[kind]} ", KIND_STYLES[kind]), _MARK
        for column in columns:
            _append(line, column[place], end, "dim" if column is not names else "")
            end += _widest(column) + _SPACE
        is_short = display_width(row.remarks) <= width - end
        if is_short:
            _append(line, row.remarks, end, "dim")
        lines.append(line)
        if row.remarks and not is_short:
            lines.append(Text(" " * _INDENT + clip(row.remarks, width - _INDENT), "dim"))
    return lines


def _room(columns: Sequence[Sequence[str]], width: int) -> int:
    """How many columns of the terminal are left for the names of cases."""
    taken = [_widest(column) for column in columns]
    return width - _MARK - sum([wide + _SPACE for wide in taken if wide])


def _widest(column: Sequence[str]) -> int:
    return max(map(display_width, column), default=0)


def _append(line: Text, cell: str, start: int, style: str) -> None:
    """Put a cell where its column begins; an empty one leaves no blanks behind."""
    if cell:
        line.append(" " * (start - line.cell_len)).append(cell, style)


def slice_table(slices: Sequence[Slice], width: int, lang: Language) -> Text:
    """One row a tool, or a tag; all are of one kind."""
    headers = (
        *(wording.CASE_COUNT, wording.BEFORE, wording.AFTER, wording.DIFFERENCE),
        *(wording.P_VALUE, wording.VERDICT),
    )
    rows = [
        NumberRow(
            Text(clip_middle(escape(part.name), max(_SHORTEST_NAME, width // 3))),
            [
                Text(str(part.difference.cases), "dim"),
                *_numbers(part.difference),
                Text(wording.p_text(part.difference.p_value), "dim"),
                Text(_verdict(part.difference, lang), _style(part.difference) or "dim"),
            ],
        )
        for part in slices
    ]
    heads = [say(head, lang) for head in headers]
    label = say(wording.KINDS[slices[0].kind], lang)
    return number_table(label, heads, rows, width, spare=_SPARE_OF_SLICE)


def _verdict(difference: Difference, lang: Language) -> str:
    return say(wording.VERDICTS[difference.verdict], lang)
