"""The smallest difference that can be seen: what it promises is counted out."""

from __future__ import annotations

import pytest
from scipy.stats import binom

from callscore.comparing.intervals import min_flips, smallest_effect
from callscore.comparing.significance import exact_mcnemar


def power(cases: int, flipping: float, change: float) -> float:
    """The chance that the exact test finds a change, summed over everything that may fall."""
    up = (flipping + change) / 2 / flipping
    found = sum(
        binom.pmf(flips, cases, flipping) * binom.pmf(ups, flips, up)
        for flips in range(cases + 1)
        if binom.pmf(flips, cases, flipping) > 1e-7
        for ups in range(flips + 1)
        if 2 * ups > flips and exact_mcnemar(flips - ups, ups) < 0.05
    )
    return float(found)


@pytest.mark.parametrize(
    ("cases", "flipping"), [(50, 0.3), (100, 0.15), (200, 0.1), (200, 0.2), (300, 0.05)]
)
def test_the_difference_is_found_in_about_four_suites_of_five(cases: int, flipping: float) -> None:
    change = smallest_effect(cases, flipping)

    assert change is not None
    assert 0.78 <= power(cases, max(flipping, change), change) <= 0.9


@pytest.mark.parametrize("cases", [6, 20, 100, 1000])
def test_where_nothing_flips_by_chance_all_flips_of_a_difference_go_one_way(cases: int) -> None:
    change = smallest_effect(cases, 0.0)

    assert change is not None
    assert binom.sf(5, cases, change) == pytest.approx(0.8, abs=1e-6)
    assert change * cases >= 6 * 0.95


def test_five_cases_can_show_nothing() -> None:
    assert smallest_effect(5, 0.2) is None
    assert smallest_effect(6, 0.2) is not None


def test_where_everything_flips_only_all_of_it_will_do() -> None:
    assert smallest_effect(10, 1.0) == pytest.approx(0.9, abs=0.1)


def test_more_cases_see_more_and_more_noise_less() -> None:
    seen = [smallest_effect(cases, 0.2) or 1 for cases in (20, 50, 100, 200, 500, 1000)]
    noisy = [smallest_effect(200, flipping) or 1 for flipping in (0, 0.05, 0.1, 0.2, 0.4)]

    assert seen == sorted(seen, reverse=True)
    assert noisy == sorted(noisy)


def test_a_test_among_many_needs_a_clearer_difference() -> None:
    alone, among = smallest_effect(200, 0.1), smallest_effect(200, 0.1, tests=20)

    assert alone is not None
    assert among is not None
    assert among > alone
    assert [min_flips(tests) for tests in (1, 2, 20)] == [6, 7, 10]


def test_it_is_never_less_than_what_whole_cases_need() -> None:
    floor = smallest_effect(200, 0.0)

    assert smallest_effect(200, 1.0, size=0.01) == floor
    whole, half = smallest_effect(200, 0.4), smallest_effect(200, 0.4, size=0.5)
    assert whole is not None
    assert half == pytest.approx(whole / 2)
