"""What somebody else's function gives as a number, checked."""

from __future__ import annotations

from decimal import Decimal
from math import isfinite
from numbers import Real
from typing import Any

from callscore.errors import NotScorable

__all__ = ["number_from"]

# Sums and squares of numbers up to this size stay far from where floats end.
_GREATEST = 1e15


def number_from(value: Any) -> float:
    """The number that a function gives: any kind of number, or a truth value.

    Raises:
        NotScorable: it is none, or none that others can be compared with.
    """
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()  # a truth value of numpy is no number to Python
    if not isinstance(value, Real | Decimal):
        raise NotScorable(f"it gives something of the type {type(value).__name__}, and no number.")
    try:
        number = float(value)
    except (ValueError, OverflowError):
        number = float("inf")
    if not isfinite(number) or abs(number) > _GREATEST:
        raise NotScorable(f"it gives {_written(value)}, which is no number to compare.")
    return number


def _written(value: Any) -> str:
    return repr(value) if isinstance(value, float) else f"a number beyond {_GREATEST:g}"
