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
    "header_width",
    "number_table",
    "room_for_names",
    "stacked_words",
    "wrapped_grid",
]

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


def column_table(columns: Sequence[Column], *, space: int = 3) -> Table:
    """A table with `space` blanks between two columns, cut if the terminal is too narrow."""
    table = Table(box=None, pad_edge=False, padding=(0, space, 0, 0), header_style="dim")
    for column in columns:
        justify: JustifyMethod = "left" if column.is_left else "right"
        table.add_column(Text(column.header), justify=justify, no_wrap=True, vertical="bottom")
    for row in zip(*[column.cells for column in columns], strict=True):
        table.add_row(*row)
    return table


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
    line, start = Text(), 0
    for cell, (width, is_left) in zip(cells, shapes, strict=True):
        if cell.cell_len:
            at = start if is_left else start + width - cell.cell_len
            line.append(" " * (at - line.cell_len)).append_text(cell)
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


def wrapped_grid(
    rows: Sequence[Sequence[str | Text]],
    *,
    widths: Sequence[int] = (),
    space: int = 3,
    overflow: OverflowMethod = "ellipsis",
    wraps_labels: bool = False,
) -> Table:
    """Rows whose last cell is wrapped in the rest of the line.

    `widths` are those of all columns but the last, by default as wide as their cells;
    `wraps_labels` allows the other cells to take several lines, too.
    """
    grid = Table.grid(padding=(0, space, 0, 0))
    for place in range(len(rows[0]) - 1):
        grid.add_column(width=widths[place] if widths else None, no_wrap=not wraps_labels)
    grid.add_column(ratio=1 if widths else None, overflow=overflow)
    for row in rows:
        grid.add_row(*row)
    return grid
