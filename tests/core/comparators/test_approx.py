"""`$approx`: exact to the last digit, at the edge of the tolerance too."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.budget import Budget
from callscore.core.rules import Matcher, check_matcher, describe_value
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context

CONTEXT = make_context(Settings(), Budget(10**12))
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)


def fits(wanted: float, given: Any, **options: float) -> bool:
    return compare_value(Matcher("$approx", wanted, options), given, CONTEXT).matched


@pytest.mark.parametrize(("wanted", "given"), [(0.3, 0.4), (0.3, 0.2), (3.14, 3.24), (1, 1.1)])
def test_the_edge_of_the_tolerance_is_within_it(wanted: float, given: float) -> None:
    assert fits(wanted, given, abs=0.1)


def test_a_hair_beyond_it_is_not() -> None:
    assert not fits(0.3, 0.40000000000000013, abs=0.1)


def test_without_tolerances_a_millionth_is_allowed() -> None:
    assert fits(1_000_000, 1_000_001)
    assert not fits(1_000_000, 1_000_002)
    assert not fits(0, 1e-9)


def test_an_absolute_tolerance_alone_takes_the_place_of_the_millionth() -> None:
    assert not fits(1_000_000_000, 1_000_000_001, abs=0.5)
    assert fits(1_000_000_000, 1_000_000_001, abs=0.5, rel=1e-6)


def test_of_two_tolerances_the_larger_counts() -> None:
    assert fits(100, 105, rel=0.05, abs=1)
    assert fits(100, 105, rel=0.01, abs=5)


def test_huge_integers_are_told_apart() -> None:
    assert fits(10**400, 10**400 + 1)
    assert not fits(10**400, 10**400 + 1, abs=0)
    assert not fits(9007199254740993, 9007199254740992.0, abs=0)


@pytest.mark.parametrize("given", [True, "1", None, nan, inf, [1]])
def test_what_is_no_number_is_not_near_one(given: Any) -> None:
    assert not fits(1, given, abs=10)


def test_how_near_it_comes_is_shown() -> None:
    verdict = compare_value(Matcher("$approx", 3, {"abs": 0.5}), 4, CONTEXT)

    assert verdict.value == 0.5


def test_even_the_nearest_miss_is_below_1() -> None:
    verdict = compare_value(Matcher("$approx", 0, {"abs": 10**30}), 10**30 + 1, CONTEXT)

    assert not verdict.matched
    assert verdict.value < 1


@given(NUMBERS, NUMBERS, st.floats(0, 10), st.floats(0, 1e9))
def test_it_is_what_fractions_say(wanted: float, given: float, rel: float, by: float) -> None:
    exact, other, share, fixed = (Fraction(repr(number)) for number in (wanted, given, rel, by))

    expected = abs(other - exact) <= max(share * abs(exact), fixed)

    assert fits(wanted, given, rel=rel, abs=by) == expected


@pytest.mark.parametrize("options", [{"rel": -1}, {"abs": "1"}, {"abs": True}, {"rel": nan}])
def test_a_tolerance_is_a_number_from_0_on(options: dict[str, Any]) -> None:
    problem = check_matcher(Matcher("$approx", 1, options))

    assert problem is not None
    assert "expected a number ≥ 0" in problem


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "$approx 3.14, rel 1e-06"),
        ({"abs": 0.01}, "$approx 3.14 ± 0.01"),
        ({"rel": 0.1}, "$approx 3.14, rel 0.1"),
        ({"abs": 0.01, "rel": 0.1}, "$approx 3.14 ± 0.01, rel 0.1"),
    ],
)
def test_it_is_described_with_its_tolerances(options: dict[str, Any], text: str) -> None:
    assert describe_value(Matcher("$approx", 3.14, options)) == text
