"""How far two runs are apart in a graded number: the bootstrap over cases, without drawing."""

from __future__ import annotations

from math import copysign, exp, fsum, log, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from callscore.comparing.paired_interval import paired_interval, score_p
from callscore.comparing.saddlepoint import Cumulants, crossing, normal_score
from callscore.comparing.sign_flips import sign_flip_p
from callscore.core.statistics import Interval

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Tested", "paired_bootstrap"]

# Drawing again shows only what has been seen: from fewer cases that went otherwise than most it
# would promise too much. As many flips, all one way, the exact test needs as well.
_FEWEST = 6
_NORMAL = NormalDist()


class Tested(NamedTuple):
    """What a test of a mean difference gives.

    Attributes:
        p_value: the chance of a difference at least as large where there is none.
        interval: the 95 % interval of the difference.
    """

    p_value: float
    interval: Interval


def paired_bootstrap(differences: Mapping[float, int]) -> Tested:
    """The mean of the differences, tested against none, with its interval.

    Args:
        differences: how often each difference between after and before is there, zeros included:
            numbers from -1 to 1. At least one.
    """
    flipped = sign_flip_p(differences)
    number = sum(differences.values())
    if number - max(differences.values()) < _FEWEST:
        cautious = _cautious(differences, number)
        return Tested(max(flipped, cautious.p_value), cautious.interval)
    resampled = _Resampled(differences, number)
    return Tested(max(flipped, resampled.p_value()), resampled.interval())


def _cautious(differences: Mapping[float, int], number: int) -> Tested:
    """Where nearly all differences are the same: the others fall or rise a part of the furthest way.

    A share of whole cases varies more than anything else of the same mean, so that the interval is
    as wide as such differences allow.
    """
    most = max(differences.values())
    commonest = [value for value, times in differences.items() if times == most]
    usual = commonest[0] if len(commonest) == 1 else 0.0
    reach = max(abs(value - usual) for value in differences) or abs(usual) or 1.0
    parts = [((value - usual) / reach, times) for value, times in sorted(differences.items())]
    down = fsum(-part * times for part, times in parts if part < 0)
    up = fsum(part * times for part, times in parts if part > 0)
    low, high = paired_interval(down, up, number)
    interval = Interval(max(-1.0, usual + reach * low), min(1.0, usual + reach * high))
    return Tested(score_p(down, up, number, -usual / reach), interval)


class _Resampled:
    """The distribution of the mean of cases drawn again, with replacement, as often as there are.

    Bias-corrected and accelerated (BCa): for a mean the two corrections are the same number, a
    sixth of the skewness of the mean.
    """

    def __init__(self, differences: Mapping[float, int], number: int) -> None:
        self._kinds = sorted(differences.items())
        self._number = number
        self._mean = fsum(value * times for value, times in self._kinds) / number
        moments = [
            fsum(times * (value - self._mean) ** power for value, times in self._kinds) / number
            for power in (2, 3)
        ]
        self._spread = sqrt(moments[0])
        self._bend = moments[1] / self._spread**3 / sqrt(number) / 6

    def _cumulants(self, tilt: float) -> Cumulants:
        """Of the sum over all draws, of which each is one of the differences."""
        ends = (self._kinds[0][0], self._kinds[-1][0])
        largest = max(tilt * end for end in ends)  # so that nothing overflows
        total = mean = square = 0.0
        for value, times in self._kinds:
            weight = times * exp(tilt * value - largest)
            total += weight
            mean += weight * value
            square += weight * value * value
        mean /= total
        value = largest + log(total / self._number)
        variance = max(0.0, square / total - mean * mean)
        return Cumulants(self._number * value, self._number * mean, self._number * variance)

    def _score(self, tilt: float) -> float:
        return normal_score(tilt, self._cumulants(tilt), middle=self._bend)

    def interval(self) -> Interval:
        reach = _NORMAL.inv_cdf(0.975)
        return Interval(self._quantile(-reach), self._quantile(reach))

    def _quantile(self, z: float) -> float:
        """The mean below which so much of the corrected distribution lies."""
        moved = self._bend + z
        wanted = self._bend + moved / (1 - self._bend * moved)
        start = copysign(1 / (self._spread * sqrt(self._number)), wanted - self._bend)
        tilt = crossing(self._score, wanted, start)
        return self._cumulants(tilt).mean / self._number

    def p_value(self) -> float:
        """How unlikely the corrected distribution makes a mean on the other side of zero."""
        lowest, highest = self._kinds[0][0], self._kinds[-1][0]
        if lowest < 0 < highest:
            start = -self._mean / self._spread**2
            score = self._score(crossing(lambda tilt: self._cumulants(tilt).mean, 0.0, start))
        else:
            # No draw is beyond zero; it is reached where every case drawn is one of the zeros.
            chance = (dict(self._kinds).get(0.0, 0) / self._number) ** self._number
            if not chance:
                return 0.0
            score = copysign(_NORMAL.inv_cdf(chance), -self._mean)
        drawn = score - self._bend
        stretch = 1 + self._bend * drawn
        return 2 * _NORMAL.cdf(-abs(drawn / stretch - self._bend)) if stretch > 0 else 0.0
