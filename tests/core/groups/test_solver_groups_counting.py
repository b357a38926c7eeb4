"""How groups, alternatives, options and repeats count: the rules one by one."""

from __future__ import annotations

import pytest

from callscore.core.budget import MAX_STEPS, Budget
from callscore.core.call import ToolCall
from callscore.core.call_index import CallIndex
from callscore.core.case import Expected, Forbidden, Group, GroupKind, Times, calls_in
from callscore.core.groups.solver import match_groups
from callscore.core.settings import Order, Settings
from callscore.errors import InvalidCall

SEARCH, OPEN, BOOK, PAY = (ToolCall(name, {}) for name in ("search", "open", "book", "pay"))
WRONG = ToolCall("search", {"x": 1})


def group(kind: GroupKind, *members: Expected) -> Group:
    return Group(kind, members)


def names(
    expected: list[Expected],
    actual: list[ToolCall],
    order: Order = "any",
    steps: int = MAX_STEPS,
) -> tuple[list[str], list[tuple[int, int, bool]]]:
    """The names of the calls that count, and the pairs."""
    settings = Settings(order=order)
    budget = Budget(steps)
    grades = CallIndex(actual, settings, budget).grades
    found = match_groups(tuple(expected), tuple(actual), settings, grades, budget)
    return [call.name for call in found.calls], found.matches


def test_an_optional_call_that_was_not_made_is_not_expected() -> None:
    assert names([group("optional", SEARCH), BOOK], [BOOK]) == (["book"], [(0, 0, True)])


def test_an_optional_call_that_was_made_is_expected() -> None:
    calls, pairs = names([group("optional", SEARCH), BOOK], [SEARCH, BOOK])

    assert calls == ["search", "book"]
    assert pairs == [(0, 0, True), (1, 1, True)]


def test_an_optional_call_that_was_made_wrongly_is_extra_and_not_expected() -> None:
    assert names([group("optional", SEARCH), BOOK], [WRONG, BOOK]) == (["book"], [(0, 1, True)])


def test_an_optional_group_counts_as_a_whole_where_that_gives_the_higher_f1() -> None:
    lookup = group("optional", group("in_order", SEARCH, OPEN, PAY, PAY))

    assert len(names([lookup, BOOK], [SEARCH, OPEN, BOOK])[0]) == 5  # 6 / 8, and not 2 / 4
    assert len(names([lookup, BOOK], [SEARCH, BOOK])[0]) == 1  # 2 / 3, and not 4 / 7


def test_an_optional_group_does_not_count_where_nothing_in_it_is_correct() -> None:
    lookup = group("optional", group("any_order", SEARCH, OPEN))

    assert names([lookup, BOOK], [WRONG, BOOK]) == (["book"], [(0, 1, True)])
    assert names([lookup, BOOK], [WRONG]) == (["book"], [])


def test_an_optional_repeat_counts_from_its_minimum_on_or_not_at_all() -> None:
    twice = group("optional", Times(SEARCH, 2, 3))

    assert names([twice, BOOK], [BOOK])[0] == ["book"]
    assert names([twice, BOOK], [SEARCH, BOOK])[0] == ["search", "search", "book"]
    assert names([twice, BOOK], [SEARCH, SEARCH, SEARCH, BOOK])[0] == ["search"] * 3 + ["book"]


def test_of_alternatives_the_one_with_the_highest_f1_counts() -> None:
    either = group("one_of", group("in_order", SEARCH, OPEN), BOOK)

    assert names([either], [BOOK])[0] == ["book"]
    assert names([either], [SEARCH, OPEN])[0] == ["search", "open"]
    assert names([either], [SEARCH, OPEN, BOOK])[0] == ["search", "open"]


def test_of_alternatives_of_which_none_is_correct_the_closest_counts_and_then_the_first() -> None:
    near = ToolCall("search", {"a": 1, "b": 2})
    either = group("one_of", PAY, ToolCall("search", {"a": 3}), near)

    assert names([either], [ToolCall("search", {"a": 1})])[1] == [(0, 0, False)]
    assert names([either], [])[0] == ["pay"]
    assert names([either], [OPEN])[0] == ["pay"]


def test_of_equal_alternatives_the_first_counts_even_if_the_other_was_made_earlier() -> None:
    assert names([group("one_of", SEARCH, OPEN)], [OPEN, SEARCH]) == (["search"], [(0, 1, True)])


def test_where_no_alternative_was_made_but_other_calls_are_right_the_shortest_counts() -> None:
    either = group("one_of", group("any_order", SEARCH, OPEN), PAY)

    assert names([either, BOOK], [BOOK])[0] == ["pay", "book"]
    assert names([either, BOOK], [])[0] == ["search", "open", "book"]


def test_alternatives_may_hold_alternatives_and_options() -> None:
    steps = group("in_order", SEARCH, group("optional", group("in_order", OPEN, PAY)), BOOK)
    either = group("one_of", group("in_order", PAY, PAY), group("one_of", PAY, steps))

    assert names([either], [SEARCH, BOOK])[0] == ["search", "book"]
    assert names([either], [SEARCH, OPEN, BOOK])[0] == ["search", "open", "pay", "book"]
    assert names([either], [PAY])[0] == ["pay"]


