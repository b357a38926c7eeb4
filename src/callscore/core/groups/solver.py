"""The best pairing if groups, alternatives, optional calls or repeats are expected.

Of all choices and all pairings that the groups allow, it has the highest F1; then the most correct
pairs, the most equal pairs, the greatest total overlap, the most pairs; then the first
alternatives; and then it is the first in order, as in `pairing`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from callscore.core.budget import MAX_STEPS, Budget, OverBudget
from callscore.core.groups.branch_and_bound import solve_by_branching
from callscore.core.groups.interleaving import Extent, count_states, count_steps, solve_by_states
from callscore.core.groups.tree import (
    GROUPS,
    NO_SLOT,
    Grader,
    Node,
    Slot,
    Subproblem,
    Tree,
    build_tree,
    split_tree,
    weigh_subproblem,
)
from callscore.core.rates import Counts, Rate, best_at_any_rate

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.core.case import Expected
    from callscore.core.settings import Settings

_BITS_PER_STEP = 200  # of the worth of a pair


class GroupPairing(NamedTuple):
    """The expected calls that count, and what they are paired with.

    Attributes:
        calls: the expected calls, in the order as written: of alternatives the chosen one, of
            optional calls those that were made, of repeats as many as were made or must be.
        matches: the positions of an expected and of an actual call, and whether they make a correct
            pair; in the order of the expected calls.
    """

    calls: tuple[ToolCall, ...]
    matches: list[tuple[int, int, bool]]


def match_groups(  # noqa: PLR0913  (what the best pairing depends on)
    expected: tuple[Expected, ...],
    actual: tuple[ToolCall, ...],
    settings: Settings,
    grade: Grader,
    budget: Budget,
    *,
    free: int = 0,
    beside: Counts = (0, 0),
) -> GroupPairing:
    """The best pairing, with all choices made; `Settings.order` applies to the outermost list.

    `free` are the positions of the actual calls that cost nothing unless they are correct, as a bit
    set. `beside` says what else the case counts: how many are correct, and how many count.

    Raises:
        InvalidCall: groups can interleave in too many ways, or are nested too deeply.
    """
    matching = _GroupMatcher(build_tree(expected, settings.order, grade, budget, free), budget)
    always = len(actual) - free.bit_count() + beside[1]

    def counts(grouped: GroupPairing) -> Counts:
        correct = [column for _, column, is_correct in grouped.matches if is_correct]
        counted = sum([free >> column & 1 for column in correct])
        return len(correct) + beside[0], len(grouped.calls) + always + counted

    grouped, rate = best_at_any_rate(matching.best, counts)
    # Nothing is correct, so no optional group was made, and none may be paired.
    return grouped if rate.part else matching.best(Rate(0, 1, allows_optional=False))


class _GroupMatcher:
    """Finds the best pairing at a given rate; what does not depend on the rate is kept."""

    def __init__(self, tree: Tree, budget: Budget) -> None:
        self.tree = tree
        self.budget = budget
        self.subproblems = [
            (subproblem, count_states(subproblem.part, subproblem))
            for subproblem in split_tree(tree)
        ]
        self.known: dict[int, dict[int, int]] = {}

    def best(self, rate: Rate) -> GroupPairing:
        """The pairing that is worth most at a rate."""
        taken: dict[int, int] = {}  # the slots, and the positions of the calls that take them
        for number, (subproblem, extent) in enumerate(self.subproblems):
            found = self.known.get(number)
            if found is None:
                found = _solve(subproblem, extent, self.tree.slots, rate, self.budget)
                if subproblem.is_fixed:  # the same at any rate
                    self.known[number] = found
            taken.update(found)
        calls: list[ToolCall] = []
        matches: list[tuple[int, int, bool]] = []
        for call, slot in _ChosenCalls(self.tree, taken, rate).calls(self.tree.root):
            position = taken.get(slot)
            if position is not None:
                is_correct = self.tree.slots[slot].grades[position][0]
                matches.append((len(calls), position, is_correct))
            calls.append(call)
        return GroupPairing(tuple(calls), matches)


def _solve(
    subproblem: Subproblem, extent: Extent, slots: list[Slot], rate: Rate, budget: Budget
) -> dict[int, int]:
    """The slots of a subproblem that are taken, and the positions of the calls that take them."""
    size = len(subproblem.rows) * len(subproblem.columns)
    budget.spend(size * (1 + subproblem.choices.bit_length() // _BITS_PER_STEP), GROUPS)
    worth = weigh_subproblem(subproblem, slots, rate)
    steps = count_steps(extent, subproblem)
    # All states take a known number of steps. Assignments take fewer, or more.
    try:
        columns = solve_by_branching(subproblem, worth, budget, min(steps, budget.left))
    except OverBudget:
        columns = None
    if columns is None and steps > budget.left:
        problem = (
            "groups that expect the same tools can interleave in too many ways: the best pairing"
            f" takes more than {MAX_STEPS:,} steps"
        )
        advice = "Specify more of their order with 'in_order', or split the case"
        raise OverBudget(f"{extent.path}: {problem}. {advice}.")
    if columns is None:
        budget.spend(steps, GROUPS)
        columns = solve_by_states(subproblem, worth)
    return {
        worth.slots[row].get(column, subproblem.rows[row][0].slot): subproblem.columns[column]
        for row, column in enumerate(columns)
        if column is not None
    }


class _ChosenCalls(NamedTuple):
    """Finds the expected calls that count, given the slots that are taken."""

    tree: Tree
    taken: dict[int, int]
    rate: Rate

    def calls(self, node: Node) -> Iterator[tuple[ToolCall, int]]:
        """The calls that count, in the order as written, each with its slot if it has one."""
        if node.call is not None:
            yield from [(node.call, slot) for slot in self._slots(node)]
        elif node.kind != "optional" or self._is_taken(node):
            members = node.members
            if node.kind == "one_of" and members:
                members = (self._choice(node),)
            for member in members:
                yield from self.calls(member)

    def _slots(self, node: Node) -> list[int]:
        slots = range(node.first, node.last)
        required = [slot for slot in slots if not self.tree.slots[slot].is_extra]
        unmade = [NO_SLOT] * (node.owed - len(required))
        return required + unmade + [slot for slot in slots[len(required) :] if slot in self.taken]

    def _choice(self, node: Node) -> Node:
        for member in node.members:
            if self._is_taken(member):
                return member
        # None was made. Unless F1 is zero, the one that expects the fewest calls counts.
        return min(node.members, key=lambda member: member.owed if self.rate.part else 0)

    def _is_taken(self, node: Node) -> bool:
        return any(slot in self.taken for slot in range(node.first, node.last))
