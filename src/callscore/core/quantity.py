"""Numbers as JSON has them: what is one, and what its exact value is."""

from __future__ import annotations

from decimal import Decimal
from math import isfinite
from typing import Any, TypeGuard

__all__ = ["Ratio", "is_number", "is_share", "ratio_of"]

# A number as a numerator and a denominator above zero, not reduced.
Ratio = tuple[int, int]


def is_number(value: Any) -> TypeGuard[int | float]:
    """Whether a value is a number that JSON can spell: not true, not NaN, not infinite."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) or isfinite(value)


def is_share(value: Any) -> TypeGuard[int | float]:
    """Whether a value is a number from 0 to 1."""
    return is_number(value) and 0 <= value <= 1


def ratio_of(number: float) -> Ratio:
    """The exact value of the digits that spell a number: 0.1 is one tenth, which no float is."""
    if isinstance(number, int):
        return int(number), 1
    return Decimal(float.__repr__(number)).as_integer_ratio()
