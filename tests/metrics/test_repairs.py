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
from callscore.metrics import repairs
from callscore.metrics.repairs import (
    REPAIR_KINDS,
    Alignment,
    RepairKind,
    align,
    fault_kinds_of,
    is_written_alike,
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


def mended(
    expected: list[ToolCall], actual: list[ToolCall], *kinds: RepairKind
) -> tuple[list[ToolCall], list[ToolCall]]:
    sides = repair_case(scored(expected, actual), kinds)
    return list(sides.expected), list(sides.actual)


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


def test_calls_are_put_in_the_expected_order_and_the_others_stay() -> None:
    assert mended([A, B, C], [C, X, A, B], "order") == ([A, B, C], [A, X, B, C])


def test_a_call_that_is_moved_goes_into_the_message_of_its_new_place() -> None:
    first, second = ToolCall("b", {}, step=0), ToolCall("a", {}, step=1)

    _, actual = mended([A, B], [first, second], "order")

    assert [(call.name, call.step) for call in actual] == [("a", 0), ("b", 1)]


def test_extra_calls_are_dropped() -> None:
    assert mended([A, B], [X, B, X, A], "extra") == ([A, B], [B, A])


def test_a_missed_call_is_made_after_the_one_before_it() -> None:
    assert mended([A, B, C], [X, C, A], "missed") == ([A, B, C], [X, C, A, B])
    assert mended([A, B, C], [X, C], "missed") == ([A, B, C], [A, B, X, C])


def test_a_missed_call_is_made_in_the_message_of_the_one_before_it() -> None:
    _, actual = mended([A, B], [ToolCall("a", {}, step=7)], "missed")

    assert [call.step for call in actual] == [7, 7]


def test_arguments_become_the_expected_ones() -> None:
    assert mended([f(1), B], [B, f(2), f(3)], "arguments") == ([f(1), B], [B, f(1), f(3)])


def test_arguments_that_could_not_be_read_become_the_expected_ones() -> None:
    broken = ToolCall("f", None, id="c1", raw="{", error="truncated_json")

    _, actual = mended([f(1)], [broken], "arguments")

    assert actual == [ToolCall("f", {"a": 1}, id="c1")]


def test_what_is_written_otherwise_is_written_as_expected() -> None:
    _, (call,) = mended([f({"p": 1, "q": 2})], [f({"q": 2.0, "p": 1})], "form")

    assert repr(call.arguments) == "{'a': {'p': 1, 'q': 2}}"


def test_to_write_otherwise_is_not_to_say_something_else() -> None:
    assert mended([f(1)], [f(2)], "form") == ([f(1)], [f(2)])


def test_repeated_calls_become_one_on_both_sides() -> None:
    assert mended([A, B, A], [A, A, B], "repeats") == ([A, B, A], [A, A, B])
    assert mended([A, A, B], [A, A, f(1), f(1)], "repeats") == ([A, B], [A, f(1), f(1)])


def test_a_call_that_is_extra_or_missed_is_no_repeat() -> None:
    assert mended([A, B], [A, B, B], "repeats") == ([A, B], [A, B, B])
    assert mended([A, A, B], [A, B], "repeats") == ([A, A, B], [A, B])


def test_of_calls_that_are_the_same_the_one_in_its_place_stays() -> None:
    assert mended([A, B], [B, A, B], "extra") == ([A, B], [A, B])


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
def test_what_is_repaired_is_no_fault_any_more(
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
    monkeypatch.setattr(repairs, "_MAX_MATCHES", 1)

    assert found([A, B], [B, A, B]).partners == {0: 1, 1: 0}


def test_many_calls_are_aligned_in_no_time() -> None:
    expected = [f(number) for number in range(2000)]

    assert len(found(expected, expected[::-1]).partners) == 2000


similar_calls = st.builds(f, st.sampled_from([1, 1.0, 2])) | st.sampled_from([A, B])
similar_sides = st.lists(similar_calls, max_size=5)


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
