"""Cycles of calls."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.checks.repetition import loop_faults
from callscore.core.call import ToolCall


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
