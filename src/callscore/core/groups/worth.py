"""What the pairs of a subproblem are worth, as integers that add up.

F1 is a ratio, 2 * correct / (expected + actual), so the best one cannot be found by adding. But at a
given rate, `2 * correct - rate * expected` can; where the best of these sums is that of a pairing
whose F1 is the rate itself, no other pairing has a higher F1. Each integer carries the whole order
of preference, like digits: that sum, then correct pairs, equal pairs, overlap, the number of pairs,
and the alternatives that stand first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from callscore.core.groups.tree import NO_SLOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.arguments import Grade
    from callscore.core.groups.tree import Option, Part, Slot, Subproblem

__all__ = ["Rate", "Worth", "weigh_subproblem"]


class Rate(NamedTuple):
    """The F1 that is tried, as a fraction, and whether optional groups may count at all."""

    part: int
    whole: int
    allows_optional: bool = True


class Worth(NamedTuple):
    """The worth of the pairs of a subproblem at a rate.

    Attributes:
        alone: of each row, what it is worth without a column; never more than nothing.
        gains: of each row, how much more it is worth with a column; always more than nothing.
        slots: of each row that can be several slots, which one it is with a column.
        debt: what a call is worth that is expected and was not made.
    """

    alone: list[int]
    gains: list[dict[int, int]]
    slots: list[dict[int, int]]
    debt: int

    def base(self, part: Part) -> int:
        """What a part is worth with nothing paired, apart from the choices inside it."""
        own = part.owed * self.debt
        if part.kind == "row":
            return self.alone[part.first] + own
        if part.kind in ("one_of", "optional"):
            return own
        return own + sum([self.base(member) for member in part.members])


def weigh_subproblem(subproblem: Subproblem, slots: Sequence[Slot], rate: Rate) -> Worth:
    """The worth of every possible pair of a subproblem at a rate."""
    values = _SlotValues(subproblem, slots, rate)
    worth = Worth([], [], [], values.debt)
    taken: dict[int, int]
    for options in subproblem.rows:
        if len(options) == 1:  # most are, and those that are alike share what they gain
            alone, gains, taken = values.alone(options[0]), values.gains(options[0]), {}
        else:
            alone, gains, taken = values.best(options)
        worth.alone.append(alone)
        worth.gains.append(gains)
        worth.slots.append(taken)
    return worth


class _SlotValues:
    """What a slot is worth with each column, in units of which one outweighs all smaller ones."""

    def __init__(self, subproblem: Subproblem, slots: Sequence[Slot], rate: Rate) -> None:
        most = min(len(subproblem.rows), len(subproblem.columns)) + 1
        self.slots = slots
        self.rate = rate
        self.scale = subproblem.scale
        self.pair = subproblem.choices
        self.overlap = self.pair * most
        self.equal = self.overlap * (self.scale * most + 1)
        self.correct = self.equal * most
        self.first = self.correct * most
        self.debt = -rate.part * self.first
        self.column_of = {position: column for column, position in enumerate(subproblem.columns)}
        self.known: dict[int, dict[int, int]] = {}  # by identity: repeats share their slots

    def best(self, options: Sequence[Option]) -> tuple[int, dict[int, int], dict[int, int]]:
        """Of a row that can be several slots: its worth alone, its gains, and which it then is."""
        alone = max([self.alone(option) for option in options])
        gains: dict[int, int] = {}
        taken: dict[int, int] = {}
        for option in options:
            more = self.alone(option) - alone
            for column, value in self.gains(option).items():
                if value + more > gains.get(column, 0):
                    gains[column] = value + more
                    taken[column] = option.slot
        return alone, gains, taken

    def alone(self, option: Option) -> int:
        """The worth of a row without a column, if it is used like this."""
        return self.debt * option.owed + option.rank

    def gains(self, option: Option) -> dict[int, int]:
        """How much more it is worth with each column that may take its slot."""
        if option.slot == NO_SLOT:
            return {}
        slot = self.slots[option.slot]
        if slot.is_in_optional and not self.rate.allows_optional:
            return {}
        found = self.known.get(id(slot))
        if found is None:
            found = self.known[id(slot)] = self._gains(slot)
        return found

    def _gains(self, slot: Slot) -> dict[int, int]:
        extra = self.debt if slot.is_extra else 0  # it counts as expected only once it is taken
        by_grade = {grade: self._of(grade) + extra for grade in set(slot.grades.values())}
        return {self.column_of[place]: by_grade[grade] for place, grade in slot.grades.items()}

    def _of(self, grade: Grade) -> int:
        is_correct, is_equal, part, whole = grade
        value = part * (self.scale // whole) * self.overlap + self.pair
        if is_correct:
            value += 2 * self.rate.whole * self.first + self.correct
        return value + self.equal if is_equal else value
