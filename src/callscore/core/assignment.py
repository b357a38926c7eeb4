"""Bipartite assignment: the heaviest one-to-one assignment, and the largest matching.

A set of columns is an integer used as a bit set. Most weights tie with many others here, which
makes a textbook solver slow; a bit set handles all tied columns in one operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import compress, permutations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callscore.core.budget import Budget

# Of one row: each weight above zero and the columns that have it, heaviest first. The columns that
# are in none of these sets weigh zero.
Levels = list[tuple[int, int]]


def assign(rows: list[Levels], width: int, budget: Budget) -> list[int | None]:
    """The column of each row, or None, in the heaviest assignment to `width` columns.

    As many rows as possible get a column. Of several heaviest assignments it is the first: row 0
    has the lowest column that it has in any of them, given that row 1 has the lowest, and so on.

    Raises:
        OverBudget: that takes too many steps.
    """
    if width == 1:  # the first of the heaviest rows takes the only column
        weights = [levels[0][0] if levels else 0 for levels in rows]
        taker = weights.index(max(weights)) if weights else -1
        return [0 if row == taker else None for row in range(len(rows))]
    if len(rows) <= MOST_TRIED and width <= MOST_TRIED:
        return assign_few([_weights_in(levels, width) for levels in rows], width)
    prices = _PrimalDual(rows, width, budget)
    prices.settle()
    return _FirstOptimal(prices).columns()


MOST_TRIED = 4  # up to so many rows and columns, trying every assignment is the quickest


def assign_few(weights: list[list[int]], width: int) -> list[int | None]:
    """`assign` by trying every assignment; given are the weights of all columns of each row."""
    size = max(width, len(weights))  # the columns that do not exist stand for no column
    nothing = [0] * (size - width)
    rows = [row + nothing for row in weights]
    most = -1
    best: tuple[int, ...] = ()
    for columns in permutations(range(size), len(rows)):
        total = 0
        for row, column in zip(rows, columns, strict=True):
            total += row[column]
        if total > most:
            most, best = total, columns
    return [column if column < width else None for column in best]


def _weights_in(levels: Levels, width: int) -> list[int]:
    """The weights of all columns of a row."""
    weights = [0] * width
    for weight, columns in levels:
        for column in columns_in(columns):
            weights[column] = weight
    return weights


_STEPS_PER_VISIT = 6  # of a row or a column while a path is searched for
_ASSIGNMENT = "order 'any'"


def levels_of(weights: Iterable[tuple[int, int]]) -> Levels:
    """The levels of a row, from its columns and their weights."""
    found: dict[int, int] = {}
    for column, weight in weights:
        found[weight] = found.get(weight, 0) | 1 << column
    return sorted(found.items(), reverse=True)


# Beyond one column in so many, searching all of them in C is faster.
_SPARSE = 20
_FEW_COLUMNS = 16
_LONG = 500  # columns, from which on an operation on the whole set takes long
_DIGITS = bytes.maketrans(b"01", b"\0\1")
_ONE = ord("1")


def columns_in(columns: int) -> list[int]:
    """The columns of a set, in order."""
    length = columns.bit_length()
    if columns.bit_count() * _SPARSE > length > _FEW_COLUMNS:
        digits = bin(columns)[:1:-1].encode().translate(_DIGITS)
        return list(compress(range(length), digits))
    found: list[int] = []
    if length > _LONG:
        text = bin(columns)[:1:-1]
        column = text.find("1")
        while column >= 0:
            found.append(column)
            column = text.find("1", column + 1)
        return found
    while columns:
        bit = columns & -columns
        found.append(bit.bit_length() - 1)
        columns ^= bit
    return found


def set_of(columns: list[int]) -> int:
    """The set of some columns, as a bit set."""
    if len(columns) <= _FEW_COLUMNS:
        found = 0
        for column in columns:
            found |= 1 << column
        return found
    digits = bytearray(b"0") * (max(columns) + 1)
    for column in columns:
        digits[-1 - column] = _ONE
    return int(digits, 2)


# Which columns a row may have, which row has a column, and the free columns.
_Reach = tuple["Callable[[int], int]", "Callable[[int], int]", int]


def _augmenting_path(root: int, reach: _Reach, unreached: int) -> tuple[list[tuple[int, int]], int]:
    """An augmenting path from a row without a column to a free column.

    Returns the rows that take another column, each with that column (empty if there is no path),
    and the columns that are still unreached.
    """
    may_have, owner, free = reach
    path = [root]
    taken: list[int] = []
    while path:
        open_columns = may_have(path[-1]) & unreached
        if not open_columns:
            path.pop()
            if taken:
                taken.pop()
            continue
        goal = open_columns & free
        step = goal or open_columns
        bit = step & -step
        unreached ^= bit
        taken.append(bit.bit_length() - 1)
        if goal:
            return list(zip(path, taken, strict=True)), unreached
        path.append(owner(taken[-1]))
    return [], unreached


class _PrimalDual:
    """The primal-dual method, with all free rows searching at once.

    Every row and every column has a price, and no pair weighs more than its two prices together.
    A pair that weighs exactly that is tight. An assignment of tight pairs is a heaviest one as soon
    as all rows and columns outside it have price zero. All rows begin at the greatest weight, so
    that those without a column share one price, which only falls.
    """

    def __init__(self, rows: list[Levels], width: int, budget: Budget) -> None:
        self.rows = rows
        self.width = width
        self.budget = budget
        self.free_price = max((levels[0][0] for levels in rows if levels), default=0)
        # The steps of one operation on so many columns, and with such prices.
        self.unit = 1 + (width >> 11) + self.free_price.bit_length() // 500
        self.row_prices = [self.free_price] * len(rows)
        self.columns_at = {0: (1 << width) - 1}  # price -> the columns that have it
        self.column_of = [-1] * len(rows)
        self.row_of = [-1] * width
        self.free_columns = (1 << width) - 1

    def settle(self) -> None:
        """Find prices and tight pairs that prove the assignment to be a heaviest one."""
        everything = (1 << self.width) - 1
        free_rows = list(range(len(self.rows)))
        tight = [self.tight(row) for row in free_rows]
        while free_rows and self.free_price:
            unreached = everything
            still_free: list[int] = []
            for row in free_rows:
                unreached, found = self._augment(row, tight, unreached)
                if not found:
                    still_free.append(row)
            reached = everything ^ unreached
            visited = reached.bit_count() + len(free_rows)
            self.budget.spend(_STEPS_PER_VISIT * visited * self.unit, _ASSIGNMENT)
            if len(still_free) < len(free_rows):
                free_rows = still_free  # search again: columns of the found paths were skipped
                continue
            reached_rows = free_rows + [self.row_of[column] for column in columns_in(reached)]
            levels = sum([len(self.rows[row]) for row in reached_rows])
            steps = len(tight) + levels * (1 + len(self.columns_at)) // 2
            self.budget.spend(steps * self.unit, _ASSIGNMENT)
            self._lower(reached_rows, reached)
            tight = [columns & unreached for columns in tight]
            for row in reached_rows:
                tight[row] = self.tight(row)

    def tight(self, row: int) -> int:
        """The columns that weigh for this row exactly what the two prices say."""
        price = self.row_prices[row]
        columns = 0 if price else self.columns_at.get(0, 0)
        for weight, having in self.rows[row]:
            columns |= having & self.columns_at.get(weight - price, 0)
        return columns

    def _augment(self, root: int, tight: list[int], unreached: int) -> tuple[int, bool]:
        """Walk tight pairs from a free row to a free column, and shift every row on the way."""
        reach = (tight.__getitem__, self.row_of.__getitem__, self.free_columns)
        way, unreached = _augmenting_path(root, reach, unreached)
        for row, column in way:
            self.column_of[row] = column
            self.row_of[column] = row
        if way:
            self.free_columns ^= 1 << way[-1][1]
        return unreached, bool(way)

    def _lower(self, reached_rows: list[int], reached: int) -> None:
        """Lower the reached rows, and raise the reached columns, until another pair is tight."""
        step = min((self._slack(row, reached) for row in reached_rows), default=self.free_price)
        step = min(step, self.free_price)
        self.free_price -= step
        for row in reached_rows:
            self.row_prices[row] -= step
        columns_at: dict[int, int] = {}
        for price, columns in self.columns_at.items():
            split = (price, columns & ~reached), (price + step, columns & reached)
            for new_price, moved in split:
                if moved:
                    columns_at[new_price] = columns_at.get(new_price, 0) | moved
        self.columns_at = columns_at

    def _slack(self, row: int, reached: int) -> int:
        """By how much this row's price can fall before it has a tight pair not yet reached."""
        price = self.row_prices[row]
        least = price
        for weight, having in self.rows[row]:
            open_columns = having & ~reached
            for column_price, columns in self.columns_at.items():
                if price - weight + column_price < least and open_columns & columns:
                    least = price - weight + column_price
        return least


