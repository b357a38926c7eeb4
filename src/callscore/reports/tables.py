"""The layout of every table in a report on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.table import Table
from rich.text import Text

from callscore.core.rendering import display_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import JustifyMethod, OverflowMethod

__all__ = [
    "Column",
    "NumberRow",
    "column_lines",
    "column_table",
    "number_table",
    "room_for_names",
    "wrapped_grid",
]

# How many columns of the terminal a name gets at least, before numbers are left out.
_SHORTEST_NAME = 12


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        header: the label above it; it may have several lines.
        cells: one per row.
        is_left: whether its cells are aligned to the left, rather than to the right.
    """

    header: str
    cells: Sequence[Text]
    is_left: bool = False

    @property
    def width(self) -> int:
        """How many columns of the terminal it takes."""
        return max([_header_width(self.header), *[cell.cell_len for cell in self.cells]])


def column_table(columns: Sequence[Column], *, space: int = 3) -> Table:
    """A table with `space` blanks between two columns, cut where the terminal is too narrow."""
    table = Table(box=None, pad_edge=False, padding=(0, space, 0, 0), header_style="dim")
    for column in columns:
        justify: JustifyMethod = "left" if column.is_left else "right"
        table.add_column(Text(column.header), justify=justify, no_wrap=True, vertical="bottom")
    for row in zip(*[column.cells for column in columns], strict=True):
        table.add_row(*row)
    return table


def column_lines(columns: Sequence[Column], *, space: int = 3) -> list[Text]:
    """The lines of such a table, never cut; no line ends with blanks."""
    shapes = [(column.width, column.is_left) for column in columns]
    lines = _header_lines([column.header for column in columns], shapes, space)
    rows = zip(*[column.cells for column in columns], strict=True)
    return [*lines, *[_line(row, shapes, space) for row in rows]]


def _header_width(header: str) -> int:
    return max(map(display_width, header.split("\n")))


def _header_lines(
    headers: Sequence[str], shapes: Sequence[tuple[int, bool]], space: int
) -> list[Text]:
    """The headers, aligned at the bottom."""
    height = max(header.count("\n") + 1 for header in headers)
    stacks = [[""] * (height - 1 - header.count("\n")) + header.split("\n") for header in headers]
    return [
        _line([Text(stack[number], "dim") for stack in stacks], shapes, space)
        for number in range(height)
    ]


def _line(cells: Sequence[Text], shapes: Sequence[tuple[int, bool]], space: int) -> Text:
    """Cells side by side, each in a column of a width, aligned to the left or to the right."""
    line, start = Text(), 0
    for cell, (width, is_left) in zip(cells, shapes, strict=True):
        if cell.cell_len:  # so that no line ends with blanks
            at = start if is_left else start + width - cell.cell_len
            line.append(" " * (at - line.cell_len)).append_text(cell)
        start += width + space
    line.rstrip()
    return line


# A table of names and numbers in which no name and no header is ever cut.


class NumberRow(NamedTuple):
    """One row.

    Attributes:
        name: what it is about.
        numbers: one cell per column.
    """

    name: Text
    numbers: Sequence[Text]


def number_table(  # noqa: PLR0913  (each is a property of the table)
    label: str,
    headers: Sequence[str],
    rows: Sequence[NumberRow],
    width: int,
    *,
    space: int = 3,
    spare: Sequence[int] = (),
) -> Text:
    """The table as text; a name too long to stand beside its numbers gets a line above them.

    Args:
        label: the label above the names.
        headers: the labels above the numbers; they may have several lines.
        rows: the rows.
        width: how many columns of the terminal there are.
        space: how many of them to leave between two columns, where there is room.
        spare: the columns of numbers that are left out where not all fit, the first of them first.
    """
    longest = max([row.name.cell_len for row in rows], default=0)
    room = max(display_width(label), min(longest, _SHORTEST_NAME))
    kept = _kept_columns(_column_widths(headers, rows), width - room, spare)
    headers = [headers[place] for place in kept]
    rows = [NumberRow(row.name, [row.numbers[place] for place in kept]) for row in rows]
    widths = _column_widths(headers, rows)
    names = [display_width(label), *[row.name.cell_len for row in rows]]
    # Columns move together until every name fits that can.
    needed = _widest_that_fits(names, room_for_names(widths, width, 1))
    while space > 1 and room_for_names(widths, width, space) < needed:
        space -= 1
    column = max(needed, names[0])
    shapes = [(column, True), *[(each, False) for each in widths]]
    lines = _header_lines([label, *headers], shapes, space)
    for name, numbers in rows:
        has_room = name.cell_len <= column
        lines += [] if has_room else [name]
        lines.append(_line([name if has_room else Text(), *numbers], shapes, space))
    return Text("\n").join(lines)


def _column_widths(headers: Sequence[str], rows: Sequence[NumberRow]) -> list[int]:
    return [
        max([_header_width(header), *[row.numbers[place].cell_len for row in rows]])
        for place, header in enumerate(headers)
    ]


def _kept_columns(widths: Sequence[int], width: int, spare: Sequence[int]) -> list[int]:
    """Which columns of numbers are shown, where spare ones make room for the others."""
    kept = list(range(len(widths)))
    for place in spare:
        if room_for_names([widths[each] for each in kept], width, 1) >= 0:
            break
        kept.remove(place)
    return kept


def room_for_names(widths: Sequence[int], width: int, space: int) -> int:
    """How many columns numbers of these widths leave for the names."""
    return width - sum(widths) - space * len(widths)


def _widest_that_fits(names: Sequence[int], room: int) -> int:
    return max([name for name in names if name <= room], default=0)


# Labels with texts beside them that continue on the next line.


def wrapped_grid(
    rows: Sequence[Sequence[str | Text]],
    *,
    widths: Sequence[int] = (),
    space: int = 3,
    overflow: OverflowMethod = "ellipsis",
    wraps_labels: bool = False,
) -> Table:
    """Rows whose last cell is wrapped in the rest of the line.

    Args:
        rows: the cells of each row.
        widths: the widths of all columns but the last; none to fit the cells.
        space: how many blanks to leave between two columns.
        overflow: what becomes of a word that is longer than a line.
        wraps_labels: whether the other cells may take several lines, too.
    """
    grid = Table.grid(padding=(0, space, 0, 0))
    for place in range(len(rows[0]) - 1):
        grid.add_column(width=widths[place] if widths else None, no_wrap=not wraps_labels)
    grid.add_column(ratio=1 if widths else None, overflow=overflow)
    for row in rows:
        grid.add_row(*row)
    return grid
