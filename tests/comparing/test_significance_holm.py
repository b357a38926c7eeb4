"""Holm's correction, held against statsmodels."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from callscore.comparing.significance import holm_correction


def test_the_textbook_example() -> None:
    assert holm_correction([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_of_nothing_nothing_is_corrected() -> None:
    assert holm_correction([]) == []


@settings(max_examples=25)  # statsmodels takes its time
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_the_p_values_are_those_of_statsmodels(p_values: list[float]) -> None:
    expected = multipletests(p_values, method="holm")[1]

    assert holm_correction(p_values) == pytest.approx(list(expected), rel=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_no_p_value_becomes_smaller_and_their_order_stays(p_values: list[float]) -> None:
    found = holm_correction(p_values)

    assert all(after >= before for before, after in zip(p_values, found, strict=True))
    in_order = [after for _, after in sorted(zip(p_values, found, strict=True))]
    assert in_order == sorted(in_order)
