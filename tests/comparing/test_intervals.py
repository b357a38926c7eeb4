"""Tango's interval: the ends are where the score test just does not reject."""

from __future__ import annotations

from math import log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from callscore.comparing.intervals import paired_interval, score_p_value
from callscore.comparing.significance import exact_mcnemar

Z = norm.ppf(0.975)


def score(difference: float, down: int, up: int, cases: int) -> float:
    """How far a difference is from what was seen, with the likeliest shares found by search."""
    same = cases - down - up

    def unlikeliness(share: float) -> float:
        shares = (share, share + difference, 1 - 2 * share - difference)
        counted = [pair for pair in zip((down, up, same), shares, strict=True) if pair[0]]
        return -sum(count * log(max(share, 1e-300)) for count, share in counted)

    least, most = max(0.0, -difference), (1 - difference) / 2
    found = minimize_scalar(
        unlikeliness, bounds=(least, most), method="bounded", options={"xatol": 1e-13}
    ).x
    variance = (2 * found + difference - difference**2) / cases
    return ((up - down) / cases - difference) / sqrt(variance)


@pytest.mark.parametrize(
    ("down", "up", "cases"),
    [(5, 0, 50), (3, 2, 20), (12, 30, 200), (1, 1, 1000), (60, 20, 100), (20, 21, 41)],
)
def test_both_ends_are_as_far_away_as_the_confidence_says(down: int, up: int, cases: int) -> None:
    low, high = paired_interval(down, up, cases)

    assert score(low, down, up, cases) == pytest.approx(Z, abs=1e-4)
    assert score(high, down, up, cases) == pytest.approx(-Z, abs=1e-4)


def test_without_a_flip_the_interval_still_has_a_width() -> None:
    low, high = paired_interval(0, 0, 200)

    assert -low == high == pytest.approx(Z**2 / (200 + Z**2), abs=1e-9)


def test_where_all_flip_one_way_the_end_is_the_end() -> None:
    low, high = paired_interval(0, 20, 20)

    assert high == 1
    assert 0.6 < low < 0.9
    assert paired_interval(20, 0, 20) == (-1, -low)


flips = st.integers(1, 400).flatmap(
    lambda cases: st.integers(0, cases).flatmap(
        lambda down: st.tuples(st.just(down), st.integers(0, cases - down), st.just(cases))
    )
)


@given(flips)
def test_an_interval_holds_what_was_seen_and_mirrors_when_the_runs_are_swapped(
    seen: tuple[int, int, int],
) -> None:
    down, up, cases = seen
    low, high = paired_interval(down, up, cases)

    assert -1 <= low <= (up - down) / cases <= high <= 1
    assert paired_interval(up, down, cases) == pytest.approx((-high, -low), abs=1e-12)
    wide = paired_interval(down, up, cases, confidence=0.99)
    assert wide.low <= low + 1e-12
    assert wide.high >= high - 1e-12


def test_what_the_exact_test_believes_the_interval_believes() -> None:
    for flipped in range(1, 200):
        for down in range(flipped // 2 + 1):
            up = flipped - down
            if exact_mcnemar(down, up) < 0.05:
                assert paired_interval(down, up, flipped + 50).low > 0


@pytest.mark.parametrize(("down", "up", "cases"), [(3, 1, 20), (0.4, 2.7, 12), (5, 0, 200)])
def test_the_interval_ends_where_the_p_value_is_five_per_cent(
    down: float, up: float, cases: int
) -> None:
    low, high = paired_interval(down, up, cases)

    assert score_p_value(down, up, cases, low) == pytest.approx(0.05)
    assert score_p_value(down, up, cases, high) == pytest.approx(0.05)
    assert score_p_value(down, up, cases, (up - down) / cases) == 1


def test_a_difference_that_cannot_be_has_no_chance() -> None:
    assert score_p_value(1, 2, 10, 1.5) == score_p_value(1, 2, 10, -1.5) == 0
    assert score_p_value(0, 0, 10, 1.0) == 0
