"""What was written, and what of it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.call import ToolCall
from callscore.core.case import Forbidden, Group, Times
from callscore.core.rules import Matcher
from callscore.core.score import Score
from callscore.core.scoring import score_calls
from callscore.core.settings import Settings
from callscore.words.unpaired import AllowedCall, allowed_calls, uncounted_calls

if TYPE_CHECKING:
    from callscore.core.case import Expected

A, B, C, D = (ToolCall(name, {}) for name in "abcd")


def scored(*expected: Expected, actual: str = "", order: Any = "any") -> Score:
    made = tuple(ToolCall(name, {}) for name in actual)
    return score_calls(expected, made, Settings(order=order))


def of(score: Score, name: str) -> AllowedCall:
    (found,) = allowed_calls(score, {name})
    return found


def test_plain_calls_all_count() -> None:
    assert uncounted_calls(scored(A, B, actual="b")) == []


@pytest.mark.parametrize(
    ("expected", "actual", "left"),
    [
        (Group("optional", (B,)), "a", [B]),
        (Group("optional", (B,)), "ab", []),
        (Group("one_of", (B, Group("in_order", (C, D)))), "acd", [B]),
        (Group("one_of", (B, Group("in_order", (C, D)))), "ab", [C, D]),
        (Times(B, 0, 3), "a", [B]),
        (Times(B, 0, 3), "abb", []),
        (Group("any_order", (Group("optional", (A,)), Forbidden("x"))), "a", [A]),
    ],
)
def test_calls_that_were_written_and_do_not_count_are_those_not_chosen(
    expected: Expected, actual: str, left: list[ToolCall]
) -> None:
    assert uncounted_calls(scored(A, expected, actual=actual)) == left


def test_rules_tell_calls_apart_and_any_arguments_are_not_none() -> None:
    ruled = ToolCall("a", {"n": Matcher("$gt", 1)})
    others = (ToolCall("a", {"n": Matcher("$gt", 2)}), ToolCall("a"), ToolCall("a", {}))
    expectation = tuple(Group("optional", (call,)) for call in (*others, ruled))

    assert uncounted_calls(Score((ruled,), (), 0, expectation=expectation)) == list(others)


def test_a_call_may_be_made_as_often_as_it_is_written() -> None:
    score = scored(A, Group("optional", (A,)), Times(A, 0, 2), actual="aa")

    found = of(score, "a")

    assert (found.counted, found.most, found.has_times, found.has_room) == (2, 4, True, True)
    assert not of(scored(A, Times(B), actual="a"), "a").has_times


@pytest.mark.parametrize("further", [(), (A,), (Times(A, 0, None),)])
def test_a_call_without_a_limit_always_has_room(further: tuple[Expected, ...]) -> None:
    found = of(scored(Times(A, 1, None), *further, actual="aaaa"), "a")

    assert found.most is None
    assert found.has_room


def test_only_the_tools_asked_for_are_looked_at() -> None:
    score = scored(A, Group("optional", (B,)), Group("optional", (C,)))

    assert [found.call for found in allowed_calls(score, {"a", "c"})] == [A, C]
    assert allowed_calls(Score((A,), (), 0), {"a"}) == []


@pytest.mark.parametrize(
    ("expected", "order", "ties"),
    [
        (Group("optional", (B,)), "any", set()),
        (Times(B, 0, 2), "any", set()),
        (Group("any_order", (B, C)), "any", set()),
        (Group("optional", (B,)), "in_order", {"in_order"}),
        (Group("in_order", (Group("optional", (B,)), C)), "any", {"in_order"}),
        (Group("optional", (Group("any_order", (B, C, D)),)), "any", {"together"}),
        (Group("one_of", (B, C)), "any", {"one_of"}),
    ],
)
def test_what_else_decides_about_a_call_is_where_it_stands(
    expected: Expected, order: Any, ties: set[str]
) -> None:
    score = scored(A, expected, actual="ac" if ties == {"one_of"} else "a", order=order)

    assert of(score, "b").ties == ties


def test_inside_the_alternative_that_was_chosen_it_is_not_the_choice_that_decides() -> None:
    chosen = Group("in_order", (Group("optional", (B,)), C))

    score = scored(Group("one_of", (chosen, D)), actual="cb")

    assert score.expected == (C,)
    assert of(score, "b").ties == {"in_order"}


def test_where_two_alternatives_may_be_the_chosen_one_both_reasons_are_possible() -> None:
    first = Group("in_order", (A, B))

    score = scored(A, Group("one_of", (first, C)), actual="acb")

    assert score.expected == (A, C)
    assert of(score, "b").ties == {"one_of", "in_order"}


def test_an_optional_group_that_was_made_ties_nothing_together() -> None:
    score = scored(Group("optional", (Group("any_order", (A, Times(B, 0, 1))),)), actual="a")

    assert of(score, "b").ties == set()