def test_an_optional_group_of_which_nothing_was_made_is_not_expected() -> None:
    assert names([BOOK, group("optional", group("in_order", OPEN, PAY))], [BOOK])[0] == ["book"]
    steps = group("in_order", BOOK, group("optional", group("in_order", OPEN, PAY)))
    assert names([steps], [BOOK]) == (["book"], [(0, 0, True)])


def test_nothing_made_is_right_where_an_alternative_expects_nothing() -> None:
    assert names([group("one_of", SEARCH, group("optional", OPEN))], []) == ([], [])


@pytest.mark.parametrize(
    ("least", "most", "made", "counted"),
    [(1, 1, 2, 1), (1, 3, 0, 1), (1, 3, 2, 2), (1, 3, 4, 3), (0, None, 4, 4), (2, None, 1, 2)],
)
def test_a_repeat_is_expected_as_often_as_it_was_made_within_its_bounds(
    least: int, most: int | None, made: int, counted: int
) -> None:
    calls, pairs = names([Times(SEARCH, least, most)], [SEARCH] * made)

    assert len(calls) == counted
    assert len(pairs) == min(made, counted)


def test_beyond_the_minimum_only_correct_calls_count() -> None:
    calls, pairs = names([Times(SEARCH, 2, 3)], [WRONG, WRONG, WRONG, SEARCH])

    assert len(calls) == 2
    assert pairs == [(0, 0, False), (1, 3, True)]


def test_members_in_order_do_not_overlap_and_those_without_order_may_interleave() -> None:
    steps = group("in_order", group("any_order", SEARCH, OPEN), BOOK)

    assert [ok for *_, ok in names([steps], [OPEN, SEARCH, BOOK])[1]] == [True, True, True]
    assert [ok for *_, ok in names([steps], [OPEN, BOOK, SEARCH])[1]] == [True, True]
    branches: list[Expected] = [group("in_order", SEARCH, BOOK), group("in_order", OPEN, PAY)]
    assert len(names(branches, [SEARCH, OPEN, BOOK, PAY])[1]) == 4
    assert len(names(branches, [SEARCH, OPEN, BOOK, PAY], "in_order")[1]) == 3


def test_groups_that_share_a_tool_divide_its_calls_so_that_most_are_correct() -> None:
    one, two = ToolCall("search", {"x": 1}), ToolCall("search", {"x": 2})
    branches: list[Expected] = [group("in_order", one, BOOK), group("in_order", two, one)]

    assert names(branches, [one, two, one, BOOK])[1] == [
        (0, 0, True),
        (1, 3, True),
        (2, 1, True),
        (3, 2, True),
    ]


def test_what_is_forbidden_expects_nothing() -> None:
    assert names([Forbidden("pay"), group("any_order", Forbidden("x")), BOOK], [BOOK]) == (
        ["book"],
        [(0, 0, True)],
    )


def test_groups_without_members_expect_nothing() -> None:
    kinds: list[GroupKind] = ["in_order", "any_order", "one_of", "optional"]

    assert names([group(kind) for kind in kinds], [BOOK]) == ([], [])


def test_groups_may_be_nested_a_hundred_deep_and_no_deeper() -> None:
    nested: Expected = BOOK
    for depth in range(99):
        nested = group("in_order" if depth % 2 else "any_order", SEARCH, nested)

    assert len(names([nested], [BOOK])[0]) == 100
    with pytest.raises(
        InvalidCall, match=r"^expected\[1\]: groups are nested more than 100 levels deep"
    ):
        names([PAY, group("in_order", nested)], [BOOK])


def branches_of(tools: list[str], length: int) -> list[Expected]:
    """Groups in order whose calls all differ."""
    return [
        group("in_order", *[ToolCall(name, {"n": (branch, n)}) for n in range(length)])
        for branch, name in enumerate(tools)
    ]


def backwards(branches: list[Expected]) -> list[ToolCall]:
    """All calls of the branches, last first and one of each at a time."""
    members = [list(calls_in([branch])) for branch in branches]
    return [call for calls in zip(*members, strict=True) for call in calls][::-1]


def test_too_many_interleavings_are_an_error_that_names_the_group() -> None:
    few = 500_000  # not to wait for it
    branches = branches_of(["search"] * 9, 9)
    calls = backwards(branches)

    with pytest.raises(
        InvalidCall, match=r"^expected\[1\]\.any_order: groups that expect the same"
    ):
        names([BOOK, group("any_order", *branches)], calls, steps=few)
    with pytest.raises(InvalidCall, match=r"^expected\[0\]\.in_order\[1\]\.any_order: "):
        names([group("in_order", BOOK, group("any_order", *branches))], calls, steps=few)
    with pytest.raises(InvalidCall, match=r"^expected: "):
        names([BOOK, *branches], calls, steps=few)
    inner = group("optional", group("any_order", *branches))
    with pytest.raises(InvalidCall, match=r"^expected\[1\]\.optional\.any_order: "):
        names([branches[0], inner], calls, steps=few)


def test_the_same_groups_are_no_error_where_they_expect_different_tools() -> None:
    branches = branches_of([f"search_{number}" for number in range(9)], 9)

    assert sum(ok for *_, ok in names(branches, backwards(branches))[1]) == 9


def test_the_same_groups_are_no_error_where_the_agent_was_right() -> None:
    branches = branches_of(["search"] * 9, 9)

    assert sum(ok for *_, ok in names(branches, backwards(branches)[::-1])[1]) == 81
