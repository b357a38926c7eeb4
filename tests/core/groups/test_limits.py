"""How deep groups may be nested, and how much is searched for them."""

from __future__ import annotations

import pytest

from callscore.core.budget import MAX_STEPS, Budget
from callscore.core.call import ToolCall
from callscore.core.call_index import CallIndex
from callscore.core.case import Expected, Forbidden, Group, GroupKind, calls_in
from callscore.core.groups.solver import match_groups
from callscore.core.settings import Order, Settings
from callscore.errors import InvalidCall

SEARCH, BOOK, PAY = (ToolCall(name, {}) for name in ("search", "book", "pay"))


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


def test_forbidden_calls_and_groups_of_them_expect_nothing() -> None:
    assert names([Forbidden("pay"), group("any_order", Forbidden("x")), BOOK], [BOOK]) == (
        ["book"],
        [(0, 0, True)],
    )
