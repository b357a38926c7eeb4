"""What two lists of calls have in common by the names of their tools alone."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.settings import Order

__all__ = ["count_same_names"]


def count_same_names(expected: Sequence[str], actual: Sequence[str], order: Order) -> int:
    """How many calls could be paired if the arguments did not matter."""
    if order == "any":
        return (Counter(expected) & Counter(actual)).total()
    if order == "in_order":
        return _longest_in_order(expected, actual)
    return sum(left == right for left, right in zip(expected, actual, strict=False))


def _longest_in_order(expected: Sequence[str], actual: Sequence[str]) -> int:
    """The length of the longest sequence of names that both have in this order.

    The bit-parallel method: a zero bit marks an actual name that makes the sequence longer.
    """
    positions: dict[str, int] = {}
    for position, name in enumerate(actual):
        positions[name] = positions.get(name, 0) | 1 << position
    everything = (1 << len(actual)) - 1
    row = everything
    for name in expected:
        here = row & positions.get(name, 0)
        row = ((row + here) | (row - here)) & everything
    return len(actual) - row.bit_count()
