"""The smallest difference that a suite can be expected to show."""

from __future__ import annotations

from math import comb, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["LEVEL", "fewest_flips", "smallest_effect"]

# What a p-value has to be below for a difference to be believed.
LEVEL = 0.05
_POWER = 0.8
_NORMAL = NormalDist()
_HALVINGS = 24


def fewest_flips(tests: int = 1) -> int:
    """How many flips, all one way, the exact test needs at the least to be believed."""
    flips = 1
    while 2 * 0.5**flips >= LEVEL / tests:
        flips += 1
    return flips


def smallest_effect(
    cases: int, flipping: float, *, size: float = 1.0, tests: int = 1
) -> float | None:
    """The smallest difference that the exact test would find in four suites of five.

    A difference makes cases flip. Where fewer flip by chance than the difference needs, all flips
    go one way; else it has to be seen among the others. It is never less than what whole cases that
    fall need, however small the noise is: what breaks breaks as a whole.

    Args:
        cases: how many there are.
        flipping: the share of them that flips, one way or the other.
        size: how much a case that flips moves, from 0 to 1.
        tests: how many differences are tested together, so that each has to be the clearer.

    Returns:
        None where so few cases can show no difference at all.
    """
    flips = fewest_flips(tests)
    if cases < flips:
        return None
    one_way = _first(lambda share: _chance_of_at_least(flips, cases, share) >= _POWER)
    noise = _NORMAL.inv_cdf(1 - LEVEL / tests / 2) * sqrt(cases)
    spread = _NORMAL.inv_cdf(_POWER) * sqrt(cases)

    def is_seen(change: float) -> bool:
        # The normal approximation; one flip is for the steps in which the exact test moves.
        share = max(flipping, change)
        needed = noise * sqrt(share) + spread * sqrt(share - change * change)
        return cases * change - 1 >= needed

    return max(one_way, size * _first(is_seen)) if flipping > one_way else one_way


def _chance_of_at_least(flips: int, cases: int, share: float) -> float:
    fewer = sum(
        comb(cases, count) * share**count * (1 - share) ** (cases - count) for count in range(flips)
    )
    return 1 - fewer


def _first(is_enough: Callable[[float], bool]) -> float:
    """The smallest number from 0 to 1 that is enough; 1 where none is."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if is_enough(middle):
            high = middle
        else:
            low = middle
    return high
