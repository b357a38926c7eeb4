from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core import in_order
from callscore.core.budget import Budget, OverBudget
from callscore.core.call import ToolCall
from callscore.core.in_order import match_in_order
from callscore.core.settings import Mode, Settings
from callscore.core.tool_names import count_same_names

if TYPE_CHECKING:
    from collections.abc import Sequence

IN_ORDER = Settings(order="in_order")


def calls(text: str) -> list[ToolCall]:
    """One call a character: a letter is a tool, a digit is `f` with that argument."""
    return [
        ToolCall("f", {"n": int(character)}) if character.isdigit() else ToolCall(character, {})
        for character in text
    ]


@given(st.text("ab", max_size=30), st.text("ab", max_size=30))
def test_calls_without_arguments_pair_as_often_as_their_names_allow(
    expected: str, actual: str
) -> None:
    matches = match_in_order(calls(expected), calls(actual), 0, IN_ORDER, Budget())

    assert len(matches) == count_same_names(expected, actual, "in_order")
    assert [row for row, _, _ in matches] == sorted({row for row, _, _ in matches})
    assert [column for _, column, _ in matches] == sorted({column for _, column, _ in matches})
    assert all(expected[row] == actual[column] and right for row, column, right in matches)


def test_too_many_calls_are_refused_before_any_are_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many = [ToolCall("f", {"n": number}) for number in range(4000)]
    monkeypatch.setattr(in_order, "Weigher", None)

    with pytest.raises(OverBudget, match="stopped at \"order 'in_order'\""):
        match_in_order(many, many, 0, IN_ORDER, Budget())


def test_many_calls_of_different_tools_are_within_the_budget() -> None:
    expected = [ToolCall(f"tool {number}", {}) for number in range(1500)]

    assert len(match_in_order(expected, expected[700:], 0, IN_ORDER, Budget())) == 800


SHORT = st.lists(
    st.builds(
        ToolCall,
        st.sampled_from("fg"),
        st.none() | st.dictionaries(st.sampled_from("ab"), st.integers(0, 2)),
    ),
    max_size=12,
)


@given(SHORT, SHORT, st.sampled_from(Mode), st.sampled_from([1, 2, 5]), st.sampled_from([0, 1, 8]))
def test_blocks_of_rows_and_both_ways_to_add_a_row_give_the_same_pairs(
    expected: list[ToolCall], actual: list[ToolCall], mode: Mode, block: int, sparse: int
) -> None:
    settings = Settings(mode=mode, order="in_order")
    whole = match_in_order(expected, actual, 0, settings, Budget())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_order, "_BLOCK", block)
        patch.setattr(in_order, "_FEW_COLUMNS", 0)
        patch.setattr(in_order, "_SPARSE", sparse)
        assert match_in_order(expected, actual, 0, settings, Budget()) == whole


def test_the_memory_grows_with_the_number_of_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []

    class Counting(in_order._Worths):
        def restart(self, row: Sequence[int]) -> None:
            kept.append(len(row))
            super().restart(row)

    monkeypatch.setattr(in_order, "_Worths", Counting)
    monkeypatch.setattr(in_order, "_BLOCK", 10)
    many = [ToolCall("f", {"n": number}) for number in range(100)]

    match_in_order(many, many[::-1], 0, IN_ORDER, Budget())

    assert len(kept) == 10  # not one for each of the hundred rows


def test_worths_that_do_not_fit_into_64_bits_are_copied_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The denominators of the overlaps are primes, so that their common multiple is huge.
    primes = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59)
    expected = [ToolCall("f", {str(key): key for key in range(prime)}) for prime in primes]
    actual = [ToolCall("f", (call.arguments or {}) | {"0": "other"}) for call in expected]
    monkeypatch.setattr(in_order, "_BLOCK", 4)

    matches = match_in_order(expected, actual, 0, IN_ORDER, Budget())

    assert matches == [(at, at, False) for at in range(len(primes))]


def test_any_number_of_different_worths_is_possible() -> None:
    arguments = {str(key): key for key in range(300)}
    expected = [ToolCall("f", arguments)]
    actual = [
        ToolCall("f", dict.fromkeys(arguments, "other") | {str(at): at for at in range(matched)})
        for matched in range(300)
    ]

    assert match_in_order(expected, actual, 0, IN_ORDER, Budget()) == [(0, 299, False)]
