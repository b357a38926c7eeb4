"""The saddlepoint approximation, held against a distribution that is known."""

from __future__ import annotations

from math import log

import pytest
from scipy.stats import gamma, norm

from callscore.comparing.intervals import Cumulants, find_root, normal_score


def of_gamma(shape: float, tilt: float) -> Cumulants:
    return Cumulants(-shape * log(1 - tilt), shape / (1 - tilt), shape / (1 - tilt) ** 2)


@pytest.mark.parametrize("shape", [2.0, 10.0, 300.0])
@pytest.mark.parametrize("tilt", [-3.0, -0.4, -0.05, 0.05, 0.3, 0.7])
def test_a_gamma_distribution_is_met_to_a_part_in_a_hundred(shape: float, tilt: float) -> None:
    at = of_gamma(shape, tilt)

    found = normal_score(tilt, at)

    exact = gamma.logcdf if tilt < 0 else gamma.logsf
    normal = norm.logcdf(found) if tilt < 0 else norm.logsf(found)
    assert normal == pytest.approx(exact(at.mean, shape), abs=0.02)


def test_in_the_very_middle_the_score_is_given() -> None:
    assert normal_score(0.0, of_gamma(10, 0.0), middle=0.1) == 0.1
    assert normal_score(1e-6, of_gamma(10, 1e-6), middle=0.1) == 0.1


def test_where_nothing_is_left_to_vary_the_score_is_finite() -> None:
    assert normal_score(100.0, Cumulants(80.0, 1.0, 0.0)) == pytest.approx(40**0.5)


@pytest.mark.parametrize("start", [0.01, 1.0, 50.0])
def test_a_crossing_is_found_from_anywhere(start: float) -> None:
    assert find_root(lambda x: x**3 + x, 10.0, start) == pytest.approx(2, abs=1e-6)
    assert find_root(lambda x: x**3 + x, -10.0, -start) == pytest.approx(-2, abs=1e-6)


def test_where_there_is_no_crossing_the_search_ends() -> None:
    assert find_root(lambda x: x / (1 + abs(x)), 2.0, 1.0) > 1e9


def test_a_flat_function_ends_the_search() -> None:
    assert find_root(lambda x: float(x > 0.3), 1.0, 0.5) == 0.5


def test_a_function_that_jumps_over_the_value_is_met_where_it_jumps() -> None:
    assert find_root(lambda x: 2.0 if x > 0.3 else -1.0, 0.0, 1.0) == pytest.approx(0.3, abs=1e-6)
