"""Counting what is wrong with calls."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from callscore.core.arguments import apply_settings, grade_calls
from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.core.rules import Matcher
from callscore.core.score import (
    Pair,
    Score,
    f1_of,
)
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT, Order, Settings
from callscore.core.tool_names import count_same_names


def pair(expected: dict[str, Any] | None, actual: ToolCall) -> Pair:
    return Pair(ToolCall("f", expected), actual, 0, 0, is_correct=False)


def score(expected: str, actual: str, settings: Settings = DEFAULT) -> Score:
    """One call without arguments for each letter."""
    return score_calls(
        tuple(ToolCall(name, {}) for name in expected),
        tuple(ToolCall(name, {}) for name in actual),
        settings,
    )


# The four counts of a case, and what follows of them.

A, B, C = (ToolCall(name, {}) for name in "abc")


SMALL = st.sampled_from([0, 1, 1.0, True, "x", None, [1], {"a": 1}, {}])
SMALL_ARGUMENTS = st.dictionaries(
    st.sampled_from("ab"), SMALL | st.just(Matcher("$any")), max_size=2
)
CALLS = st.lists(
    st.builds(ToolCall, st.sampled_from("fg"), st.none() | SMALL_ARGUMENTS), max_size=4
)
MADE = st.lists(
    st.builds(
        ToolCall,
        st.sampled_from("fg"),
        st.none() | st.dictionaries(st.sampled_from("ab"), SMALL, max_size=2),
        error=st.sampled_from([None, None, None, NOT_CAPTURED, "invalid_json"]),
    ),
    max_size=4,
)
VARIED = st.sampled_from(
    [
        DEFAULT,
        Settings(order="in_order"),
        Settings(mode="flexible", argument_match_threshold=0.5),
        Settings(extra_arguments="count"),
        Settings(arrays="unordered"),
    ]
)


@given(CALLS, MADE, VARIED)
def test_correct_pairs_have_no_differences_and_accuracy_counts_matched_arguments(
    expected: list[ToolCall], actual: list[ToolCall], settings: Settings
) -> None:
    found = score_calls(tuple(expected), tuple(actual), settings)
    pairs = found.correct + found.incorrect
    wanted = sum(pair.expected_arguments for pair in pairs)
    matched = sum(pair.matched_arguments for pair in pairs)

    assert found.argument_accuracy == (matched / wanted if wanted else None)
    if found.has_equal_pairs:
        for each in found.correct:
            assert each.differences == ()
            assert each.overlap == 1
            assert each.matched_arguments == len(each.expected.arguments or ())


@given(CALLS, MADE, VARIED)
def test_the_overlap_of_a_pair_is_the_one_it_was_graded_with(
    expected: list[ToolCall], actual: list[ToolCall], settings: Settings
) -> None:
    found = score_calls(tuple(expected), tuple(actual), settings)
    for each in found.correct + found.incorrect:
        demands = apply_settings(each.expected, settings)
        _, _, *parts = grade_calls(demands, each.actual, settings)

        assert list(each.overlap_parts) == parts


@given(CALLS, MADE, VARIED)
def test_every_call_is_in_a_pair_or_missed_or_extra(
    expected: list[ToolCall], actual: list[ToolCall], settings: Settings
) -> None:
    found = score_calls(tuple(expected), tuple(actual), settings)
    pairs = len(found.correct) + len(found.incorrect)

    assert [(each.expected_index, each.actual_index) for each in found.correct] == list(
        found.correct_places
    )
    assert len(found.missed) == len(expected) - pairs
    assert len(found.extra) == len(actual) - pairs


@given(
    st.text("abc", max_size=5),
    st.text("abc", max_size=5),
    st.sampled_from(get_args(Order)),
)
def test_tool_selection_is_that_of_all_names(one: str, other: str, order: Order) -> None:
    # Every second call has another argument, so that some of the pairs are incorrect.
    expected = tuple([ToolCall(name, {"x": 1}) for name in one])
    actual = tuple([ToolCall(name, {"x": at % 2}) for at, name in enumerate(other)])
    score = score_calls(expected, actual, Settings(order=order))

    compared = "any" if order == "in_turns" else order  # without turns
    same = count_same_names(list(one), list(other), compared)
    assert score.tool_selection == f1_of(same, len(one), len(other))
