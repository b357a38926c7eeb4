"""`$approx`: exact to the last digit, at the edge of the tolerance too."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from callscore.core.budget import Budget
from callscore.core.rules import Matcher
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context

CONTEXT = make_context(Settings(), Budget(10**12))
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)


def fits(wanted: float, given: Any, **options: float) -> bool:
    return compare_value(Matcher("$approx", wanted, options), given, CONTEXT).matched


@given(NUMBERS, NUMBERS, st.floats(0, 10), st.floats(0, 1e9))
def test_approx_agrees_with_exact_fractions(
    wanted: float, given: float, rel: float, by: float
) -> None:
    exact, other, share, fixed = (Fraction(repr(number)) for number in (wanted, given, rel, by))

    expected = abs(other - exact) <= max(share * abs(exact), fixed)

    assert fits(wanted, given, rel=rel, abs=by) == expected
