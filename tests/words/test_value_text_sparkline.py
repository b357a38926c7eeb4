"""Numbers as a line of small bars."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.words.value_text import sparkline


@pytest.mark.parametrize(
    ("shares", "line"),
    [
        ([], ""),
        ([0.0, 0.5, 1.0], "▁▅█"),
        ([0.2, 0.4, 0.6, 0.8], "▁▃▆█"),
        ([1.0, 0.0], "█▁"),
    ],
)
def test_the_lowest_share_has_the_lowest_bar_and_the_highest_the_highest(
    shares: list[float], line: str
) -> None:
    assert sparkline(shares) == line


def test_a_small_step_looks_small() -> None:
    assert sparkline([0.50, 0.51]) == "▄▅"
    assert sparkline([0.50, 0.60]) == "▁█"


@pytest.mark.parametrize(("share", "line"), [(0.0, "▁▁"), (0.5, "▅▅"), (1.0, "██")])
def test_shares_that_are_all_alike_stand_where_they_belong(share: float, line: str) -> None:
    assert sparkline([share, share]) == line


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_there_is_a_bar_for_each_and_a_higher_share_never_has_a_lower_one(
    shares: list[float],
) -> None:
    line = sparkline(shares)

    assert len(line) == len(shares)
    in_order = [bar for _, bar in sorted(zip(shares, line, strict=True))]
    assert in_order == sorted(in_order)
