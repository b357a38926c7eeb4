"""Cases with some of their faults repaired."""

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
from callscore.metrics.repairs import (
    REPAIR_KINDS,
    RepairKind,
    align,
    fault_kinds_of,
    repair_case,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.score import Score

A, B, C, X = (ToolCall(name, {}) for name in "abcx")


def f(value: Any) -> ToolCall:
    return ToolCall("f", {"a": value})


def scored(expected: Sequence[ToolCall], actual: Sequence[ToolCall]) -> Score:
    return score_calls(tuple(expected), tuple(actual), DEFAULT)


@pytest.mark.parametrize(
    ("expected", "actual", "faults"),
    [
        ([], [], ()),
        ([A, B], [A, B], ()),
        ([A, B], [B, A], ("order",)),
        ([A], [A, X], ("extra",)),
        ([A, B], [A], ("missed",)),
        ([f(1)], [f(2)], ("arguments",)),
        ([f(1)], [f(1.0)], ("form",)),
        ([f(0.0)], [f(-0.0)], ("form",)),
        ([f(float("nan"))], [f(float("nan"))], ()),
        ([f({"p": 1, "q": [2]})], [f({"q": [2], "p": 1})], ("form",)),
        ([f([1, 2])], [f([1, 2.0])], ("form",)),
        ([f([1, 2])], [f([1])], ("arguments",)),
        ([f((1, 2))], [f([1, 2])], ("form",)),
        ([f("x")], [f("x")], ()),
        ([ToolCall("f")], [f(1)], ("form",)),
        ([A, A], [A, A], ("repeats",)),
        ([A], [A, A], ("extra",)),
        ([A, A], [A], ("missed",)),
        ([f(1), f(1)], [f(1), f(2)], ("arguments",)),
        ([f(1), f(1)], [f(2), f(2)], ("arguments",)),
        ([f(1)], [f(1.0), f(1)], ("extra",)),
        ([f(1), f(1)], [f(1), f(1.0)], ("form",)),
        ([A, B], [B, A, B], ("extra",)),
        ([B, A, B], [A, B], ("missed",)),
        ([A, B, A], [A, A, B], ("order",)),
        ([A, B, A, C], [A, A, C, B], ("order", "repeats")),
        ([f(1), f(2)], [f(2), f(1)], ("order",)),
        ([f(1), f(2)], [f(1), f(2)], ()),
        ([f(1), B], [X, B, f(2)], ("order", "extra", "arguments")),
    ],
)
def test_the_faults_of_a_case_are_found(
    expected: list[ToolCall], actual: list[ToolCall], faults: tuple[str, ...]
) -> None:
    assert fault_kinds_of(scored(expected, actual)) == faults


@pytest.mark.slow
def test_a_value_may_be_nested_deeper_than_the_interpreter_can_follow() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    other: Any = 1.0
    for _ in range(100_000):
        other = [other]

    score = scored([f(deep), f(deep)], [f(other)])

    assert fault_kinds_of(score) == ("missed", "form")
    assert len(repair_case(score, REPAIR_KINDS).actual) == 2
    while isinstance(deep, list):  # or taking it down would go just as deep
        deep, other = deep.pop(), other.pop()


values = st.sampled_from([1, 1.0, True, "1", None, [1], {"p": 1, "q": 2}, {"q": 2, "p": 1}])
calls = st.builds(
    ToolCall, st.sampled_from("fgh"), st.none() | st.dictionaries(st.sampled_from("ab"), values)
)
sides = st.lists(calls, max_size=5)


@given(sides, sides, st.sets(st.sampled_from(REPAIR_KINDS)))
def test_repaired_faults_are_no_longer_found_in_the_case(
    expected: list[ToolCall], actual: list[ToolCall], kinds: set[RepairKind]
) -> None:
    score = scored(expected, actual)

    left = fault_kinds_of(scored(*map(list, repair_case(score, kinds))))

    if kinds >= {"extra", "missed"}:
        assert not {"extra", "missed"} & set(left)
    if kinds == {"repeats"}:
        assert {"order", "extra", "missed", "arguments"} & set(fault_kinds_of(score)) <= set(left)
    if kinds >= {"order", "extra", "missed", "arguments", "form"}:
        assert set(left) <= {"repeats"}


@given(sides, sides)
def test_with_all_repaired_the_calls_are_the_expected_ones(
    expected: list[ToolCall], actual: list[ToolCall]
) -> None:
    wanted, made = repair_case(scored(expected, actual), REPAIR_KINDS)

    assert [(call.name, repr(call.arguments)) for call in wanted] == [
        (call.name, repr(call.arguments)) for call in made
    ]


@given(sides, sides)
def test_with_nothing_repaired_the_calls_are_as_they_were(
    expected: list[ToolCall], actual: list[ToolCall]
) -> None:
    assert repair_case(scored(expected, actual), ()) == (tuple(expected), tuple(actual))


# Which actual call stands for which expected one, where several of them are the same.


similar_calls = st.builds(f, st.sampled_from([1, 1.0, 2])) | st.sampled_from([A, B])
similar_sides = st.lists(similar_calls, max_size=5)


def _content(pair: tuple[ToolCall, ToolCall]) -> str:
    """What the calls of a pair are as JSON values, however they are written."""
    return fingerprint([[call.name, call.arguments, call.error] for call in pair])


def test_of_very_many_calls_the_pairs_stay_as_they_are() -> None:
    expected = [ToolCall("b", {"x": 2})] * 1000
    otherwise = [ToolCall("b", {"x": 2.0})] * 1000

    assert set(align(scored(expected, [*otherwise, *expected])).partners) == {*range(1000, 2000)}
    many = [*otherwise, *expected, *expected]
    assert set(align(scored(expected, many)).partners) == {*range(1000)}


@given(similar_sides, similar_sides)
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
