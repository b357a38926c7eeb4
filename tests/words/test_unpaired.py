"""Why a call found no partner, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from callscore.core.budget import Budget
from callscore.core.call import ToolCall
from callscore.core.case import Forbidden, Group, Times
from callscore.core.rules import Matcher
from callscore.core.score import Score
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT, Mode, Settings
from callscore.words import unpaired
from callscore.words.unpaired import AllowedCall, allowed_calls, explain_unpaired, uncounted_calls

if TYPE_CHECKING:
    from callscore.core.case import Expected

ASK, PAY = ToolCall("ask", {}), ToolCall("pay", {})


def weather(city: str, **others: Any) -> ToolCall:
    return ToolCall("weather", {"city": city, **others})


def optional(member: Expected) -> Group:
    return Group("optional", (member,))


def scored(
    expected: list[Expected], actual: list[ToolCall], settings: Settings | None = None
) -> Score:
    return score_calls(tuple(expected), tuple(actual), settings or Settings())


def words(expected: list[Expected], actual: list[ToolCall], **settings: Any) -> dict[int, str]:
    return explain_unpaired(scored(expected, actual, Settings(**settings)), "en").extra


def test_of_plain_calls_nothing_more_is_to_be_said() -> None:
    assert explain_unpaired(scored([ASK, ASK], [PAY, ASK]), "en") == ({}, {}, {}, {})


def test_an_optional_call_with_other_arguments_says_what_would_have_been_allowed() -> None:
    score = scored([ASK, optional(weather("Oslo"))], [weather("Rome"), ASK])

    assert explain_unpaired(score, "en").extra == {
        0: 'differs from the call in the reference: weather(city="Oslo")'
    }
    assert explain_unpaired(score, "ru").extra == {
        0: 'отличается от вызова в эталоне: weather(city="Oslo")'
    }


def test_of_several_that_would_have_been_allowed_the_closest_is_named() -> None:
    cities = [weather("Oslo", unit="C"), weather("Rome", unit="C"), weather("Rome", unit="K")]

    found = words([ASK, *map(optional, cities)], [ASK, weather("Rome", unit="F")])

    assert found == {1: 'differs from the call in the reference: weather(city="Rome", unit="C")'}


def test_a_rule_is_named_as_it_is_written() -> None:
    allowed = ToolCall("weather", {"days": Matcher("$lte", 5)})

    found = words([ASK, optional(allowed)], [ASK, ToolCall("weather", {"days": 9})])

    assert found == {1: "differs from the call in the reference: weather(days=$lte 5)"}


def test_what_was_made_is_not_allowed_once_more() -> None:
    expected: list[Expected] = [ASK, optional(weather("Oslo"))]

    assert words(expected, [ASK, weather("Oslo"), weather("Oslo")]) == {}
    assert words(expected, [ASK, weather("Oslo"), weather("Rome")]) == {}


def test_a_repeat_with_other_arguments_says_what_would_have_been_allowed() -> None:
    made = [weather("Oslo"), weather("Rome")]

    assert words([Times(made[0], 1, 3)], made) == {
        1: 'differs from the call in the reference: weather(city="Oslo")'
    }
    assert words([Times(made[0], 1, None)], made) == {
        1: 'differs from the call in the reference: weather(city="Oslo")'
    }
    assert words([Times(made[0], 1, 1)], made) == {}


def test_a_call_made_more_often_than_allowed_says_how_often_it_may_be() -> None:
    score = scored([Times(weather("Oslo"), 1, 3), optional(weather("Rome"))], [weather("Oslo")] * 4)

    assert explain_unpaired(score, "en").extra == {3: "called more often than allowed (at most 3)"}
    assert explain_unpaired(score, "ru").extra == {3: "вызван чаще, чем разрешено (не больше 3)"}


def test_an_alternative_that_was_not_chosen_says_so() -> None:
    score = scored([Group("one_of", (PAY, weather("Oslo")))], [PAY, weather("Oslo")])

    assert explain_unpaired(score, "en").extra == {
        1: "in the reference only as an alternative to other calls"
    }
    assert explain_unpaired(score, "ru").extra == {
        1: "в эталоне есть только как альтернатива другим вызовам"
    }
    assert words([Group("one_of", (PAY, weather("Oslo")))], [PAY, weather("Rome")]) == {
        1: 'differs from the call in the reference: weather(city="Oslo")'
    }


def test_an_optional_call_in_the_wrong_place_says_so() -> None:
    group = Group("in_order", (optional(weather("Oslo")), ASK))
    late = [ASK, weather("Oslo")]

    assert words([group], late) == {1: "in the reference only as part of a sequence"}
    assert words([optional(weather("Oslo")), ASK], late, order="in_order") == {
        1: "in the reference only as part of a sequence"
    }


def test_one_call_of_an_optional_group_is_allowed_with_the_others_alone() -> None:
    group = optional(Group("any_order", (weather("Oslo"), *[ToolCall(name) for name in "abcdef"])))

    assert words([PAY, ASK, group], [PAY, ASK, weather("Oslo")]) == {
        2: "in the reference only as part of an optional group"
    }


def test_where_it_may_be_this_or_that_both_are_said() -> None:
    chain = Group("in_order", (PAY, weather("Oslo")))

    score = scored([Group("one_of", (ASK, chain))], [ASK, weather("Oslo")])

    both = "in the reference only as an alternative to other calls and part of a sequence"
    assert explain_unpaired(score, "en").extra == {1: both}
    assert " и " in explain_unpaired(score, "ru").extra[1]


def test_a_call_that_is_near_enough_fits() -> None:
    group = Group("one_of", (ASK, weather("Oslo", a=1, b=2, c=3, d=4)))

    found = words([group], [ASK, weather("Rome", a=1, b=2, c=3, d=4)], mode=Mode.FLEXIBLE)

    assert found == {1: "in the reference only as an alternative to other calls"}


def test_a_call_that_is_made_in_another_order_is_named_by_its_tool() -> None:
    chain = Group("in_order", (ASK, PAY))

    found = explain_unpaired(scored([chain, weather("Oslo"), optional(PAY)], [PAY, ASK]), "en")

    assert (found.missed, found.misplaced) == ({}, {})  # the optional one takes it
    found = explain_unpaired(scored([chain, weather("Oslo")], [PAY, ToolCall("x"), ASK]), "en")
    assert [each.why for each in (*found.missed.values(), *found.misplaced.values())] == [
        "order",
        "order",
    ]
    assert found.extra == {}


@pytest.mark.parametrize("order", ["in_order", "exact"])
def test_the_order_of_the_list_is_an_order_as_well(order: Any) -> None:
    score = scored([ASK, PAY], [PAY, ASK], Settings(order=order))

    found = explain_unpaired(score, "en")

    assert {each.why for each in found.missed.values()} == {"order"}
    assert {each.why for each in found.misplaced.values()} == {"order"}


def test_a_forbidden_call_needs_no_other_words() -> None:
    assert words([ASK, Forbidden("delete")], [ASK, ToolCall("delete", {})]) == {}


def test_of_very_many_calls_only_the_first_are_explained() -> None:
    found = words([ASK, optional(weather("Oslo"))], [ASK] + [weather("Rome")] * 300)

    assert len(found) == 100


CALLS = st.builds(ToolCall, st.sampled_from("fg"), st.fixed_dictionaries({"n": st.integers(0, 1)}))
MEMBERS: st.SearchStrategy[Expected] = st.recursive(
    CALLS | st.builds(Times, CALLS, st.integers(0, 1), st.integers(1, 2) | st.none()),
    lambda inner: (
        st.builds(
            Group,
            st.sampled_from(["in_order", "any_order", "one_of"]),
            st.lists(inner, min_size=1, max_size=3).map(tuple),
        )
        | st.builds(Group, st.just("optional"), st.tuples(inner))
    ),
    max_leaves=4,
)


@examples(max_examples=150, deadline=None)
@given(
    st.lists(MEMBERS, max_size=3), st.lists(CALLS, max_size=4), st.sampled_from(["any", "in_order"])
)
def test_words_are_about_extra_calls_of_tools_that_nothing_was_missed_of(
    expected: list[Expected], actual: list[ToolCall], order: Any
) -> None:
    score = scored(expected, actual, Settings(order=order))

    found = explain_unpaired(score, "en")

    missed = {call.name for call in score.missed}
    extra = {call.name for call in score.extra}
    assert {score.expected[row].name for row in found.missed} == missed & extra
    assert {score.actual[column].name for column in found.misplaced} == missed & extra
    assert {each.why for each in found.missed.values()} <= {"order"}
    paired = {pair.actual_index for pair in score.correct + score.incorrect}
    assert paired.isdisjoint(found.extra)
    assert all(score.actual[position].name not in missed for position in found.extra)


def test_an_optional_call_that_cannot_be_read_says_so() -> None:
    broken = ToolCall("a", None, raw="{bad", error="truncated_json")
    score = score_calls((Group("optional", (ToolCall("a"),)),), (broken,), DEFAULT)

    assert "truncated" in explain_unpaired(score, "en").extra[0]


# What was written, and what of it counts.

A, B, C, D = (ToolCall(name, {}) for name in "abcd")


def scored_rules(*expected: Expected, actual: str = "", order: Any = "any") -> Score:
    made = tuple(ToolCall(name, {}) for name in actual)
    return score_calls(expected, made, Settings(order=order))


def of(score: Score, name: str) -> AllowedCall:
    (found,) = allowed_calls(score, {name})
    return found


def test_plain_calls_all_count() -> None:
    assert uncounted_calls(scored_rules(A, B, actual="b")) == []


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
    assert uncounted_calls(scored_rules(A, expected, actual=actual)) == left


def test_rules_tell_calls_apart_and_any_arguments_are_not_none() -> None:
    ruled = ToolCall("a", {"n": Matcher("$gt", 1)})
    others = (ToolCall("a", {"n": Matcher("$gt", 2)}), ToolCall("a"), ToolCall("a", {}))
    expectation = tuple(Group("optional", (call,)) for call in (*others, ruled))

    assert uncounted_calls(Score((ruled,), (), 0, expectation=expectation)) == list(others)


def test_a_call_may_be_made_as_often_as_it_is_written() -> None:
    score = scored_rules(A, Group("optional", (A,)), Times(A, 0, 2), actual="aa")

    found = of(score, "a")

    assert (found.counted, found.most, found.has_times, found.has_room) == (2, 4, True, True)
    assert not of(scored_rules(A, Times(B), actual="a"), "a").has_times


@pytest.mark.parametrize("further", [(), (A,), (Times(A, 0, None),)])
def test_a_call_without_a_limit_always_has_room(further: tuple[Expected, ...]) -> None:
    found = of(scored_rules(Times(A, 1, None), *further, actual="aaaa"), "a")

    assert found.most is None
    assert found.has_room


def test_of_several_names_that_look_the_same_the_first_is_compared() -> None:
    spaces = [f"a{chr(code)}b" for code in range(0x2000, 0x200A)]  # in a set, in any order

    found = explain_unpaired(scored([ToolCall("a b")], [*map(ToolCall, spaces)]), "en")

    assert found.look_alikes == {"a b": "differs at character 2: U+0020 / U+2000"}


def test_only_the_tools_asked_for_are_looked_at() -> None:
    score = scored_rules(A, Group("optional", (B,)), Group("optional", (C,)))

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
    score = scored_rules(A, expected, actual="ac" if ties == {"one_of"} else "a", order=order)

    assert of(score, "b").ties == ties


def test_inside_the_alternative_that_was_chosen_it_is_not_the_choice_that_decides() -> None:
    chosen = Group("in_order", (Group("optional", (B,)), C))

    score = scored_rules(Group("one_of", (chosen, D)), actual="cb")

    assert score.expected == (C,)
    assert of(score, "b").ties == {"in_order"}


def test_where_two_alternatives_may_be_the_chosen_one_both_reasons_are_possible() -> None:
    first = Group("in_order", (A, B))

    score = scored_rules(A, Group("one_of", (first, C)), actual="acb")

    assert score.expected == (A, C)
    assert of(score, "b").ties == {"one_of", "in_order"}


def test_an_optional_group_that_was_made_ties_nothing_together() -> None:
    score = scored_rules(Group("optional", (Group("any_order", (A, Times(B, 0, 1))),)), actual="a")

    assert of(score, "b").ties == set()


def test_the_reasons_of_all_calls_share_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    call = ToolCall("f", {"a": Matcher("$regex", "^a+$", {})})
    made = tuple(ToolCall("f", {"a": f"b{number}"}) for number in range(50))
    score = score_calls((Group("optional", (call,)),), made, DEFAULT)
    assert len(explain_unpaired(score, "en").extra) == 50
    monkeypatch.setattr(unpaired, "Budget", lambda: Budget(500))

    assert 0 < len(explain_unpaired(score, "en").extra) < 50
