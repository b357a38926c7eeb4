"""Holm's correction: when many things are tested, some look remarkable by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["corrected"]


def corrected(p_values: Sequence[float]) -> list[float]:
    """The p-values after Holm, in the order they came: all of them may be trusted at once."""
    found = [1.0] * len(p_values)
    highest = 0.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, position in enumerate(order):
        highest = max(highest, min(1.0, p_values[position] * (len(p_values) - rank)))
        found[position] = highest
    return found
