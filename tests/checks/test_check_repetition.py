"""Cycles of calls."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from callscore import score
from callscore.checks.check import check_calls, loop_faults, repeat_faults, retry_faults
from callscore.core.call import INVALID, NOT_CAPTURED, Tool, ToolCall
from callscore.core.equality import equal
from callscore.core.score import Fault
from callscore.formats.calls import read_arguments


def _loops(names: str) -> list[tuple[int | None, int, str | None]]:
    faults = loop_faults([ToolCall(name) for name in names])
    return [(fault.since, fault.index, fault.detail) for fault in faults]


@pytest.mark.parametrize(
    ("names", "loops"),
    [
        ("", []),
        ("aa", []),
        ("abab", []),
        ("aaa", [(0, 2, "a")]),
        ("aaaaaa", [(0, 2, "a")]),
        ("xababab", [(1, 6, "a, b")]),
        ("abababa", [(0, 5, "a, b")]),
        ("abcabcabcx", [(0, 8, "a, b, c")]),
        ("aabaabaab", [(0, 8, "a, a, b")]),
        ("aaaxbbb", [(0, 2, "a"), (4, 6, "b")]),
        ("aaabaaabaaab", [(0, 2, "a"), (4, 6, "a"), (8, 10, "a"), (0, 11, "a, a, a, b")]),
        ("abababaaaaaa", [(0, 5, "a, b"), (6, 8, "a")]),
        ("abcdefabcdefabcdef", [(0, 17, "a, b, c, d, e, …")]),
    ],
)
def test_a_loop_is_told_where_its_third_round_ends(
    names: str, loops: list[tuple[int, int, str]]
) -> None:
    assert _loops(names) == loops


def test_calls_with_other_arguments_are_no_loop() -> None:
    assert loop_faults([ToolCall("page", {"number": number}) for number in range(9)]) == ()


def _by_hand(items: str) -> set[tuple[int, int]]:
    """Where every longest stretch begins that is a cycle at least three times, and the cycle."""
    found: dict[tuple[int, int], int] = {}
    for start in range(len(items)):
        for end in range(start + 3, len(items) + 1):
            piece = items[start:end]
            period = next(
                n for n in range(1, len(piece) + 1) if piece[n:] == piece[: len(piece) - n]
            )
            if len(piece) >= 3 * period:
                found[start, end] = period
    return {
        (start, period)
        for (start, end), period in found.items()
        if found.get((start - 1, end)) != period and found.get((start, end + 1)) != period
    }


@given(st.text("ab", max_size=24) | st.text("abc", max_size=18))
def test_it_finds_what_looking_everywhere_finds(names: str) -> None:
    faults = loop_faults([ToolCall(name) for name in names])

    found = [(fault.since or 0, (fault.index + 1 - (fault.since or 0)) // 3) for fault in faults]

    assert len(found) == len(set(found))
    assert set(found) == _by_hand(names)


@pytest.mark.parametrize("cycle", ["a", "ab", "abcdefghij" * 30 + "x", "a" * 500 + "b"])
def test_a_loop_of_ten_thousand_calls_is_found_in_one_go(cycle: str) -> None:
    calls = [ToolCall(name) for name in (cycle * 10_000)[:10_000]]

    faults = loop_faults(calls)

    assert (0, 3 * len(cycle) - 1) in [(fault.since, fault.index) for fault in faults]


# Calls that were made before.

calls = st.builds(
    ToolCall,
    st.sampled_from(["f", "g"]),
    st.none() | st.dictionaries(st.sampled_from("ab"), st.sampled_from([0, 0.0, False, "0"])),
)


def test_every_later_call_that_is_the_same_is_a_repeat_of_the_first() -> None:
    call = ToolCall("f", {"a": 1, "b": [2]}, id="x")
    same = ToolCall("f", {"b": [2.0], "a": 1}, id="y", failed=True)

    assert repeat_faults([call, ToolCall("g", call.arguments), same, call]) == (
        Fault("repeat", "f", 2, since=0),
        Fault("repeat", "f", 3, since=0),
    )


def test_no_arguments_are_the_same_as_an_empty_object() -> None:
    assert len(repeat_faults([ToolCall("f"), ToolCall("f", {})])) == 1


def test_unreadable_arguments_are_the_same_where_their_text_is() -> None:
    def broken(text: str) -> ToolCall:
        return ToolCall("f", raw=text, error=INVALID)

    assert repeat_faults([broken("{"), broken("{{")]) == ()
    assert len(repeat_faults([broken("{"), broken("{")])) == 1


def test_calls_whose_arguments_nobody_wrote_down_are_not_the_same() -> None:
    assert repeat_faults([ToolCall("f", error=NOT_CAPTURED)] * 3) == ()


@given(st.lists(calls, max_size=8))
def test_a_repeat_is_what_json_equality_says(made: list[ToolCall]) -> None:
    found = {fault.index for fault in repeat_faults(made)}

    assert found == {
        index
        for index, call in enumerate(made)
        if any(
            other.name == call.name and equal(other.arguments or {}, call.arguments or {})
            for other in made[:index]
        )
    }


# Calls that failed and were made again.

FAILED = ToolCall("pay", {"sum": 5}, failed=True)
AGAIN = ToolCall("pay", {"sum": 5})
FINE = ToolCall("login", {}, failed=False)


def test_the_same_call_after_a_failure_is_told() -> None:
    assert retry_faults([FAILED, AGAIN]) == (Fault("retry_unchanged", "pay", 1, since=0),)


def test_another_call_after_a_failure_is_not() -> None:
    assert retry_faults([FAILED, ToolCall("pay", {"sum": 6})]) == ()


def test_the_same_call_after_a_success_is_not() -> None:
    assert retry_faults([AGAIN, AGAIN]) == ()


def test_a_success_in_between_may_have_changed_something() -> None:
    assert retry_faults([FAILED, FINE, AGAIN]) == ()


def test_another_failure_in_between_changed_nothing() -> None:
    other = ToolCall("login", {}, failed=True)

    assert retry_faults([FAILED, other, AGAIN]) == (Fault("retry_unchanged", "pay", 2, since=0),)


def test_each_of_several_retries_names_the_failure_before_it() -> None:
    assert [fault.since for fault in retry_faults([FAILED, FAILED, FAILED])] == [0, 1]


def test_calls_of_one_step_do_not_know_of_each_other() -> None:
    def step(number: int) -> ToolCall:
        return ToolCall("pay", {"sum": 5}, step=number, failed=True)

    assert retry_faults([step(1), step(1)]) == ()
    assert len(retry_faults([step(1), step(2)])) == 1


def made(name: str, step: int, *, failed: bool) -> ToolCall:
    return ToolCall(name, {}, step=step, failed=failed)


def test_a_success_in_the_step_of_the_failure_or_of_the_retry_may_be_in_between() -> None:
    first = [made("pay", 0, failed=True), made("login", 0, failed=False)]
    second = [made("pay", 1, failed=True), made("login", 1, failed=False)]
    failure, retry = first[0], second[0]

    for before in permutations(first):
        assert retry_faults([*before, retry]) == ()
    for after in permutations(second):
        assert retry_faults([failure, *after]) == ()


def test_a_retry_that_succeeds_is_still_a_retry() -> None:
    calls = [made("pay", 0, failed=True), made("pay", 1, failed=False), made("g", 1, failed=True)]

    assert [fault.index for fault in retry_faults(calls)] == [1]


def test_the_rounds_of_a_loop_may_have_the_calls_of_a_step_in_any_order() -> None:
    rounds = ["ab", "ba", "ab"]
    calls = [ToolCall(name, step=step) for step, names in enumerate(rounds) for name in names]

    (fault,) = loop_faults(calls)

    assert (fault.since, fault.index, fault.detail) == (0, 5, "a, b")


def test_a_loop_of_calls_without_a_name_names_them_visibly() -> None:
    (fault,) = loop_faults([ToolCall("", {})] * 3)

    assert fault.detail == "''"


def test_texts_that_were_cut_may_differ_where_nobody_sees_it() -> None:
    long = read_arguments("{" + "x" * 5000)
    call = ToolCall("f", raw=long.raw, error=long.error)

    assert repeat_faults([call, call]) == ()
    assert len(score([], [call, call], repeated_calls="collapse").extra) == 2


# What holds for all traces.

ARGUMENTS = st.sampled_from([{}, {"a": 1}, {"a": 1.0}, {"a": True}])
BROKEN = st.sampled_from(["{", "{{", "[1]", "x" * 2000 + "…"])
READABLE = st.builds(ToolCall, st.sampled_from(["f", "g", ""]), ARGUMENTS)
UNREADABLE = st.one_of(
    st.builds(ToolCall, st.sampled_from("fg"), raw=BROKEN, error=st.just(INVALID)),
    st.builds(ToolCall, st.sampled_from("fg"), error=st.sampled_from([NOT_CAPTURED, "lost"])),
)


@st.composite
def traces(draw: st.DrawFn) -> tuple[list[ToolCall], list[ToolCall]]:
    """A trace, and the same with the calls within each step in another order."""
    ordered: list[ToolCall] = []
    shuffled: list[ToolCall] = []
    for number in range(draw(st.integers(0, 6))):
        step = [
            structs.replace(call, step=number, failed=draw(st.sampled_from([True, False, None])))
            for call in draw(st.lists(READABLE | UNREADABLE, max_size=3))
        ]
        ordered += step
        shuffled += draw(st.permutations(step))
    return ordered, shuffled


@given(traces())
def test_no_fault_depends_on_the_order_within_a_step(trace: Any) -> None:
    def found(calls: list[ToolCall]) -> Counter[Any]:
        faults = check_calls(calls, {"f": Tool("f"), "g": Tool("g", None, {"required": ["a"]})})
        return Counter(
            (fault.kind, call.step, call.name, str(call.arguments or {}), call.raw, fault.detail)
            for fault in faults
            for call in [calls[fault.index]]
        )

    ordered, shuffled = trace

    # Two equal calls may be written differently, and either may come first.
    assert {key[:3] for key in found(ordered)} == {key[:3] for key in found(shuffled)}
    assert found(ordered).total() == found(shuffled).total()
    retries = [
        {(key[1], key[2], key[4]) for key in found(each) if key[0] == "retry_unchanged"}
        for each in trace
    ]
    assert retries[0] == retries[1]


@given(st.lists(READABLE | UNREADABLE, max_size=8))
def test_check_and_scoring_agree_on_what_a_repeat_is(calls: list[ToolCall]) -> None:
    collapsed = score([], calls, repeated_calls="collapse")

    assert [ignored.call for ignored in collapsed.ignored] == [
        calls[fault.index] for fault in repeat_faults(calls)
    ]