class _FirstOptimal:
    """The first in order of all heaviest assignments.

    Those are exactly the assignments of tight pairs. Rows and columns that weigh nothing fill up
    the square, so that every column has an owner. Then one assignment becomes another if rows pass
    on their columns in a cycle.
    """

    def __init__(self, prices: _PrimalDual) -> None:
        self.height, self.width = len(prices.rows), prices.width
        self.budget, self.unit = prices.budget, prices.unit
        size = max(self.height, self.width)
        spare_columns = ((1 << size) - 1) ^ ((1 << self.width) - 1)
        prices.columns_at[0] = prices.columns_at.get(0, 0) | spare_columns
        self.tight = [prices.tight(row) for row in range(self.height)]
        self.tight += [prices.columns_at[0]] * (size - self.height)
        self.column_of = prices.column_of + [-1] * (size - self.height)
        self.row_of = prices.row_of + [-1] * (size - self.width)
        free_columns = iter(columns_in(prices.free_columns | spare_columns))
        for row, column in enumerate(self.column_of):
            if column < 0:
                self._give(row, next(free_columns))
        self.open_columns = (1 << size) - 1  # those that no earlier row has settled on

    def columns(self) -> list[int | None]:
        """Give each row, in order, the lowest column that it can have."""
        for row in range(self.height):
            self._improve(row)
            self.open_columns ^= 1 << self.column_of[row]
        return [column if column < self.width else None for column in self.column_of[: self.height]]

    def _improve(self, row: int) -> None:
        own = self.column_of[row]
        lower = self.tight[row] & self.open_columns & ((1 << own) - 1)
        dead = 1 << own  # columns from which no cycle leads back to this row's own
        while lower:
            visited = dead.bit_count()
            bit = lower & -lower
            cycle, dead = self._find_cycle(bit.bit_length() - 1, own, dead)
            visited = dead.bit_count() - visited
            self.budget.spend(_STEPS_PER_VISIT * visited * self.unit, _ASSIGNMENT)
            if cycle:
                owners = [row] + [self.row_of[column] for column in cycle]
                for owner, column in zip(owners, [*cycle, own], strict=True):
                    self._give(owner, column)
                return
            lower &= ~dead

    def _find_cycle(self, start: int, own: int, dead: int) -> tuple[list[int], int]:
        """The columns to pass on, from one owner to the next, so that the last can take `own`."""
        path = [start]
        dead |= 1 << start
        while path:
            reach = self.tight[self.row_of[path[-1]]]
            if reach >> own & 1:
                return path, dead
            step = reach & self.open_columns & ~dead
            if step:
                bit = step & -step
                dead |= bit
                path.append(bit.bit_length() - 1)
            else:
                path.pop()
        return path, dead

    def _give(self, row: int, column: int) -> None:
        self.column_of[row] = column
        self.row_of[column] = row


