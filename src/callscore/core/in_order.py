"""The best pairing in which no two pairs cross: the calls were made in the expected order.

Dynamic programming over rows, the expected calls, and columns, the actual calls, both from the last
to the first. A row has the worth of the best pairing of all that follows it, for each number of
columns that are left. Only one row of worths exists at a time, and a copy of it for every block of
rows; the choices of a block are computed again from that copy when the pairing is read off.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import add, eq, ne
from typing import TYPE_CHECKING, NamedTuple

from callscore.core.assignment import Levels, columns_in, set_of
from callscore.core.call_index import PairWeights, Weigher

if TYPE_CHECKING:
    from callscore.core.budget import Budget
    from callscore.core.call import ToolCall
    from callscore.core.rates import FreeAt
    from callscore.core.settings import Settings

# Positions of an expected and of an actual call, and whether they make a correct pair.
Match = tuple[int, int, bool]

_BLOCK = 1024  # rows
# Up to this share of the columns, handling them one by one is faster than all of them at once.
_SPARSE = 8
_MAX_UNESTIMATED_PAIRS = 1_000_000
_IN_ORDER = "order 'in_order'"


def match_in_order(  # noqa: PLR0913  (what the best pairing depends on)
    expected: Sequence[ToolCall],
    actual: Sequence[ToolCall],
    start: int,
    settings: Settings,
    budget: Budget,
    *,
    at: FreeAt | None = None,
) -> list[Match]:
    """The best pairing without crossings of the calls from `start` on, the first of several.

    `at` says which of the actual calls from `start` on are free, if only some are.

    Raises:
        OverBudget: that takes too many steps.
    """
    rows, columns = expected[start:], actual[start:]
    width = len(columns)
    made = Counter([call.name for call in columns])
    steps = sum([_row_steps(made[call.name], width) for call in rows])
    if len(rows) * width > _MAX_UNESTIMATED_PAIRS and steps > budget.left:
        budget.spend(steps, _IN_ORDER)  # refuse it before any calls are compared
    if at is not None:  # the columns are counted from the last
        at = int(f"{at[0]:0{width}b}"[::-1], 2), at[1]
    weigher = Weigher(rows, columns[::-1], settings, budget, at)
    worths = _Worths(width, pairs=len(rows))
    blocks = [range(at, min(at + _BLOCK, len(rows))) for at in range(0, len(rows), _BLOCK)]
    copies: list[Sequence[int]] = []
    for block in blocks[:0:-1]:
        copies.append(_copy_of(worths.row))
        for position in reversed(block):
            worths.add(weigher.row(position))
    found: list[Match] = []
    for block in blocks:
        is_first = not block.start
        worths.restart(worths.row if is_first else copies.pop())
        choices = [
            worths.add_and_choose(weigher.row(position, is_first=is_first))
            for position in reversed(block)
        ]
        if is_first:
            budget.spend(steps, _IN_ORDER)
        for position, column, is_correct in _follow(block, choices, worths):
            found.append((start + position, start + width - 1 - column, is_correct))
    return found


def _follow(block: range, choices: list[_Choices], worths: _Worths) -> Iterator[Match]:
    """Read off the pairs of a block of rows; columns are counted from the last."""
    for position in block:
        choice = choices.pop()
        column = choice.first_of(worths.left)
        if column >= 0:
            yield position, column, bool(choice.correct >> column & 1)
            worths.left = column


def _row_steps(pairs: int, width: int) -> int:
    """The steps for a row with this number of pairs."""
    if not pairs:
        return 1
    return 10 * pairs + width // 3 if pairs * _SPARSE < width else width


def _copy_of(worths: list[int]) -> Sequence[int]:
    """The worths in as little memory as possible."""
    try:
        return array("q", worths)
    except OverflowError:
        return worths[:]


class _Choices(NamedTuple):
    """What a row may choose in a best pairing, for any number of columns that are left.

    Columns are counted from the last, so that those that are left come before all others.

    Attributes:
        taken: the columns that it takes if nothing better comes before them.
        changes: the columns with which the worth of the best pairing changes.
        correct: the columns that make a correct pair.
    """

    taken: int
    changes: int
    correct: int

    def first_of(self, left: int) -> int:
        """The first column, the highest, that the row takes of those that are left; -1 if none."""
        open_columns = (1 << left) - 1
        found = (self.taken & open_columns).bit_length()
        # Without the columns from a change on, the best pairing is worth less.
        return found - 1 if found >= (self.changes & open_columns).bit_length() else -1


_NO_CHOICES = _Choices(0, 0, 0)
# Up to this many columns, handling them one by one is faster in any case.
_FEW_COLUMNS = 32


class _Worths:
    """The worth of the best pairing of some rows, for each number of columns that are left.

    Rows are added from the last to the first. The worth never falls from one number of columns to
    the next, so it can be bisected.
    """

    def __init__(self, width: int, *, pairs: int) -> None:
        self.left = width
        self.row = [0] * (width + 1)
        self._more_pairs = pairs + 1  # so that the number of pairs decides last
        self._changes = 0
        self._columns: dict[int, list[int]] = {}  # of each tool

    def restart(self, row: Sequence[int]) -> None:
        """Begin with these worths again, with the columns that are left."""
        self.row = list(row[: self.left + 1])
        self._changes = _changes_in(self.row)

    def add(self, weights: PairWeights) -> None:
        """Add a row."""
        self._add(weights, is_choosing=False)

    def add_and_choose(self, weights: PairWeights) -> _Choices:
        """Add a row, and return what it may choose."""
        taken = self._add(weights, is_choosing=True)
        return _Choices(taken, self._changes, weights.correct & taken) if taken else _NO_CHOICES

    def _add(self, weights: PairWeights, *, is_choosing: bool) -> int:
        open_columns = (1 << self.left) - 1
        possible = weights.same_tool & open_columns
        if not possible:
            return 0
        levels = [
            (worth * self._more_pairs + 1, columns & open_columns)
            for worth, columns in weights.levels
        ]
        if self.left <= _FEW_COLUMNS or possible.bit_count() * _SPARSE < self.left:
            return self._add_one_by_one(levels, weights.same_tool, is_choosing=is_choosing)
        return self._add_at_once(levels, possible, is_choosing=is_choosing)

    def _add_one_by_one(self, levels: Levels, same_tool: int, *, is_choosing: bool) -> int:
        row = self.row
        taken: list[int] = []
        best = start = (
            0  # of the worths that are not written yet, because others are compared first
        )
        for column, worth in self._pairs(levels, same_tool):
            value = row[column] + worth
            rest = row[column + 1]
            if value < best or value < rest:
                continue
            taken.append(column)
            if value > best and value > rest:
                if best:
                    self._write(best, start, column + 1, is_choosing=is_choosing)
                best, start = value, column + 1
        if best:
            self._write(best, start, self.left + 1, is_choosing=is_choosing)
        return set_of(taken) if is_choosing else 0

    def _pairs(self, levels: Levels, same_tool: int) -> Iterable[tuple[int, int]]:
        """The columns that are left and can make a pair, in order, and their worth."""
        columns = self._columns.get(same_tool)
        if columns is None:
            columns = self._columns[same_tool] = columns_in(same_tool)
        worths = dict.fromkeys(columns[: bisect_left(columns, self.left)], 1)
        for worth, having in levels:
            for column in columns_in(having):
                worths[column] = worth
        return worths.items()

    def _write(self, worth: int, start: int, stop: int, *, is_choosing: bool) -> None:
        """Let no worth from start to stop be less than this one."""
        row = self.row
        end = bisect_left(row, worth, start, stop)
        row[start:end] = [worth] * (end - start)
        if is_choosing:
            changes = self._changes & ~(((1 << end - start) - 1) << start)
            if end <= self.left and row[end] != worth:
                changes |= 1 << end - 1
            self._changes = changes | 1 << start - 1

    def _add_at_once(self, levels: Levels, possible: int, *, is_choosing: bool) -> int:
        for _, columns in levels:
            possible &= ~columns
        levels.append((1, possible))
        pairs = list(map(add, self.row, _spread(levels, self.left)))
        best = 0
        here = [0]
        here += [  # not max(): this is the innermost loop
            best if pair <= best and rest <= best else (best := pair if pair > rest else rest)  # noqa: FURB136  (hot)
            for pair, rest in zip(pairs, islice(self.row, 1, None), strict=True)
        ]
        self.row = here
        if not is_choosing:
            return 0
        self._changes = _changes_in(here)
        return _set_from(bytes(map(eq, pairs, islice(here, 1, None))))


_MAX_NUMBERED = 255
_FLAGS = bytes.maketrans(b"01", b"\0\1")


def _spread(levels: Levels, width: int) -> list[int]:
    """The worth of each column; a negative one, which is never taken, for those that make no pair."""
    worths = [-1]
    numbers = 0  # one byte for each column: the number of its level
    for worth, columns in levels[:_MAX_NUMBERED]:
        flags = f"{columns:b}".encode().translate(_FLAGS)
        numbers += len(worths) * int.from_bytes(flags, "big")
        worths.append(worth)
    found = list(map(worths.__getitem__, numbers.to_bytes(width, "little")))
    for worth, columns in levels[_MAX_NUMBERED:]:
        for column in columns_in(columns):
            found[column] = worth
    return found


def _changes_in(worths: list[int]) -> int:
    """The columns with which the worth changes."""
    return _set_from(bytes(map(ne, worths, islice(worths, 1, None))))


_DIGITS = bytes.maketrans(b"\0\1", b"01")


def _set_from(flags: bytes) -> int:
    """The set of the columns whose flag is set."""
    return int(flags[::-1].translate(_DIGITS) or b"0", 2)
