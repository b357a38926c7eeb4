"""The interval of a difference between two shares of the same cases."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

from callscore.core.statistics import Interval

__all__ = ["paired_interval", "score_p"]

_HALVINGS = 40


def paired_interval(down: float, up: float, cases: int, *, confidence: float = 0.95) -> Interval:
    """Tango's score interval of the share that passes after, less the share that passed before.

    It keeps its promise for few flips, too, and has a width even where there are none: as many
    cases as these could have missed some.

    Args:
        down: how many cases passed before and do not after; a case may fall a part of the way.
        up: how many pass after and did not before, likewise.
        cases: how many there are in all; at least one.
        confidence: how often it covers the true difference.
    """
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    return Interval(-_highest(up, down, cases, z), _highest(down, up, cases, z))


def score_p(down: float, up: float, cases: int, difference: float) -> float:
    """The two-sided p-value of a difference, by the distance that the interval is made from.

    The interval holds just those whose p-value is 0.05 or more.
    """
    if not -1 <= difference <= 1:
        return 0.0
    seen = (up - down) / cases
    if difference < seen:
        return score_p(up, down, cases, -difference)
    distance = _distance(difference, down, up, cases) if difference > seen else 0.0
    return 2 * NormalDist().cdf(-distance)


def _highest(down: float, up: float, cases: int, z: float) -> float:
    """The largest difference that is not too far above what was seen."""
    if up == cases:
        return 1.0
    low, high = (up - down) / cases, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _distance(middle, down, up, cases) < z:
            low = middle
        else:
            high = middle
    return high


def _distance(difference: float, down: float, up: float, cases: int) -> float:
    """How many standard errors a difference is above what was seen, were it the true one."""
    # The likeliest share of cases that go down, given the difference: the root of a quadratic.
    b = (2 * cases - up + down) * difference - up - down
    c = -down * difference * (1 - difference)
    share = (sqrt(max(0.0, b * b - 8 * cases * c)) - b) / (4 * cases)
    variance = cases * (2 * share + difference * (1 - difference))
    reach = cases * difference - (up - down)
    return reach / sqrt(variance) if variance > 0 else float("inf")
