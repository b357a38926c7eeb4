"""The standard normal distribution: its cumulative distribution function, and the inverse of it.

Both return what `statistics.NormalDist` returns. Importing that takes longer than to compare two short runs,
because it imports random numbers and fractions.
"""

from __future__ import annotations

from math import erf, log, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["normal_probability", "normal_quantile"]

_SQRT_2 = sqrt(2.0)


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(map(float, text.split()))


# Coefficients of Wichura's algorithm AS 241 (Applied Statistics 37, 1988), from the highest power down: of the
# numerator and the denominator, in the middle of the distribution, farther out, and in the tails.
_MIDDLE = (
    _numbers(
        "2.5090809287301226727e3 3.3430575583588128105e4 6.7265770927008700853e4 4.5921953931549871457e4"
        " 1.3731693765509461125e4 1.9715909503065514427e3 1.3314166789178437745e2 3.3871328727963666080"
    ),
    _numbers(
        "5.2264952788528545610e3 2.8729085735721942674e4 3.9307895800092710610e4 2.1213794301586595867e4"
        " 5.3941960214247511077e3 6.8718700749205790830e2 4.2313330701600911252e1 1.0"
    ),
)
_OUTSIDE = (
    _numbers(
        "7.74545014278341407640e-4 2.27238449892691845833e-2 2.41780725177450611770e-1 1.27045825245236838258"
        " 3.64784832476320460504 5.76949722146069140550 4.63033784615654529590 1.42343711074968357734"
    ),
    _numbers(
        "1.05075007164441684324e-9 5.47593808499534494600e-4 1.51986665636164571966e-2"
        " 1.48103976427480074590e-1 6.89767334985100004550e-1 1.67638483018380384940"
        " 2.05319162663775882187 1.0"
    ),
)
_TAILS = (
    _numbers(
        "2.01033439929228813265e-7 2.71155556874348757815e-5 1.24266094738807843860e-3"
        " 2.65321895265761230930e-2 2.96560571828504891230e-1 1.78482653991729133580"
        " 5.46378491116411436990 6.65790464350110377720"
    ),
    _numbers(
        "2.04426310338993978564e-15 1.42151175831644588870e-7 1.84631831751005468180e-5"
        " 7.86869131145613259100e-4 1.48753612908506148525e-2 1.36929880922735805310e-1"
        " 5.99832206555887937690e-1 1.0"
    ),
)
_MIDDLE_WIDTH, _MIDDLE_SQUARE = 0.425, 0.180625
_OUTSIDE_START, _TAILS_START = 1.6, 5.0


def normal_probability(score: float) -> float:
    """The probability of a number up to this one."""
    return 0.5 * (1.0 + erf(score / _SQRT_2))


def normal_quantile(probability: float) -> float:
    """The number that is not exceeded with this probability, which is between 0 and 1."""
    distance = probability - 0.5
    if abs(distance) <= _MIDDLE_WIDTH:
        at = _MIDDLE_SQUARE - distance * distance
        return _polynomial(_MIDDLE[0], at) * distance / _polynomial(_MIDDLE[1], at)
    at = sqrt(-log(probability if distance <= 0.0 else 1.0 - probability))
    if at <= _TAILS_START:
        found = _ratio(_OUTSIDE, at - _OUTSIDE_START)
    else:
        found = _ratio(_TAILS, at - _TAILS_START)
    return -found if distance < 0.0 else found


def _ratio(coefficients: tuple[Sequence[float], Sequence[float]], at: float) -> float:
    return _polynomial(coefficients[0], at) / _polynomial(coefficients[1], at)


def _polynomial(coefficients: Sequence[float], at: float) -> float:
    total = 0.0
    for each in coefficients:
        total = total * at + each
    return total
