"""Which actual call stands for which expected one, where several of them are the same."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.call import ToolCall
from callscore.core.equality import fingerprint
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT
from callscore.metrics import repairs as alignment
from callscore.metrics.repairs import Alignment, align, is_written_alike

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.score import Score

A, B, C, X = (ToolCall(name, {}) for name in "abcx")


def f(value: Any) -> ToolCall:
    return ToolCall("f", {"a": value})


def scored(expected: Sequence[ToolCall], actual: Sequence[ToolCall]) -> Score:
    return score_calls(tuple(expected), tuple(actual), DEFAULT)


def found(*sides: Sequence[ToolCall]) -> Alignment:
    return align(scored(*sides))


@pytest.mark.parametrize(
    ("expected", "actual", "partners"),
    [
        ([A, B], [B, A], {0: 1, 1: 0}),
        ([A, B], [B, A, B], {1: 0, 2: 1}),
        ([B, A, B], [A, B], {0: 1, 1: 2}),
        ([A, B, A], [B, A, A], {0: 1, 1: 0, 2: 2}),
        ([f(1), B], [f(2), B, f(2)], {0: 0, 1: 1}),
        ([B, f(1)], [f(2), B, f(2)], {1: 0, 2: 1}),
        ([A, X], [X, B, A], {0: 1, 2: 0}),
    ],
)
def test_of_calls_that_are_the_same_those_in_order_are_paired(
    expected: list[ToolCall], actual: list[ToolCall], partners: dict[int, int]
) -> None:
    assert found(expected, actual).partners == partners


def test_calls_that_are_equal_but_written_otherwise_are_not_the_same() -> None:
    assert found([f(1), B], [B, f(1.0), B]).partners == {1: 0, 2: 1}
    assert found([f(1), B, f(1)], [f(1.0), f(1), B]).partners[2] == 1


def test_a_call_that_failed_is_not_the_same_as_one_that_did_not() -> None:
    failed = ToolCall("a", {}, failed=True)

    assert found([A, A], [A, failed]).repeated == frozenset()
    assert found([A, A], [failed, failed]).repeated == {1}


def test_pairs_with_other_arguments_are_known_however_they_are_chosen() -> None:
    assert found([f(1), B], [f(2), B]).wrong == {0}
    assert found([B, f(1), C], [f(2), B, f(2), C]).wrong == {1}


def test_a_pair_that_was_there_before_is_a_repeat() -> None:
    assert found([A, A, B], [A, A, B]).repeated == {1}
    assert found([A, A, B], [A, B, X]).repeated == frozenset()


def test_repeats_that_are_out_of_order_are_none() -> None:
    assert found([A, B, A], [A, A, B]).repeated == frozenset()
    assert found([A, B, A, C], [A, A, C, B]).repeated == {2}


def test_no_more_pairs_of_a_kind_are_chosen_than_there_were() -> None:
    score = scored([f(3), f(3), f(1.0)], [f(1), f(1), f(1), f(3), f(1)])
    result = align(score)

    assert (len(score.correct), len(score.incorrect)) == (2, 1)
    assert (len(result.partners), len(result.wrong)) == (3, 1)


def test_where_there_are_too_many_choices_the_pairs_stay_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(alignment, "_MAX_MATCHES", 1)

    assert found([A, B], [B, A, B]).partners == {0: 1, 1: 0}


def test_many_calls_are_aligned_in_no_time() -> None:
    expected = [f(number) for number in range(2000)]

    assert len(found(expected, expected[::-1]).partners) == 2000


calls = st.builds(f, st.sampled_from([1, 1.0, 2])) | st.sampled_from([A, B])
sides = st.lists(calls, max_size=5)


def _content(pair: tuple[ToolCall, ToolCall]) -> str:
    """What the calls of a pair are as JSON values, however they are written."""
    return fingerprint([[call.name, call.arguments, call.error] for call in pair])


def test_a_call_that_is_written_as_expected_is_preferred() -> None:
    two, written_otherwise = ToolCall("b", {"x": 2}), ToolCall("b", {"x": 2.0})

    assert align(scored([two], [written_otherwise, two])).partners == {1: 0}
    assert align(scored([A, two], [written_otherwise, A, two])).partners == {1: 0, 2: 1}
    assert align(scored([two, A], [written_otherwise, A, two])).partners == {0: 0, 1: 1}


def test_of_very_many_calls_the_pairs_stay_as_they_are() -> None:
    expected = [ToolCall("b", {"x": 2})] * 1000
    otherwise = [ToolCall("b", {"x": 2.0})] * 1000

    assert set(align(scored(expected, [*otherwise, *expected])).partners) == {*range(1000, 2000)}
    many = [*otherwise, *expected, *expected]
    assert set(align(scored(expected, many)).partners) == {*range(1000)}


@given(sides, sides)
def test_there_are_as_many_pairs_of_each_kind_as_before(
    expected: list[ToolCall], actual: list[ToolCall]
) -> None:
    score = scored(expected, actual)
    result = align(score)

    before = [(pair.expected, pair.actual) for pair in score.correct + score.incorrect]
    after = [(expected[row], actual[column]) for column, row in result.partners.items()]
    assert sorted(map(_content, before)) == sorted(map(_content, after))
    assert len(result.wrong) == len(score.incorrect)
    assert list(result.partners) == sorted(result.partners)


same = st.sampled_from([A, B, C])


@given(st.lists(same, max_size=5), st.lists(same, max_size=5))
def test_calls_are_out_of_order_only_if_no_choice_avoids_it(
    expected: list[ToolCall], actual: list[ToolCall]
) -> None:
    rows = list(align(scored(expected, actual)).partners.values())

    size = len(rows)
    is_possible = any(
        list(wanted) == list(made)
        for wanted in combinations(expected, size)
        for made in combinations(actual, size)
    )
    assert (rows == sorted(rows)) == is_possible


@pytest.mark.parametrize(
    ("left", "right", "is_so"),
    [
        ({"a": [1]}, {"a": [1]}, True),
        (1, 1.0, False),
        (True, 1, False),
        (0.0, -0.0, False),
        (float("nan"), float("nan"), True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False),
        ([1, 2], [1], False),
        ((1,), [1], False),
        ("x", "y", False),
    ],
)
def test_values_are_alike_if_they_are_written_alike(left: Any, right: Any, is_so: bool) -> None:
    assert is_written_alike(left, right) is is_so
