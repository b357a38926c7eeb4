"""Cycles of calls."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from callscore import score
from callscore.checks.check import check_calls, loop_faults, repeat_faults
from callscore.core.call import INVALID, NOT_CAPTURED, Tool, ToolCall
from callscore.core.equality import equal
from callscore.formats.calls import read_arguments


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
def test_loop_detection_agrees_with_an_exhaustive_search(names: str) -> None:
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


def made(name: str, step: int, *, failed: bool) -> ToolCall:
    return ToolCall(name, {}, step=step, failed=failed)


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
