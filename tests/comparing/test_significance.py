"""The exact test of McNemar, held against other libraries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar

from callscore.comparing.significance import exact_mcnemar


@pytest.mark.parametrize(
    ("down", "up"), [(0, 0), (1, 0), (5, 0), (0, 6), (7, 1), (12, 4), (40, 20), (900, 1000)]
)
def test_the_p_value_is_the_one_of_statsmodels(down: int, up: int) -> None:
    expected = mcnemar([[50, down], [up, 50]], exact=True).pvalue if down + up else 1.0

    assert exact_mcnemar(down, up) == pytest.approx(expected, rel=1e-9)


@given(st.integers(0, 300), st.integers(0, 300))
def test_the_p_value_is_the_one_of_a_fair_coin(down: int, up: int) -> None:
    expected = binomtest(down, down + up).pvalue if down + up else 1.0

    assert exact_mcnemar(down, up) == pytest.approx(expected, rel=1e-9)
    assert exact_mcnemar(down, up) == exact_mcnemar(up, down)


def test_six_flips_one_way_are_the_fewest_that_are_believed() -> None:
    assert exact_mcnemar(5, 0) == pytest.approx(0.0625)
    assert exact_mcnemar(6, 0) == pytest.approx(0.03125)


def test_as_many_one_way_as_the_other_say_nothing() -> None:
    assert exact_mcnemar(0, 0) == exact_mcnemar(1, 1) == exact_mcnemar(500, 500) == 1


def test_very_many_flips_are_no_trouble() -> None:
    assert exact_mcnemar(0, 5000) == 0
    assert exact_mcnemar(50_000, 50_600) == pytest.approx(
        binomtest(50_000, 100_600).pvalue, rel=1e-6
    )
