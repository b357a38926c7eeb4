"""Whether differences lean one way more than chance lets them: each sign could be the other."""

from __future__ import annotations

from collections import Counter
from math import exp, fsum, log, prod
from statistics import NormalDist
from typing import TYPE_CHECKING

from callscore.comparing.saddlepoint import Cumulants, crossing, normal_score

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["sign_flip_p"]

# So many different sums are all looked at: of eleven differences, or of more that are of few sizes.
_MOST_SUMS = 2048
# Sums of the same numbers in another order differ by less than this share of them.
_ROUNDING = 1e-12


def sign_flip_p(differences: Mapping[float, int]) -> float:
    """The two-sided p-value of the sum of differences, were each as likely to be its opposite.

    For differences of one size this is McNemar's exact test. With few differences, or few sizes,
    every way to turn their signs is counted; with more, how many there are is computed.

    Args:
        differences: how often each difference is there; zeros say nothing.
    """
    sizes: Counter[float] = Counter()
    for value, times in sorted(differences.items(), key=lambda kind: abs(kind[0])):
        if value:  # in an order of their own: sums depend on it in their last digit
            sizes[abs(value)] += times
    observed = abs(fsum(value * times for value, times in differences.items()))
    if prod(times + 1 for times in sizes.values()) <= _MOST_SUMS:
        return _counted(sizes, observed)
    # Turning one sign moves the sum by at least twice the smallest size, so that the sum stands for
    # all from half a step below it on.
    reached = observed - min(sizes)
    if reached <= 0:
        return 1.0
    most = fsum(size * times for size, times in sizes.items())
    if observed >= most * (1 - _ROUNDING):
        return float(2.0 ** (1 - sizes.total()))
    return min(1.0, 2 * _chance_beyond(sizes, reached))


def _counted(sizes: Counter[float], observed: float) -> float:
    """The share of all ways to choose the signs that give a sum as far from zero."""
    sums = [(0.0, 1.0)]
    for size, times in sizes.items():
        shares = _binomial(times)
        sums = [
            (found + size * (2 * up - times), share * part)
            for found, share in sums
            for up, part in enumerate(shares)
        ]
    enough = observed - _ROUNDING
    return min(1.0, fsum(share for found, share in sums if abs(found) >= enough))


def _binomial(times: int) -> list[float]:
    """The chances of 0, 1, ... heads in so many throws of a coin."""
    ways = [1]
    for up in range(times):
        ways.append(ways[-1] * (times - up) // (up + 1))
    return [count / 2**times for count in ways]


def _chance_beyond(sizes: Counter[float], reached: float) -> float:
    spread = fsum(times * size * size for size, times in sizes.items())
    tilt = crossing(lambda tilt: _cumulants(sizes, tilt).mean, reached, reached / spread)
    return NormalDist().cdf(-normal_score(tilt, _cumulants(sizes, tilt)))


def _cumulants(sizes: Counter[float], tilt: float) -> Cumulants:
    """Of a sum of the sizes with random signs: each is the logarithm of a hyperbolic cosine."""
    value = mean = variance = 0.0
    for size, times in sizes.items():
        # exp(-2x) stays small where cosh x would overflow.
        falling = exp(-2 * abs(tilt) * size)
        slope = (1 - falling) / (1 + falling)
        value += times * (abs(tilt) * size + log((1 + falling) / 2))
        mean += times * size * slope
        variance += times * size * size * (1 - slope * slope)
    return Cumulants(value, mean if tilt >= 0 else -mean, variance)
