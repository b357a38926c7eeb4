"""The normal distribution, against the one of the standard library."""

from __future__ import annotations

from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.comparing.normal import normal_probability, normal_quantile

_DISTRIBUTION = NormalDist()


@given(st.floats(min_value=0.0, max_value=1.0, exclude_min=True, exclude_max=True))
def test_quantiles_are_those_of_the_standard_library(probability: float) -> None:
    # Compilers may round once where Python rounds twice.
    expected = pytest.approx(_DISTRIBUTION.inv_cdf(probability), rel=1e-14, abs=1e-300)
    assert normal_quantile(probability) == expected


@given(st.floats(min_value=-40.0, max_value=40.0))
def test_probabilities_are_those_of_the_standard_library(score: float) -> None:
    assert normal_probability(score) == _DISTRIBUTION.cdf(score)


@pytest.mark.parametrize("probability", [0.0, 1.0, -0.5, 1.5])
def test_other_numbers_than_probabilities_have_no_quantile(probability: float) -> None:
    with pytest.raises(ValueError, match=r"math domain error|expected a positive"):
        normal_quantile(probability)