class BipartiteMatching:
    """A one-to-one pairing that only grows: a row that has a column may change it, not lose it."""

    def __init__(
        self, columns: int, fitting: Callable[[int], int], budget: Budget, rule: str
    ) -> None:
        self.columns = self.free = columns
        self._budget = budget
        self._rule = rule
        self.column_of: dict[int, int] = {}
        self._row_of: dict[int, int] = {}
        self._fitting = fitting

    def take(self, row: int, column: int) -> None:
        """Pair a row with a free column that it is known to fit."""
        self.free &= ~(1 << column)
        self._give(row, column)

    def grow(self, rows: list[int]) -> list[int]:
        """Pair as many of these rows as possible, and return those without a partner.

        Rows that were paired by an earlier call stay paired.
        """
        unpaired = [row for row in rows if row not in self.column_of]
        while unpaired:
            unreached = self.columns
            still_alone: list[int] = []
            for row in unpaired:
                unreached, is_paired = self._augment(row, unreached)
                if not is_paired:
                    still_alone.append(row)
            visited = (self.columns ^ unreached).bit_count() + len(unpaired)
            unit = 1 + (self.columns.bit_length() >> 11)
            self._budget.spend(_STEPS_PER_VISIT * visited * unit, self._rule)
            if len(still_alone) == len(unpaired):
                break
            unpaired = still_alone  # search again: columns of the found paths were skipped
        return unpaired

    def _augment(self, root: int, unreached: int) -> tuple[int, bool]:
        """Walk from a row to a free column, and shift every row on the way."""
        reach = (self._fitting, self._row_of.__getitem__, self.free)
        way, unreached = _augmenting_path(root, reach, unreached)
        for row, column in way:
            self._give(row, column)
        if way:
            self.free ^= 1 << way[-1][1]
        return unreached, bool(way)

    def _give(self, row: int, column: int) -> None:
        self.column_of[row] = column
        self._row_of[column] = row
