"""What somebody else's function gives as a number."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from callscore.errors import NotScorable
from callscore.metrics.metric import number_from


@pytest.mark.parametrize("value", [True, 1, 1.0, Decimal(1), Fraction(1, 1)])
def test_any_kind_of_number_is_one(value: Any) -> None:
    assert number_from(value) == 1.0


class Scalar:
    """A number of another library, as numpy has them."""

    shape = ()

    def item(self) -> bool:
        return True


def test_a_number_of_another_library_is_one() -> None:
    assert number_from(Scalar()) == 1.0


@pytest.mark.parametrize("value", ["1", None, [1], float("nan"), float("inf"), 10**400, 1e16])
def test_what_cannot_be_compared_is_none(value: Any) -> None:
    with pytest.raises(NotScorable):
        number_from(value)
