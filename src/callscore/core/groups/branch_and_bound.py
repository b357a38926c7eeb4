"""Solves a subproblem by branch and bound, with an assignment as the relaxation.

Without order and without alternatives a subproblem is an assignment. If the best assignment keeps
all constraints of the groups, it is the best pairing. Otherwise the subproblem is split by a broken
constraint: either the border between two members in order is before a column, or it is after it;
either one alternative is chosen, or another. The most promising branch is solved next.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import accumulate, count
from typing import TYPE_CHECKING, NamedTuple

from callscore.core.assignment import Levels, assign, levels_of
from callscore.core.groups.tree import GROUPS, Part, Subproblem, Worth

if TYPE_CHECKING:
    from callscore.core.budget import Budget

_STEPS_PER_LINE = 4
_BITS_PER_STEP = 500
_STEPS_PER_TRY = 60  # for each row and each column


class _Branch(NamedTuple):
    """A subproblem with some decisions already made.

    Attributes:
        open_columns: for each row, the columns that it may still take, as a bit set.
        chosen: the chosen member of a group, by the number of the group; for an optional group 0
            if it counts and -1 if it does not.
    """

    open_columns: tuple[int, ...]
    chosen: dict[int, int]


def solve_by_branching(
    subproblem: Subproblem, worth: Worth, budget: Budget, steps: int
) -> list[int | None] | None:
    """The column of each row, or None, in the best pairing; None if that takes more steps.

    Of several it is the first: row 0 has the lowest column that it has in any of them, and so on.

    Raises:
        OverBudget: nothing is left of the budget.
    """
    if steps < _STEPS_PER_TRY * (len(subproblem.rows) + len(subproblem.columns)):
        return None
    search = _Search(subproblem, worth, budget)
    least = budget.left - steps
    everything = (1 << search.width) - 1
    pending = [search.solved(_Branch((everything,) * len(subproblem.rows), {}))]
    while budget.left >= least:
        _, columns, _, branch = heappop(pending)
        split = search.split(subproblem.part, columns, branch)
        if split is None:
            return [column if column < search.width else None for column in columns]
        for part in split:
            heappush(pending, search.solved(part))
    return None


# An upper bound of its worth, negated; the columns of the rows; a unique number.
_SolvedBranch = tuple[int, tuple[int, ...], int, _Branch]


class _Search:
    def __init__(self, subproblem: Subproblem, worth: Worth, budget: Budget) -> None:
        self.part = subproblem.part
        self.budget = budget
        self.worth = worth
        self.width = len(subproblem.columns)  # also the column of rows that have none
        different = {id(gains): gains for gains in worth.gains}  # equal rows share their gains
        known = {number: levels_of(gains.items()) for number, gains in different.items()}
        self.levels = [known[id(gains)] for gains in worth.gains]
        # Each row has a spare column of its own; the bonus makes it prefer that one to a column that
        # is worth nothing to it.
        self.bonus = sum([levels[0][0] for levels in self.levels if levels]) + 1
        self.numbers = count(1)
        # Of one try, without its assignment: the rows are prepared, and the parts are searched.
        lines = 2 * len(self.levels) + sum(map(len, self.levels))
        unit = 1 + (self.width >> 11) + self.bonus.bit_length() // _BITS_PER_STEP
        self.steps = _STEPS_PER_LINE * lines * unit

    def solved(self, branch: _Branch) -> _SolvedBranch:
        """The best assignment of a subproblem, ignoring the constraints of its groups."""
        self.budget.spend(self.steps, GROUPS)
        rows: list[Levels] = []
        for row, (levels, open_columns) in enumerate(
            zip(self.levels, branch.open_columns, strict=True)
        ):
            open_levels = [
                (gain + self.bonus, columns & open_columns)
                for gain, columns in levels
                if columns & open_columns
            ]
            rows.append([*open_levels, (self.bonus, 1 << self.width + row)])
        assigned = assign(rows, self.width + len(rows), self.budget)
        columns = [min(column, self.width) for column in assigned if column is not None]
        value = self._base(self.part, branch.chosen)
        value += sum(
            gains.get(column, 0) for gains, column in zip(self.worth.gains, columns, strict=True)
        )
        return -value, tuple(columns), next(self.numbers), branch

    def split(self, part: Part, columns: tuple[int, ...], branch: _Branch) -> list[_Branch] | None:
        """Branches that together cover all valid solutions; None if no constraint is broken."""
        if part.kind == "one_of":
            return self._split_choice(part, columns, branch)
        if part.kind == "optional":
            return self._split_optional(part, columns, branch)
        for member in part.members:
            found = self.split(member, columns, branch)
            if found is not None:
                return found
        return self._split_border(part, columns, branch) if part.kind == "in_order" else None

    def _split_choice(
        self, part: Part, columns: tuple[int, ...], branch: _Branch
    ) -> list[_Branch] | None:
        choice = branch.chosen.get(part.number)
        if choice is None:
            worths = self._worths(part, branch.chosen)
            choice = worths.index(max(worths))
            others = part.members[:choice] + part.members[choice + 1 :]
            if any(self._has_column(member, columns) for member in others):
                return [_choose(part, number, branch) for number in range(len(part.members))]
        return self.split(part.members[choice], columns, branch)

    def _split_optional(
        self, part: Part, columns: tuple[int, ...], branch: _Branch
    ) -> list[_Branch] | None:
        if not self._has_column(part, columns):
            return None
        (member,) = part.members
        if part.number not in branch.chosen and self._base(member, branch.chosen):
            return [_choose(part, number, branch) for number in (0, -1)]
        return self.split(member, columns, branch)

    def _split_border(
        self, part: Part, columns: tuple[int, ...], branch: _Branch
    ) -> list[_Branch] | None:
        """Split by the border between two members that are out of order."""
        spans = [self._span(member, columns) for member in part.members]
        ends = list(accumulate([end for _, end in spans], max))
        starts = list(accumulate([start for start, _ in reversed(spans)], min))[::-1]
        excess = [end - start for end, start in zip(ends[:-1], starts[1:], strict=True)]
        worst = max(excess)
        if worst < 0:
            return None
        border = excess.index(worst)
        column = (ends[border] + starts[border + 1] + 1) // 2
        row = part.members[border].last
        before, after = (1 << column) - 1, -1 << column + 1
        return [
            _restrict(branch, range(part.first, row), before),
            _restrict(branch, range(row, part.last), after),
        ]

    def _span(self, part: Part, columns: tuple[int, ...]) -> tuple[int, int]:
        """The first and the last column that a part has taken."""
        taken = [column for column in columns[part.first : part.last] if column < self.width]
        return (min(taken), max(taken)) if taken else (self.width, -1)

    def _has_column(self, part: Part, columns: tuple[int, ...]) -> bool:
        return any(column < self.width for column in columns[part.first : part.last])

    def _base(self, part: Part, chosen: dict[int, int]) -> int:
        """The greatest worth of a part with nothing paired."""
        own = part.owed * self.worth.debt
        if part.kind == "row":
            return own + self.worth.alone[part.first]
        if part.kind == "one_of":
            worths = self._worths(part, chosen)
            choice = chosen.get(part.number)
            return own + (max(worths) if choice is None else worths[choice])
        if part.kind == "optional" and chosen.get(part.number, -1) < 0:
            return own
        return own + sum([self._base(member, chosen) for member in part.members])

    def _worths(self, part: Part, chosen: dict[int, int]) -> list[int]:
        return [
            rank + self._base(member, chosen)
            for rank, member in zip(part.ranks, part.members, strict=True)
        ]


def _choose(part: Part, choice: int, branch: _Branch) -> _Branch:
    """The subproblem in which one member counts, and the others have no columns."""
    for number, member in enumerate(part.members):
        if number != choice:
            branch = _restrict(branch, range(member.first, member.last), 0)
    return branch._replace(chosen={**branch.chosen, part.number: choice})


def _restrict(branch: _Branch, rows: range, columns: int) -> _Branch:
    """The subproblem in which these rows are limited to these columns."""
    kept = list(branch.open_columns)
    for row in rows:
        kept[row] &= columns
    return branch._replace(open_columns=tuple(kept))
