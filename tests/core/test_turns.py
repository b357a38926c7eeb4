"""Calls are paired within their turn, and the turns add up to the score of the case."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.call import ToolCall
from callscore.core.case import NO_CALLS, Forbidden, Group, Times
from callscore.core.score import Score, TurnScore, turn_count
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT, Settings
from callscore.core.turns import counted_places, have_turns, without_turns
from callscore.errors import InvalidSettings

CUMULATIVE = Settings(turns="cumulative")


def turn(*members: Any) -> Group:
    return Group("turn", tuple([ToolCall(m, {}) if isinstance(m, str) else m for m in members]))


def made(*turns: str) -> tuple[ToolCall, ...]:
    """The calls of each turn, one letter a tool."""
    return tuple([ToolCall(name, {}, turn=at) for at, names in enumerate(turns) for name in names])


def counts(score: Score) -> list[tuple[int, int, int, int]]:
    return [(each.correct, each.expected, each.actual, each.forbidden) for each in score.turns]


def test_a_call_counts_only_in_the_turn_in_which_it_is_expected() -> None:
    score = score_calls((turn("a"), turn("b")), made("ab", "ab"), DEFAULT)

    assert counts(score) == [(1, 1, 2, 0), (1, 1, 2, 0)]
    assert [call.name for call in score.extra] == ["b", "a"]
    assert (score.f1, score.turn_mean, score.turn_min) == (2 / 3, 2 / 3, 2 / 3)
    assert score.first_wrong_turn == 1


def test_a_call_one_turn_too_late_is_missed_and_extra() -> None:
    score = score_calls((turn("a"), turn()), made("", "a"), DEFAULT)

    assert (score.f1, counts(score)) == (0.0, [(0, 1, 0, 0), (0, 0, 1, 0)])
    assert [call.turn for call in (*score.missed, *score.extra)] == [0, 1]


def test_a_turn_without_calls_and_expectations_counts_as_right() -> None:
    score = score_calls((turn("a"), turn(), turn("b")), made("a", "", "x"), DEFAULT)

    assert [each.f1 for each in score.turns] == [1.0, 1.0, 0.0]
    assert score.turn_mean == 2 / 3
    assert (score.turn_min, score.first_wrong_turn) == (0.0, 3)


def test_calls_after_the_last_expected_turn_are_extra_in_turns_of_their_own() -> None:
    score = score_calls((turn("a"),), made("a", "", "b", "c"), DEFAULT)

    assert [each.number for each in score.turns] == [1, 3, 4]
    assert counts(score) == [(1, 1, 1, 0), (0, 0, 1, 0), (0, 0, 1, 0)]


def test_turns_that_were_never_reached_are_missed() -> None:
    score = score_calls((turn("a"), turn("b"), turn("c")), made("a"), DEFAULT)

    assert [each.f1 for each in score.turns] == [1.0, 0.0, 0.0]
    assert score.first_wrong_turn == 2


def test_without_any_call_every_turn_has_a_score() -> None:
    score = score_calls((turn("a"), turn()), (), DEFAULT)

    assert [each.f1 for each in score.turns] == [0.0, 1.0]


def test_without_turns_in_the_trace_all_turns_are_one() -> None:
    calls = tuple([ToolCall(name, {}) for name in "ba"])

    score = score_calls((turn("a"), turn("b"), Forbidden("x")), calls, DEFAULT)

    assert (score.f1, score.turns, score.turn_mean, score.turn_min) == (1.0, (), None, None)
    assert score.first_wrong_turn is None
    assert score_calls((turn("a"), Forbidden("b")), calls, DEFAULT).f1 == 0


def test_calls_without_a_turn_among_others_are_of_the_first() -> None:
    calls = (ToolCall("a", {}), ToolCall("b", {}, turn=1))

    assert score_calls((turn("a"), turn("b")), calls, DEFAULT).f1 == 1.0


@pytest.mark.parametrize("number", [-1, -(10**18), 10**18, 2**70, 7])
def test_any_number_may_be_the_turn_of_a_call(number: int) -> None:
    calls = (ToolCall("a", {}, turn=0), ToolCall("b", {}, turn=number))

    score = score_calls((turn("a"), turn("b")), calls, DEFAULT)

    assert score.actual == calls
    assert score.turns[-1].number == max(number, 1) + 1
    assert sum(each.actual for each in score.turns) == 2
    assert sum(each.correct for each in score.turns) == 1


def test_calls_stay_in_the_order_of_the_trace_whatever_their_turns() -> None:
    calls = (ToolCall("b", {}, turn=1), ToolCall("a", {}, turn=0), ToolCall("x", {}, turn=1))

    score = score_calls((turn("a"), turn("b")), calls, DEFAULT)

    assert score.actual == calls
    assert score.correct_places == ((0, 1), (1, 0))
    assert [call.turn for call in score.expected] == [0, 1]


def test_the_same_object_may_be_in_a_trace_several_times() -> None:
    call, other = ToolCall("a", {}, turn=0), ToolCall("b", {}, turn=0)

    score = score_calls((turn("a", "b", "a"),), (call, other, call), DEFAULT)

    assert (score.f1, score.actual) == (1.0, (call, other, call))


def test_an_earlier_call_is_enough_if_turns_are_cumulative() -> None:
    expected = (turn("a"), turn("b"))

    early = score_calls(expected, made("ab", ""), CUMULATIVE)
    late = score_calls(expected, made("", "ab"), CUMULATIVE)

    assert (early.f1, counts(early)) == (1.0, [(1, 1, 1, 0), (1, 1, 1, 0)])
    assert counts(late) == [(0, 1, 0, 0), (1, 1, 2, 0)]


def test_a_call_that_nothing_takes_is_extra_in_the_turn_in_which_it_was_made() -> None:
    score = score_calls((turn("a"), turn("b"), turn()), made("ax", "b", ""), CUMULATIVE)

    assert counts(score) == [(1, 1, 2, 0), (1, 1, 1, 0), (0, 0, 0, 0)]
    assert [call.name for call in score.actual] == ["a", "x", "b"]


def test_a_call_that_is_wrong_in_its_turn_and_right_in_a_later_one_is_correct_there() -> None:
    expected = (turn(ToolCall("a", {"n": 1})), turn(ToolCall("a", {"n": 2})))
    calls = (ToolCall("a", {"n": 2}, turn=0),)

    early = score_calls(expected, calls, CUMULATIVE)
    both = score_calls(expected, (*calls, ToolCall("a", {"n": 3}, turn=0)), CUMULATIVE)

    assert (early.correct_places, early.incorrect, len(early.missed)) == (((1, 0),), (), 1)
    assert counts(early) == [(0, 1, 0, 0), (1, 1, 1, 0)]
    # The first turn is compared with what no other turn needs.
    assert (both.correct_places, both.incorrect[0].actual.arguments) == (((1, 0),), {"n": 3})


def test_a_turn_keeps_its_wrong_call_from_later_turns_in_which_it_is_wrong_as_well() -> None:
    expected = (turn(ToolCall("a", {"n": 1})), turn(ToolCall("a", {"n": 2})))

    score = score_calls(expected, (ToolCall("a", {"n": 3}, turn=0),), CUMULATIVE)

    assert [(pair.expected_index, pair.actual_index) for pair in score.incorrect] == [(0, 0)]
    assert counts(score) == [(0, 1, 1, 0), (0, 1, 0, 0)]


def test_a_repeat_that_is_the_same_object_is_the_later_of_the_two() -> None:
    call, other = ToolCall("do_a", {}, turn=0), ToolCall("get_b", {}, turn=0)
    settings = Settings(repeated_calls="collapse", extra_calls="reads_free")

    score = score_calls((turn("x"),), (call, other, call), settings)

    assert score.actual == (call,)
    assert [(item.call, item.why) for item in score.ignored] == [
        (call, "repeated"),
        (other, "free"),
    ]


def test_normalized_names_are_normalized_once_even_if_a_call_waits_for_its_turn() -> None:
    settings = Settings(turns="cumulative", strip_prefix=("mcp__*__",))
    calls = (ToolCall("mcp__x__mcp__y__b", {}, turn=0), ToolCall("mcp__x__a", {}, turn=1))

    score = score_calls((turn(), turn("a"), turn("mcp__y__b")), calls, settings)

    # On both sides, one prefix is removed.
    assert [call.name for call in score.actual] == ["mcp__y__b", "a"]
    assert [call.name for call in score.expected] == ["a", "b"]
    assert score.f1 == 0.5


def test_positions_are_compared_within_a_turn_and_nothing_is_carried_over() -> None:
    exact = Settings(order="exact")

    assert score_calls((turn("a", "b"), turn("c")), made("ab", "c"), exact).f1 == 1.0
    assert score_calls((turn("a", "b"), turn("c")), made("ba", "c"), exact).f1 == 1 / 3
    both = Settings(order="exact", turns="cumulative")
    assert score_calls((turn("a"), turn("c")), made("ax", "c"), both).f1 == 0.8


@pytest.mark.parametrize("order", ["in_order", "in_turns"])
def test_order_is_that_within_a_turn(order: Any) -> None:
    settings = Settings(order=order)

    assert score_calls((turn("a", "b"), turn("a")), made("ab", "a"), settings).f1 == 1.0
    assert score_calls((turn("a", "b"), turn("a")), made("ba", "a"), settings).f1 == 2 / 3


def test_without_turns_in_turns_is_any_order() -> None:
    calls = tuple([ToolCall(name, {}) for name in "ba"])
    settings = Settings(order="in_turns")

    assert score_calls((turn("a"), turn("b")), calls, settings).f1 == 1.0
    assert score_calls(calls[::-1], calls, settings).f1 == 1.0


def test_groups_and_repeats_work_inside_of_turns() -> None:
    one_of = Group("one_of", (ToolCall("a", {}), ToolCall("b", {})))
    expected = (
        turn(one_of, Group("optional", (ToolCall("c", {}),))),
        turn(Times(ToolCall("d", {}), 1, 3)),
        turn(Group("in_order", (ToolCall("a", {}), ToolCall("b", {})))),
    )

    assert score_calls(expected, made("b", "ddd", "ab"), DEFAULT).f1 == 1.0
    assert score_calls(expected, made("bc", "d", "ba"), DEFAULT).turns[2].f1 == 0.5
    assert score_calls(expected, made("ab", "d", "ab"), DEFAULT).turns[0].f1 == 2 / 3


def test_a_group_in_a_turn_has_no_position() -> None:
    expected = (turn(Group("any_order", (ToolCall("a", {}), ToolCall("b", {})))),)

    with pytest.raises(InvalidSettings, match="a group has no position"):
        score_calls(expected, made("ab"), Settings(order="exact"))


def test_a_forbidden_call_makes_its_turn_and_the_case_0() -> None:
    score = score_calls((turn("a"), turn("b"), Forbidden("x*")), made("a", "bx", "x"), DEFAULT)

    assert (score.f1, score.passed, score.forbidden) == (0.0, False, (2, 3))
    assert [each.f1 for each in score.turns] == [1.0, 0.0, 0.0]
    assert score.first_wrong_turn == 2


def test_a_forbidden_call_does_not_wait_for_a_later_turn() -> None:
    score = score_calls((turn("a"), turn("b"), Forbidden("x")), made("ax", "b"), CUMULATIVE)

    assert counts(score) == [(1, 1, 2, 1), (1, 1, 1, 0)]


def test_calls_that_do_not_count_are_left_out_in_every_turn() -> None:
    settings = Settings(count_calls="writes", failed_calls="ignore")
    expected = (turn("get_x"), turn("b"))
    calls = (
        ToolCall("get_x", {}, turn=0),
        ToolCall("b", {}, turn=1, failed=True),
        ToolCall("b", {}, turn=1),
        ToolCall("get_y", {}, turn=2),
    )

    score = score_calls(expected, calls, settings)

    assert (score.f1, counts(score)) == (1.0, [(0, 0, 0, 0), (1, 1, 1, 0), (0, 0, 0, 0)])
    assert [(each.side, each.why, each.call.name) for each in score.ignored] == [
        ("expected", "read", "get_x"),
        ("actual", "read", "get_x"),
        ("actual", "failed", "b"),
        ("actual", "read", "get_y"),
    ]


def test_repeats_are_those_within_a_turn() -> None:
    settings = Settings(repeated_calls="collapse")

    score = score_calls((turn("a"), turn("a")), made("aa", "a"), settings)

    assert (score.f1, len(score.ignored)) == (1.0, 1)


def test_calls_are_paired_with_those_of_the_same_caller_in_every_turn() -> None:
    expected = (turn(ToolCall("a", {}, caller="user")), turn("b"))
    agent = (ToolCall("a", {}, turn=0), ToolCall("b", {}, turn=1))
    both = (ToolCall("a", {}, turn=0, caller="user"), ToolCall("b", {}, turn=1, caller="user"))
    right = (both[0], agent[1])

    assert [score_calls(expected, calls, DEFAULT).f1 for calls in (agent, both, right)] == [
        *(0.5, 0.5, 1.0)
    ]


def test_the_expectation_is_kept_as_it_is_written() -> None:
    expected = (turn("a"), turn(), Forbidden("x"), ToolCall("end_state", {}, kind="state"))

    assert score_calls(expected, made("a"), DEFAULT).expectation == expected


def test_names_are_compared_turn_by_turn() -> None:
    wrong = ToolCall("a", {"n": 1}, turn=0)

    assert score_calls((turn("a"), turn("b")), made("b", "a"), DEFAULT).tool_selection == 0
    assert score_calls((turn("a"), turn("b")), (wrong, *made("", "b")), DEFAULT).tool_selection == 1
    in_turns = Settings(order="in_turns")
    assert score_calls((turn("a", "b"),), made("ba"), in_turns).tool_selection == 0.5


def test_no_calls_beside_a_state_are_no_turn() -> None:
    state = ToolCall("end_state", {"a": 1}, kind="state")

    score = score_calls((*NO_CALLS, state), (state,), DEFAULT)

    assert (score.f1, score.turns, turn_count(score)) == (1.0, (), None)


@pytest.mark.parametrize(("turns", "count"), [(1, None), (2, 0)])
def test_only_several_turns_are_compared_as_one(turns: int, count: int | None) -> None:
    score = score_calls((turn("a"),) * turns, (ToolCall("a", {}),), DEFAULT)

    assert turn_count(score) == count


def test_the_places_of_calls_are_known_without_those_that_were_left_out() -> None:
    calls = (ToolCall("get_a", {}), ToolCall("b", {}), ToolCall("get_a", {}), ToolCall("c", {}))
    score = score_calls((), calls, Settings(count_calls="writes"))

    assert counted_places(score, calls) == [1, 3]
    assert not have_turns(calls)
    assert without_turns((turn("a"), Forbidden("x"))) == (ToolCall("a", {}), Forbidden("x"))


def test_a_turn_has_precision_and_recall() -> None:
    score = TurnScore(1, 1, 2, 4)

    assert (score.precision, score.recall, score.f1) == (0.25, 0.5, 1 / 3)
    assert (TurnScore(1).precision, TurnScore(1).recall, TurnScore(1).f1) == (1.0, 1.0, 1.0)


# --- against all pairings ---------------------------------------------------------------------

ANY = st.builds(ToolCall, st.sampled_from("ab"))  # accepts any arguments
CALL = st.builds(
    ToolCall, st.sampled_from("ab"), st.dictionaries(st.just("n"), st.integers(0, 1), max_size=1)
)
EXPECTED_TURNS = st.lists(st.lists(CALL | ANY, max_size=3), min_size=1, max_size=3)
ACTUAL_TURNS = st.lists(st.lists(CALL, max_size=3), min_size=1, max_size=4)


def most_correct(expected: list[ToolCall], actual: list[ToolCall], *, is_ordered: bool) -> int:
    """The most correct pairs of all pairings, tried one by one."""
    size = max(len(expected), len(actual))
    best = 0
    for order in permutations(range(size)):
        pairs = [(at, to) for at, to in enumerate(order) if at < len(expected) and to < len(actual)]
        right = [(at, to) for at, to in pairs if _accepts(expected[at], actual[to])]
        if is_ordered:
            right = max(_rising(right), key=len)
        best = max(best, len(right))
    return best


def _rising(pairs: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """All parts of the pairs in which none cross."""
    chains: list[list[tuple[int, int]]] = [[]]
    for pair in pairs:
        chains += [[*chain, pair] for chain in chains if not chain or chain[-1][1] < pair[1]]
    return chains


def _accepts(expected: ToolCall, actual: ToolCall) -> bool:
    same = expected.arguments is None or expected.arguments == actual.arguments
    return expected.name == actual.name and same


@given(EXPECTED_TURNS, ACTUAL_TURNS, st.booleans())
def test_within_each_turn_the_pairing_is_the_best_of_all(
    expected: list[list[ToolCall]], actual: list[list[ToolCall]], is_ordered: bool
) -> None:
    wanted = tuple([Group("turn", tuple(calls)) for calls in expected])
    calls = tuple(
        [
            ToolCall(call.name, call.arguments, turn=at)
            for at, group in enumerate(actual)
            for call in group
        ]
    )
    settings = Settings(order="in_turns" if is_ordered else "any")

    score = score_calls(wanted, calls, settings)

    best = [
        most_correct(
            expected[at] if at < len(expected) else [],
            actual[at] if at < len(actual) else [],
            is_ordered=is_ordered,
        )
        for at in range(max(len(expected), len(actual)))
    ]
    assert len(score.correct) == sum(best)
    assert [each.correct for each in score.turns] == [best[each.number - 1] for each in score.turns]
    assert sum(each.expected for each in score.turns) == len(score.expected)
    assert sum(each.actual for each in score.turns) == len(score.actual) == len(calls)


@given(EXPECTED_TURNS, ACTUAL_TURNS)
def test_cumulative_turns_pair_each_call_once_and_nothing_too_late(
    expected: list[list[ToolCall]], actual: list[list[ToolCall]]
) -> None:
    wanted = tuple([Group("turn", tuple(calls)) for calls in expected])
    calls = tuple(
        [
            ToolCall(call.name, call.arguments, turn=at)
            for at, group in enumerate(actual)
            for call in group
        ]
    )

    score = score_calls(wanted, calls, CUMULATIVE)

    assert score.actual == calls
    for pair in (*score.correct, *score.incorrect):
        assert (pair.actual.turn or 0) <= (pair.expected.turn or 0)
    columns = [pair.actual_index for pair in (*score.correct, *score.incorrect)]
    assert len(columns) == len(set(columns))
