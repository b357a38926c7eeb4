"""Free calls never lower a score, whatever is expected."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

import callscore
from callscore import ToolCall, expect

NAMES = st.sampled_from(["get_a", "get_b", "put_a", "put_b"])
MADE = st.tuples(NAMES, st.fixed_dictionaries({"n": st.integers(0, 1)}))
CALL = st.builds(lambda made: expect.call(made[0], **made[1]), MADE)


def groups(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=3)
    return (
        st.builds(lambda members: expect.any_order(*members), several)
        | st.builds(lambda members: expect.in_order(*members), several)
        | st.builds(lambda members: expect.one_of(*members), several)
        | st.builds(expect.optional, inner)
    )


EXPECTED = st.lists(CALL | groups(CALL | groups(CALL)), max_size=3)
ACTUAL = st.lists(MADE, max_size=4)
TURNS = st.lists(EXPECTED.map(lambda members: expect.turn(*members)), min_size=1, max_size=2)
IN_TURNS = st.lists(
    st.builds(lambda made, turn: ToolCall(made[0], made[1], turn=turn), MADE, st.integers(0, 1)),
    min_size=1,
    max_size=4,
)
SETTINGS = st.fixed_dictionaries(
    {
        "order": st.sampled_from(["any", "in_order"]),
        "extra_calls": st.sampled_from(["free", "reads_free"]),
    }
)
STATES = st.none() | st.tuples(st.just({"n": 1}), st.sampled_from([{"n": 1}, {"n": 2}, None]))


def f1(expected: list[Any], actual: list[Any], settings: dict[str, Any], states: Any) -> float:
    sides = {} if states is None else {"expected_state": states[0], "actual_state": states[1]}
    return callscore.score(expected, actual, **settings, **sides).f1


@examples(max_examples=300)
@given(EXPECTED, ACTUAL, SETTINGS, STATES, st.integers(0, 4), MADE)
def test_one_more_free_call_never_lowers_the_score(  # noqa: PLR0913, PLR0917  (drawn values)
    expected: list[Any], actual: list[Any], settings: Any, states: Any, at: int, made: Any
) -> None:
    if settings["extra_calls"] == "reads_free":
        made = ("get_a", made[1])

    more = [*actual[:at], made, *actual[at:]]

    assert f1(expected, more, settings, states) >= f1(expected, actual, settings, states)


@examples(max_examples=200)
@given(EXPECTED, ACTUAL, SETTINGS, STATES)
def test_free_calls_never_score_lower_than_calls_that_cost(
    expected: list[Any], actual: list[Any], settings: Any, states: Any
) -> None:
    cost = {**settings, "extra_calls": "cost"}

    assert f1(expected, actual, settings, states) >= f1(expected, actual, cost, states)
    all_free = {**settings, "extra_calls": "free"}
    assert f1(expected, actual, all_free, states) >= f1(expected, actual, settings, states)


@examples(max_examples=200)
@given(TURNS, IN_TURNS, SETTINGS, MADE, st.integers(0, 1))
def test_one_more_free_call_lowers_the_score_in_no_turn(
    expected: list[Any], actual: list[Any], settings: Any, made: Any, turn: int
) -> None:
    name = "get_a" if settings["extra_calls"] == "reads_free" else made[0]
    settings = {**settings, "turns": "separate"}

    more = [*actual, ToolCall(name, made[1], turn=turn)]

    assert f1(expected, more, settings, None) >= f1(expected, actual, settings, None)
