"""The walk through the actual calls: how many states it has, and that it goes through them."""

from __future__ import annotations

import pytest

from callscore.core.budget import Budget
from callscore.core.call import ToolCall
from callscore.core.call_index import CallIndex
from callscore.core.case import Expected, Group, GroupKind, Times
from callscore.core.groups.interleaving import _build_graph, count_states, solve_by_states
from callscore.core.groups.tree import (
    Rate,
    Subproblem,
    build_tree,
    split_tree,
    weigh_subproblem,
)
from callscore.core.settings import DEFAULT


def call(letter: str) -> ToolCall:
    """One tool for all, so that everything competes."""
    return ToolCall("do", {"what": letter})


def group(kind: GroupKind, *members: Expected | str) -> Group:
    return Group(kind, tuple(call(m) if isinstance(m, str) else m for m in members))


AB, CD = group("in_order", "a", "b"), group("in_order", "c", "d")
EXPECTATIONS: dict[str, tuple[list[Expected], int]] = {
    "a call": ([call("a")], 2),
    "calls in order add up": ([group("in_order", *"abcd")], 5),
    "calls that may interleave multiply": ([call("a"), call("b"), call("c")], 8),
    "calls that are alike only add up": ([call("a"), call("a"), call("a")], 4),
    "groups that may interleave multiply": ([AB, CD], 9),
    "a group without order in one with": ([group("in_order", group("any_order", *"ab"), "c")], 5),
    "alternatives of one call are one call": ([group("one_of", "a", "b", "c")], 2),
    "alternatives share their start and their end": ([group("one_of", AB, CD)], 4),
    "an alternative without calls": ([group("one_of", AB, group("any_order"))], 3),
    "alternatives without order": ([group("one_of", group("any_order", *"ab"), CD)], 5),
    "an optional call": ([group("optional", "a")], 2),
    "an optional group has no further state": ([group("optional", AB)], 3),
    "a repeat counts": ([Times(call("a"), 0, None)], 3),
    "all in all": ([group("one_of", group("any_order", AB, CD), "e"), group("optional", AB)], 27),
}


def puzzle_of(expected: list[Expected]) -> Subproblem:
    # Every letter is made, so that every call has its slot; `a` twice.
    tree = build_tree(tuple(expected), "any", CallIndex(MADE, DEFAULT, Budget()).grades, Budget())
    (puzzle,) = split_tree(tree)
    return puzzle


MADE = tuple(call(letter) for letter in "badcea")


@pytest.mark.parametrize(("expected", "states"), EXPECTATIONS.values(), ids=EXPECTATIONS)
def test_the_states_are_as_many_as_measured(expected: list[Expected], states: int) -> None:
    puzzle = puzzle_of(expected)
    walk = _build_graph(puzzle.part, puzzle)

    extent = count_states(puzzle.part, puzzle)

    assert extent.states == walk.states == states
    assert extent.steps >= sum(len(step.places) for step in walk.takes + walk.passes) / 2


@pytest.mark.parametrize("expected", [e for e, _ in EXPECTATIONS.values()], ids=EXPECTATIONS)
def test_every_step_leads_to_a_higher_state(expected: list[Expected]) -> None:
    puzzle = puzzle_of(expected)

    walk = _build_graph(puzzle.part, puzzle)

    for step in walk.takes + walk.passes:
        ends = [place + step.end for place in step.places]
        assert 0 <= step.start < step.end
        assert max(ends) < walk.states


@pytest.mark.parametrize(
    ("made", "columns"),
    [
        ("cab", [1, 2, 0, None]),
        ("dbaxc", [0, 1, 4, None]),  # two are right, three are paired, and `a` has the first
        ("xxxx", [0, 1, 2, 3]),  # nothing is right, and so it is the first in order
        ("", None),
    ],
)
def test_the_best_pairing_can_be_read_off_the_worth_of_the_last_state(
    made: str, columns: list[int | None] | None
) -> None:
    actual = tuple(call(letter) for letter in made)
    tree = build_tree((AB, CD), "any", CallIndex(actual, DEFAULT, Budget()).grades, Budget())

    found = [
        solve_by_states(puzzle, weigh_subproblem(puzzle, tree.slots, Rate(1, 1)))
        for puzzle in split_tree(tree)
    ]

    assert found == ([columns] if columns else [])
