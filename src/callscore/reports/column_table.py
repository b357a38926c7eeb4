"""A table whose columns begin or end at the same place, as text; no line ends with blanks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from callscore.core.text import display_width

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Column", "column_lines"]


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
    return [_line(row, columns, space) for row in (header, *rows)]


def _line(cells: Sequence[Text], columns: Sequence[Column], space: int) -> Text:
    line, start = Text(), 0
    for cell, column in zip(cells, columns, strict=True):
        width = column.width
        if cell.cell_len:
            at = start if column.is_left else start + width - cell.cell_len
            line.append(" " * (at - line.cell_len)).append_text(cell)
        start += width + space
    line.rstrip()
    return line
