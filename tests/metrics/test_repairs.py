"""Cases with some of their faults repaired."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.call import ToolCall
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT
from callscore.metrics.repairs import REPAIR_KINDS, RepairKind, fault_kinds_of, repair_case

if TYPE_CHECKING:
    from callscore.core.score import Score

A, B, C, X = (ToolCall(name, {}) for name in "abcx")


def f(value: Any) -> ToolCall:
    return ToolCall("f", {"a": value})


def scored(expected: list[ToolCall], actual: list[ToolCall]) -> Score:
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
