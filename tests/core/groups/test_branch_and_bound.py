"""The search that puts rules back where they are broken, against the walk that tries everything."""

from __future__ import annotations

from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from callscore.core.budget import Budget
from callscore.core.call import ToolCall
from callscore.core.call_index import CallIndex
from callscore.core.case import Expected, Group, GroupKind, Times
from callscore.core.groups.branch_and_bound import solve_by_branching
from callscore.core.groups.interleaving import solve_by_states
from callscore.core.groups.tree import (
    Subproblem,
    Worth,
    build_tree,
    split_tree,
    weigh_subproblem,
)
from callscore.core.rates import Rate
from callscore.core.settings import Mode, Settings

RATES = [Rate(0, 1), Rate(0, 1, allows_optional=False), Rate(1, 3), Rate(4, 5), Rate(1, 1)]
STRICT, FLEXIBLE = Settings(), Settings(mode=Mode.FLEXIBLE, argument_match_threshold=0.5)


def puzzles(
    expected: list[Expected], actual: list[ToolCall], settings: Settings, rate: Rate
) -> list[tuple[Subproblem, Worth]]:
    grades = CallIndex(actual, settings, Budget()).grades
    free = 0b101  # so that calls cost differently
    tree = build_tree(tuple(expected), "any", grades, Budget(), free)
    return [(puzzle, weigh_subproblem(puzzle, tree.slots, rate)) for puzzle in split_tree(tree)]


def call(letter: str) -> ToolCall:
    """One tool for all, so that everything competes."""
    return ToolCall("do", {"what": letter})


def group(kind: GroupKind, *members: Group | str) -> Group:
    return Group(kind, tuple(call(m) if isinstance(m, str) else m for m in members))


def narrowed(
    expected: list[Expected], made: str, rate: Rate = RATES[-1], steps: int = 100_000
) -> list[int | None] | None:
    """The columns that the rows of the only puzzle take."""
    ((puzzle, worth),) = puzzles(expected, [call(letter) for letter in made], STRICT, rate)
    return solve_by_branching(puzzle, worth, Budget(), steps)


CALLS = st.builds(
    ToolCall,
    st.sampled_from(["do", "do", "say"]),
    st.fixed_dictionaries({"a": st.integers(0, 2), "b": st.integers(0, 1)}),
)
LEAVES = CALLS | CALLS | CALLS | st.builds(Times, CALLS, st.integers(0, 1), st.none())


def groups(inner: st.SearchStrategy[Expected]) -> st.SearchStrategy[Expected]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    kinds = st.sampled_from(["in_order", "in_order", "any_order", "one_of"])
    optional = st.builds(Group, st.just("optional"), st.tuples(inner))
    return st.builds(Group, kinds, several) | optional


@examples(max_examples=150)
@given(
    st.lists(LEAVES | groups(LEAVES | groups(LEAVES)), min_size=2, max_size=4),
    st.lists(CALLS, min_size=2, max_size=8),
    st.sampled_from([STRICT, FLEXIBLE]),
    st.sampled_from(RATES),
)
def test_the_search_finds_what_the_walk_finds(
    expected: list[Expected], actual: list[ToolCall], settings: Settings, rate: Rate
) -> None:
    for puzzle, worth in puzzles(expected, actual, settings, rate):
        assert solve_by_branching(puzzle, worth, Budget(10**12), 10**12) == solve_by_states(
            puzzle, worth
        )


def test_a_search_that_takes_too_long_is_given_up() -> None:
    expected: list[Expected] = [group("in_order", "a", "b", "c")]

    assert narrowed(expected, "cba", steps=0) is None
    assert narrowed(expected, "cba", steps=400) is None
    assert narrowed(expected, "cba", steps=4000) == [0, 1, 2]


def test_only_one_of_several_alternatives_takes_columns() -> None:
    either = group("one_of", group("any_order", "a", "b"), group("in_order", "c", "a"))

    assert narrowed([either], "ab") == [0, 1, None, None]
    assert narrowed([either], "ca") == [None, None, 0, 1]


def test_inside_the_chosen_alternative_the_order_holds() -> None:
    either = group("one_of", group("in_order", "a", "b"), group("in_order", "c", "d"))

    assert narrowed([either], "ba") == [1, None, None, None]
    assert narrowed([either], "dca") == [None, None, 1, 2]
