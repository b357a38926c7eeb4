"""Names of tools, compared as the settings ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from callscore.core.settings import Settings
from callscore.core.tool_names import (
    comparable_name,
    count_same_names,
    matches_pattern,
)

if TYPE_CHECKING:
    from callscore.core.settings import Order


def compared(name: str, **values: Any) -> str:
    return comparable_name(name, Settings(**values))


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


# Patterns for names.


def test_many_stars_against_a_long_name_come_to_an_end() -> None:
    assert not matches_pattern("*a" * 30 + "b", "a" * 5_000)
