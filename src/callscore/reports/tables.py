"""The layout of every table in a report on a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from callscore.core.rendering import display_width
from callscore.reports.styled import Overflow, Text, fitting_lines, is_plain

if TYPE_CHECKING:
    from rich.console import JustifyMethod
    from rich.table import Table


# How many columns of the terminal a name gets at least, before numbers are left out.
_SHORTEST_NAME = 12


class Column(NamedTuple):
    """A column of a table; its header may have several lines."""

    header: str
    cells: Sequence[Text]
    is_left: bool = False

    @property
    def width(self) -> int:
        """How many columns of the terminal it takes."""
        return max([header_width(self.header), *[cell.cell_len for cell in self.cells]])


class ColumnTable(NamedTuple):
    """A table with `space` blanks between two columns, cut if the terminal is too narrow."""

    columns: Sequence[Column]
    space: int

    def __rich__(self) -> Table:
        from rich.table import Table

        table = Table(box=None, pad_edge=False, padding=(0, self.space, 0, 0), header_style="dim")
        for column in self.columns:
            justify: JustifyMethod = "left" if column.is_left else "right"
            header = Text(column.header).__rich__()
            table.add_column(header, justify=justify, no_wrap=True, vertical="bottom")
        for row in zip(*[column.cells for column in self.columns], strict=True):
            table.add_row(*row)
        return table

    def fitting_lines(self, width: int) -> list[str] | None:
        """The lines without styles; None if a column has to be cut."""
        columns = [
            _PlainColumn([column.header, *[cell.plain for cell in column.cells]], column.is_left)
            for column in self.columns
        ]
        return _fitting_table(columns, self.space, width, is_at_bottom=True)


def column_table(columns: Sequence[Column], *, space: int = 3) -> ColumnTable:
    """A table with `space` blanks between two columns, cut if the terminal is too narrow."""
    return ColumnTable(columns, space)


def column_lines(columns: Sequence[Column], *, space: int = 3) -> list[Text]:
    """The lines of a table that is never cut, without trailing blanks."""
    shapes = [(column.width, column.is_left) for column in columns]
    lines = _header_lines([column.header for column in columns], shapes, space)
    rows = zip(*[column.cells for column in columns], strict=True)
    return [*lines, *[_line(row, shapes, space) for row in rows]]


def stacked_words(label: str) -> str:
    """A header with one word per line, for a narrow column."""
    return "\n".join(label.split())


def header_width(header: str) -> int:
    """The width of the widest line of a header."""
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
    """Cells side by side; a shape is the width of a column, and whether it is left-aligned."""
    line, start, end = Text(), 0, 0
    for cell, (width, is_left) in zip(cells, shapes, strict=True):
        taken = cell.cell_len
        if taken:
            at = max(end, start if is_left else start + width - taken)
            line.append(" " * (at - end)).append_text(cell)
            end = at + taken
        start += width + space
    line.rstrip()
    return line


class NumberRow(NamedTuple):
    """A name, and one cell per column of numbers."""

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
    shortest_name: int = _SHORTEST_NAME,
) -> Text:
    """A table in which no name and no header is cut: a long name has a line above its numbers.

    There are `space` blanks between two columns if there is room for them. The columns in `spare` are
    left out if not all fit, in this order, beside names of `shortest_name` columns.
    """
    names = [display_width(label), *[row.name.cell_len for row in rows]]
    room = max(names[0], min(max(names[1:], default=0), shortest_name))
    widths = [
        max([header_width(header), *[row.numbers[place].cell_len for row in rows]])
        for place, header in enumerate(headers)
    ]
    kept = list(range(len(widths)))
    for place in spare:
        if room_for_names([widths[each] for each in kept], width - room, 1) >= 0:
            break
        kept.remove(place)
    widths = [widths[place] for place in kept]
    # The space between columns shrinks until every name fits that can.
    widest_room = room_for_names(widths, width, 1)
    needed = max([name for name in names if name <= widest_room], default=0)
    while space > 1 and room_for_names(widths, width, space) < needed:
        space -= 1
    column = max(needed, names[0])
    shapes = [(column, True), *[(each, False) for each in widths]]
    lines = _header_lines([label, *[headers[place] for place in kept]], shapes, space)
    for name, numbers in rows:
        cells = [numbers[place] for place in kept]
        has_room = name.cell_len <= column
        lines += [] if has_room else [name]
        lines.append(_line([name if has_room else Text(), *cells], shapes, space))
    return Text("\n").join(lines)


def room_for_names(widths: Sequence[int], width: int, space: int) -> int:
    """How many columns numbers of these widths leave for the names."""
    return width - sum(widths) - space * len(widths)


class WrappedGrid(NamedTuple):
    """Rows whose last cell is wrapped in the rest of the line; see `wrapped_grid`."""

    rows: Sequence[Sequence[str | Text]]
    widths: Sequence[int]
    space: int
    overflow: Overflow
    wraps_labels: bool

    def __rich__(self) -> Table:
        from rich.table import Table

        grid = Table.grid(padding=(0, self.space, 0, 0))
        for place in range(len(self.rows[0]) - 1):
            width = self.widths[place] if self.widths else None
            grid.add_column(width=width, no_wrap=not self.wraps_labels)
        grid.add_column(ratio=1 if self.widths else None, overflow=self.overflow)
        for row in self.rows:
            grid.add_row(*row)
        return grid

    def fitting_lines(self, width: int) -> list[str] | None:
        """The lines without styles; None if a cell has to be cut, or several columns wrapped."""
        if any(isinstance(cell, str) and _MARKUP.search(cell) for row in self.rows for cell in row):
            return None
        texts = [
            [cell if isinstance(cell, str) else cell.plain for cell in row] for row in self.rows
        ]
        columns = [
            _PlainColumn(cells, width=self.widths[place] if place < len(self.widths) else None)
            for place, cells in enumerate(zip(*texts, strict=True))
        ]
        taken = sum(map(_plain_width, columns[:-1])) + self.space * (len(columns) - 1)
        if not self.wraps_labels and _plain_width(columns[-1]) > width - taken > 0:
            columns[-1] = columns[-1]._replace(width=width - taken, wraps=True)
        return _fitting_table(columns, self.space, width)


def wrapped_grid(
    rows: Sequence[Sequence[str | Text]],
    *,
    widths: Sequence[int] = (),
    space: int = 3,
    overflow: Overflow = "ellipsis",
    wraps_labels: bool = False,
) -> WrappedGrid:
    """Rows whose last cell is wrapped in the rest of the line.

    `widths` are those of all columns but the last, by default as wide as their cells;
    `wraps_labels` allows the other cells to take several lines, too.
    """
    return WrappedGrid(rows, widths, space, overflow, wraps_labels)


# --- tables that fit, without rich ---------------------------------------------------------------

_MARKUP = re.compile(r"[\[\\:]")  # what rich may interpret in a cell that is not a `Text`
_UNBOUNDED = 1 << 30


class _PlainColumn(NamedTuple):
    """The cells of a column without styles, and its width if it does not depend on them."""

    cells: Sequence[str]
    is_left: bool = True
    width: int | None = None
    wraps: bool = False


def _plain_width(column: _PlainColumn) -> int:
    """How wide a column is, if its cells take one column of the terminal per character."""
    if column.width is not None:
        return column.width
    return max(len(line) for cell in column.cells for line in cell.split("\n"))


def _fitting_table(
    columns: Sequence[_PlainColumn], space: int, width: int, *, is_at_bottom: bool = False
) -> list[str] | None:
    """The lines of a table, as rich would lay them out; None if it is too wide, or a cell is."""
    stacks: list[list[list[str]]] = []
    rooms: list[int] = []
    for column in columns:
        most = column.width if column.wraps and column.width else _UNBOUNDED
        cells = [fitting_lines(cell, most, wraps=column.wraps) for cell in column.cells]
        whole = [lines for lines in cells if lines is not None and all(map(is_plain, lines))]
        needed = max(
            (len(line.rstrip() if column.wraps else line) for lines in whole for line in lines),
            default=0,
        )
        room = needed if column.width is None else column.width
        is_blank = not needed and any(len(lines) > 1 for lines in whole)  # only rich knows how high
        if len(whole) < len(cells) or needed > room or is_blank:
            return None
        stacks.append(whole)
        rooms.append(room)
    rooms[-1] = rooms[-1] or 1
    if sum(rooms) + space * (len(rooms) - 1) > width:
        return None
    shapes = [(room, column.is_left) for room, column in zip(rooms, columns, strict=True)]
    return [
        line
        for row in zip(*stacks, strict=True)
        for line in _row_lines(row, shapes, space, is_at_bottom=is_at_bottom)
    ]


def _row_lines(
    row: Sequence[list[str]],
    shapes: Sequence[tuple[int, bool]],
    space: int,
    *,
    is_at_bottom: bool,
) -> Iterator[str]:
    """The lines of one row, whose cells have different heights."""
    height = max(map(len, row))
    for number in range(height):
        line = ""
        for lines, (room, is_left) in zip(row, shapes, strict=True):
            place = number - (height - len(lines) if is_at_bottom else 0)
            text = lines[place] if 0 <= place < len(lines) else ""
            line += (text.ljust(room) if is_left else text.rstrip().rjust(room)) + " " * space
        yield line
