"""The distribution of a sum, computed from its cumulants instead of drawn.

A bootstrap, or a test that turns signs at random, asks how often a sum of many random numbers is
beyond some value. The saddlepoint approximation answers to about a part in a hundred, in the far
tails as well, without a generator of random numbers: the same data give the same answer, in no
time, and p-values may be as small as a correction for many tests needs them.
"""

from __future__ import annotations

from math import copysign, log, sqrt
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Cumulants", "crossing", "normal_score"]

# Nearer to the middle than this the formula divides what is lost in rounding by itself.
_MIDDLE = 1e-3
_MOST_STEPS = 80
_CLOSE = 1e-9


class Cumulants(NamedTuple):
    """The cumulant generating function of a sum at one tilt, and its first two derivatives.

    Attributes:
        value: the logarithm of the mean of exp(tilt * sum).
        mean: the mean of the tilted sum.
        variance: its variance.
    """

    value: float
    mean: float
    variance: float


def normal_score(tilt: float, at: Cumulants, *, middle: float = 0.0) -> float:
    """The normal quantile with the chance that the sum is at most the mean of the tilted one.

    Barndorff-Nielsen's form of the saddlepoint approximation.

    Args:
        tilt: how much large sums are preferred.
        at: the cumulants at this tilt.
        middle: the score at tilt 0, where the formula says nothing: a sixth of the skewness.
    """
    r = copysign(sqrt(2 * max(0.0, tilt * at.mean - at.value)), tilt)
    if abs(r) < _MIDDLE:
        return middle
    # Where nothing is left to vary, the sum is at the end of its range.
    v = tilt * sqrt(at.variance)
    return r + log(v / r) / r if v else r


def crossing(function: Callable[[float], float], wanted: float, start: float) -> float:
    """Where a function that grows comes to a value: by false position, and halving at times.

    Args:
        function: it grows, and is below the value at 0 if `start` is positive, above it otherwise.
        wanted: the value.
        start: where it may be about; it is looked for from 0 on, in this direction.
    """
    near, far = 0.0, start
    at_near, at_far = function(near) - wanted, function(far) - wanted
    for _ in range(_MOST_STEPS):
        if at_near * at_far <= 0:
            break
        near, at_near = far, at_far
        far *= 2
        at_far = function(far) - wanted
    else:
        return far
    return _between(function, wanted, (near, at_near), (far, at_far))


def _between(
    function: Callable[[float], float],
    wanted: float,
    near: tuple[float, float],
    far: tuple[float, float],
) -> float:
    """The crossing between two places on either side of it: the Illinois variant."""
    (left, at_left), (right, at_right) = near, far
    for _ in range(_MOST_STEPS):
        if at_right == at_left or abs(at_right) < _CLOSE:
            break
        middle = right - at_right * (right - left) / (at_right - at_left)
        at_middle = function(middle) - wanted
        if at_middle * at_right <= 0:
            left, at_left = right, at_right
        else:
            at_left /= 2  # the end that stays put would slow the other down
        right, at_right = middle, at_middle
    return right
