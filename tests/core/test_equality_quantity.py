"""What a number is, and what it is exactly."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.equality import exact_ratio, is_fraction, is_number


@pytest.mark.parametrize("value", [0, -1, 1.5, 10**400])
def test_what_json_counts_with_is_a_number(value: float) -> None:
    assert is_number(value)


@pytest.mark.parametrize("value", [True, None, "1", nan, inf, -inf, [1], {}])
def test_what_json_cannot_count_with_is_no_number(value: Any) -> None:
    assert not is_number(value)


@pytest.mark.parametrize(
    ("value", "expected"), [(0, True), (1.0, True), (1.01, False), (-1, False)]
)
def test_a_share_is_from_0_to_1(value: float, expected: bool) -> None:
    assert is_fraction(value) == expected


def test_a_tenth_is_a_tenth() -> None:
    assert Fraction(*exact_ratio(0.1)) == Fraction(1, 10)


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_what_its_digits_say(number: float) -> None:
    assert Fraction(*exact_ratio(number)) == Fraction(repr(number))
