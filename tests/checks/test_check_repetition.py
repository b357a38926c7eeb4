"""Cycles of calls."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.checks.check import loop_faults, repeat_faults, retry_faults
from callscore.core.call import INVALID, NOT_CAPTURED, ToolCall
from callscore.core.equality import equal
from callscore.core.score import Fault


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
