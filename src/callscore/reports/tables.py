"""The tables of reports on a terminal: columns that are aligned, and names that are never cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from callscore.core.rendering import display_width

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Column", "NumberRow", "column_lines", "number_table", "room_for_names"]


# A table of names and numbers in which no name and no header is ever cut.

# How many columns of the terminal a name has at least, before numbers are left out.
_SHORTEST_NAME = 12


class NumberRow(NamedTuple):
    """One row.

    Attributes:
        name: what it is about.
        numbers: one cell a column.
    """

    name: Text
    numbers: Sequence[Text]


def number_table(  # noqa: PLR0913  (each is something to say about a table)
    label: str,
    headers: Sequence[str],
    rows: Sequence[NumberRow],
    width: int,
    *,
    space: int = 3,
    spare: Sequence[int] = (),
) -> Text:
    """The table as text; a name that has no room beside its numbers stands on a line above them.

    Args:
        label: what stands above the names.
        headers: what stands above the numbers; they may have several lines.
        rows: the rows.
        width: how many columns of the terminal there are.
        space: how many of them to leave between two columns, where there is room.
        spare: the columns of numbers that may be left out where all have no room, the least first.
    """
    longest = max([row.name.cell_len for row in rows], default=0)
    room = max(display_width(label), min(longest, _SHORTEST_NAME))
    left = _kept_columns(_column_widths(headers, rows), width - room, spare)
    headers = [headers[place] for place in left]
    rows = [NumberRow(row.name, [row.numbers[place] for place in left]) for row in rows]
    widths = _column_widths(headers, rows)
    names = [display_width(label), *[row.name.cell_len for row in rows]]
    # Columns stand as close as it takes for every name to have room that can have any.
    needed = _widest_that_fits(names, room_for_names(widths, width, 1))
    while space > 1 and room_for_names(widths, width, space) < needed:
        space -= 1
    column = max(needed, names[0])
    lines = _header_lines(label, headers, [column, *widths], space)
    for row in rows:
        lines += _row_lines(row, [column, *widths], space)
    return Text("\n").join(lines)


def _column_widths(headers: Sequence[str], rows: Sequence[NumberRow]) -> list[int]:
    return [
        max([_header_width(header), *[row.numbers[place].cell_len for row in rows]])
        for place, header in enumerate(headers)
    ]


def _kept_columns(widths: Sequence[int], width: int, spare: Sequence[int]) -> list[int]:
    """Which columns of numbers stand in the table, where those that may go make room for the others."""
    left = list(range(len(widths)))
    for place in spare:
        if room_for_names([widths[each] for each in left], width, 1) >= 0:
            break
        left.remove(place)
    return left


def room_for_names(widths: Sequence[int], width: int, space: int) -> int:
    """How many columns numbers of these widths leave for the names."""
    return width - sum(widths) - space * len(widths)


def _widest_that_fits(names: Sequence[int], room: int) -> int:
    return max([name for name in names if name <= room], default=0)


def _header_width(header: str) -> int:
    return max(map(display_width, header.split("\n")))


def _header_lines(
    label: str, headers: Sequence[str], widths: Sequence[int], space: int
) -> list[Text]:
    """The headers stand on the ground, however many lines they have."""
    height = max([header.count("\n") + 1 for header in headers], default=1)
    stacks = [[""] * (height - 1 - header.count("\n")) + header.split("\n") for header in headers]
    labels = [""] * (height - 1) + [label]
    return [
        _number_line(
            Text(labels[line], "dim"), [Text(stack[line], "dim") for stack in stacks], widths, space
        )
        for line in range(height)
    ]


def _row_lines(row: NumberRow, widths: Sequence[int], space: int) -> list[Text]:
    if row.name.cell_len <= widths[0]:
        return [_number_line(row.name, row.numbers, widths, space)]
    return [row.name, _number_line(Text(), row.numbers, widths, space)]


def _number_line(name: Text, numbers: Sequence[Text], widths: Sequence[int], space: int) -> Text:
    line, end = Text().append_text(name), widths[0]
    for number, width in zip(numbers, widths[1:], strict=True):
        end += space + width
        if number.cell_len:  # so that no line ends with blanks
            line.append(" " * (end - number.cell_len - line.cell_len)).append_text(number)
    return line


# A table whose columns begin or end at the same place, as text; no line ends with blanks.


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        header: what stands above it.
        cells: one a row.
        is_left: whether its cells begin at the same place, rather than end there.
    """

    header: str
    cells: Sequence[Text]
    is_left: bool = False

    @property
    def width(self) -> int:
        """How many columns of the terminal it takes."""
        return max([display_width(self.header), *[cell.cell_len for cell in self.cells]])


def column_lines(columns: Sequence[Column], *, space: int = 3) -> list[Text]:
    """The header and the rows; as many columns of the terminal as `space` says stand between two."""
    header = [Text(column.header, "dim") for column in columns]
    rows = [list(row) for row in zip(*[column.cells for column in columns], strict=True)]
    return [_column_line(row, columns, space) for row in (header, *rows)]


def _column_line(cells: Sequence[Text], columns: Sequence[Column], space: int) -> Text:
    line, start = Text(), 0
    for cell, column in zip(cells, columns, strict=True):
        width = column.width
        if cell.cell_len:
            at = start if column.is_left else start + width - cell.cell_len
            line.append(" " * (at - line.cell_len)).append_text(cell)
        start += width + space
    line.rstrip()
    return line
