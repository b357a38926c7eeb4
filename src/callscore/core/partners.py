"""As many pairs of rows and columns as there can be, where not every row fits every column.

A set of columns is an integer used as a bit set. What a row fits is asked only when it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.assignment import way_to_free

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Partners"]


class Partners:
    """A one-to-one pairing that only grows: a row that has a column may change it, not lose it.

    Attributes:
        free: the columns that nobody has taken.
        column_of: the column of each row that has one.
    """

    def __init__(self, columns: int, fitting: Callable[[int], int]) -> None:
        """Begin with no pair.

        Args:
            columns: all columns.
            fitting: the columns that a row fits.
        """
        self.columns = self.free = columns
        self.column_of: dict[int, int] = {}
        self._row_of: dict[int, int] = {}
        self._fitting = fitting

    def take(self, row: int, column: int) -> None:
        """Pair a row with a free column that it is known to fit."""
        self.free &= ~(1 << column)
        self._give(row, column)

    def grow(self, rows: list[int]) -> list[int]:
        """Pair as many of these rows as possible, and name those that are left alone.

        Rows for which this was called before count for more: none of them is given up.
        """
        alone = [row for row in rows if row not in self.column_of]
        while alone:
            unreached = self.columns
            still_alone: list[int] = []
            for row in alone:
                unreached, is_paired = self._augment(row, unreached)
                if not is_paired:
                    still_alone.append(row)
            if len(still_alone) == len(alone):
                break
            alone = still_alone  # what the found paths used up was not searched: again
        return alone

    def _augment(self, root: int, unreached: int) -> tuple[int, bool]:
        """Walk from a row to a free column, and shift every row on the way."""
        reach = (self._fitting, self._row_of.__getitem__, self.free)
        way, unreached = way_to_free(root, reach, unreached)
        for row, column in way:
            self._give(row, column)
        if way:
            self.free ^= 1 << way[-1][1]
        return unreached, bool(way)

    def _give(self, row: int, column: int) -> None:
        self.column_of[row] = column
        self._row_of[column] = row
