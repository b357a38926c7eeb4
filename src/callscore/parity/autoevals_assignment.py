"""The assignment that SciPy's `linear_sum_assignment` finds, ties and rounding included.

Several assignments may be equally cheap, and then the sum of the chosen costs depends on the choice
in its last bit. So this takes the same way: rows are served one after the other by a shortest path
over reduced costs, in double precision, and a tie goes to the same column.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["assigned"]


def assigned(costs: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """The pairs of a row and a column that cost least together, by row; each is in one pair only.

    Args:
        costs: a row of costs for each row, all of the same length, and none of it infinite or NaN.
    """
    if len(costs) <= len(costs[0]):
        return list(enumerate(_columns_of_rows(costs)))
    turned = list(zip(*costs, strict=True))
    return sorted((row, column) for column, row in enumerate(_columns_of_rows(turned)))


def _columns_of_rows(costs: Sequence[Sequence[float]]) -> list[int]:
    """The column of each row, where there are at least as many columns as rows."""
    height, width = len(costs), len(costs[0])
    row_prices, column_prices = [0.0] * height, [0.0] * width
    column_of, row_of = [-1] * height, [-1] * width
    for row in range(height):
        way = _Way(costs, row_prices, column_prices, row_of)
        goal = way.search(row)
        _reprice(way, row, column_of)
        while True:  # everybody on the way moves on by one column
            owner = way.reached_from[goal]
            row_of[goal] = owner
            column_of[owner], goal = goal, column_of[owner]
            if owner == row:
                break
    return column_of


class _Way:
    """The cheapest way from a row without a column to a column without a row."""

    def __init__(
        self,
        costs: Sequence[Sequence[float]],
        row_prices: list[float],
        column_prices: list[float],
        row_of: list[int],
    ) -> None:
        self.costs = costs
        self.row_prices = row_prices
        self.column_prices = column_prices
        self.row_of = row_of
        width = len(column_prices)
        self.lengths = [inf] * width
        self.reached_from = [-1] * width
        self.length = 0.0
        self.visited: list[int] = []

    def search(self, row: int) -> int:
        """Go to the nearest column, again and again, until nobody has it."""
        # From the last column to the first, and the later of equals: of equal costs everywhere,
        # the first row gets the first column.
        open_columns = list(range(len(self.lengths) - 1, -1, -1))
        while True:
            place = self._nearest(row, open_columns)
            column = open_columns[place]
            self.length = self.lengths[column]
            self.visited.append(column)
            if self.row_of[column] < 0:
                return column
            row = self.row_of[column]
            # The last one fills the gap: the order of the open columns settles ties.
            last = open_columns.pop()
            if place < len(open_columns):
                open_columns[place] = last

    def _nearest(self, row: int, open_columns: list[int]) -> int:
        nearest, least = -1, inf
        lengths, row_costs, row_price = self.lengths, self.costs[row], self.row_prices[row]
        for place, column in enumerate(open_columns):
            length = self.length + row_costs[column] - row_price - self.column_prices[column]
            if length < lengths[column]:
                lengths[column] = length
                self.reached_from[column] = row
            known = lengths[column]
            if known < least or (known == least and self.row_of[column] < 0):
                nearest, least = place, known
        return nearest


def _reprice(way: _Way, row: int, column_of: list[int]) -> None:
    """Make every pair on the way cost exactly its two prices."""
    row_prices, lengths = way.row_prices, way.lengths
    row_prices[row] += way.length
    for column in way.visited[:-1]:
        owner = way.row_of[column]
        row_prices[owner] += way.length - lengths[column_of[owner]]
    for column in way.visited:
        way.column_prices[column] -= way.length - lengths[column]
