from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.tool_names import count_same_names

if TYPE_CHECKING:
    from callscore.core.settings import Order

NAMES = st.text("abc", max_size=12)


def longest_common_subsequence(left: str, right: str) -> int:
    """The textbook table."""
    above = [0] * (len(right) + 1)
    for name in left:
        row = [0]
        for column, other in enumerate(right):
            row.append(above[column] + 1 if name == other else max(row[-1], above[column + 1]))
        above = row
    return above[-1]


@pytest.mark.parametrize(
    ("expected", "actual", "any_order", "in_order", "exact"),
    [
        ("", "", 0, 0, 0),
        ("a", "", 0, 0, 0),
        ("", "a", 0, 0, 0),
        ("abc", "abc", 3, 3, 3),
        ("abc", "cba", 3, 1, 1),
        ("ab", "xaxb", 2, 2, 0),
        ("aab", "ab", 2, 2, 1),
        ("ab", "aab", 2, 2, 1),
        ("abcd", "bcda", 4, 3, 0),
    ],
)
def test_names_are_counted_as_the_order_allows(
    expected: str, actual: str, any_order: int, in_order: int, exact: int
) -> None:
    assert count_same_names(expected, actual, "any") == any_order
    assert count_same_names(expected, actual, "in_order") == in_order
    assert count_same_names(expected, actual, "exact") == exact


@given(NAMES, NAMES)
def test_the_longest_sequence_is_that_of_the_textbook(expected: str, actual: str) -> None:
    assert count_same_names(expected, actual, "in_order") == longest_common_subsequence(
        expected, actual
    )


@given(NAMES, NAMES)
def test_a_stricter_order_never_counts_more(expected: str, actual: str) -> None:
    orders: list[Order] = ["exact", "in_order", "any"]
    counts = [count_same_names(expected, actual, order) for order in orders]

    assert counts == sorted(counts)
    assert counts[-1] <= min(len(expected), len(actual))


def test_names_are_compared_as_they_are_spelled() -> None:
    assert count_same_names(["Search", "поиск"], ["search", "поиск"], "any") == 1
