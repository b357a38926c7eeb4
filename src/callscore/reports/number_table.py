"""A table of names and numbers in which no name and no header is ever cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from callscore.core.text import display_width

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["NumberRow", "number_table", "room_for_names"]

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
    left = _columns_left(_widths(headers, rows), width - room, spare)
    headers = [headers[place] for place in left]
    rows = [NumberRow(row.name, [row.numbers[place] for place in left]) for row in rows]
    widths = _widths(headers, rows)
    names = [display_width(label), *[row.name.cell_len for row in rows]]
    # Columns stand as close as it takes for every name to have room that can have any.
    needed = _widest(names, room_for_names(widths, width, 1))
    while space > 1 and room_for_names(widths, width, space) < needed:
        space -= 1
    column = max(needed, names[0])
    lines = _header_lines(label, headers, [column, *widths], space)
    for row in rows:
        lines += _row_lines(row, [column, *widths], space)
    return Text("\n").join(lines)


def _widths(headers: Sequence[str], rows: Sequence[NumberRow]) -> list[int]:
    return [
        max([_width(header), *[row.numbers[place].cell_len for row in rows]])
        for place, header in enumerate(headers)
    ]


def _columns_left(widths: Sequence[int], width: int, spare: Sequence[int]) -> list[int]:
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


def _widest(names: Sequence[int], room: int) -> int:
    return max([name for name in names if name <= room], default=0)


def _width(header: str) -> int:
    return max(map(display_width, header.split("\n")))


def _header_lines(
    label: str, headers: Sequence[str], widths: Sequence[int], space: int
) -> list[Text]:
    """The headers stand on the ground, however many lines they have."""
    height = max([header.count("\n") + 1 for header in headers], default=1)
    stacks = [[""] * (height - 1 - header.count("\n")) + header.split("\n") for header in headers]
    labels = [""] * (height - 1) + [label]
    return [
        _line(
            Text(labels[line], "dim"), [Text(stack[line], "dim") for stack in stacks], widths, space
        )
        for line in range(height)
    ]


def _row_lines(row: NumberRow, widths: Sequence[int], space: int) -> list[Text]:
    if row.name.cell_len <= widths[0]:
        return [_line(row.name, row.numbers, widths, space)]
    return [row.name, _line(Text(), row.numbers, widths, space)]


def _line(name: Text, numbers: Sequence[Text], widths: Sequence[int], space: int) -> Text:
    line, end = Text().append_text(name), widths[0]
    for number, width in zip(numbers, widths[1:], strict=True):
        end += space + width
        if number.cell_len:  # so that no line ends with blanks
            line.append(" " * (end - number.cell_len - line.cell_len)).append_text(number)
    return line
