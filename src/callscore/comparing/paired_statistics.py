"""Statistics of paired differences: exact and sign-flip tests, score and BCa intervals, power.

The score interval is Tango's. The bootstrap is computed by a saddlepoint approximation instead of
random draws: its relative error is about 1 %, also in the far tails, and the same data always give
the same result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from math import comb, copysign, erfc, exp, fsum, lgamma, log, sqrt
from typing import TYPE_CHECKING, NamedTuple

from callscore.core.statistics import Interval, normal_probability, normal_quantile

if TYPE_CHECKING:
    # The probability of each sum of differences with random signs.
    Sums = dict[int, float]

# --- p-values ---------------------------------------------------------------------------------

# Terms below this share of the sum do not change it.
_NEGLIGIBLE = 1e-17


def exact_mcnemar(down: int, up: int) -> float:
    """The two-sided p-value of the exact McNemar test; only cases that flipped count."""
    flips, fewer = down + up, min(down, up)
    if down == up:
        return 1.0
    # The tail of the binomial distribution, from its largest term down.
    term = exp(lgamma(flips + 1) - lgamma(fewer + 1) - lgamma(flips - fewer + 1) - flips * log(2.0))
    total = 0.0
    while term > total * _NEGLIGIBLE:
        total += term
        term *= fewer / (flips - fewer + 1)
        fewer -= 1
    return min(1.0, 2 * total)


# The maximum number of sums of each half of the differences, to limit the time.
_MAX_SUMS = 1 << 13
# Means of trials are not exact: 1 - 2/3 is not equal to 1/3. Differences become multiples of this
# step; sums that differ by less than one step per difference are equal.
_STEP = 1e-11
_MAX_LARGE = 1 << 12
# More sizes than this have too many sums if no two sums of the first sizes are equal.
_MANY_SIZES, _FIRST_SIZES = 2 * (_MAX_SUMS.bit_length() - 1), 10


def sign_flip_p_value(differences: Mapping[float, int]) -> float:
    """The two-sided p-value of the sign-flip (randomization) test.

    `differences` maps each difference to its count. If all have one size, this is McNemar's exact
    test. It is exact for up to 26 differences, and for many more of few sizes. Beyond that the largest
    are enumerated, and the sum of the others is approximated as normal: the relative error of p is
    about 10 %, or 30 % if some twenty differences are far larger than all others. Below 0.001, p is
    more likely too large than too small.
    """
    sizes: Counter[int] = Counter()
    observed = 0
    for value, times in differences.items():
        steps = round(value / _STEP)
        observed += steps * times
        if steps:
            sizes[abs(steps)] += times
    if not sizes:
        return 1.0
    observed = abs(observed) - sizes.total()
    halves = _halves(sizes)
    if halves is not None:
        return _exact_share(*halves, observed)
    return _approximated(sizes, observed)


def _halves(sizes: Counter[int]) -> tuple[Sums, Sums] | None:
    """The sums of each half of the differences; None if there are too many."""
    one: Sums = {0: 1.0}
    other: Sums = {0: 1.0}
    for place, (size, times) in enumerate(sorted(sizes.items())):
        if place == _FIRST_SIZES and len(sizes) > _MANY_SIZES and len(one) * len(other) == 2**place:
            return None  # no two sums are equal
        shares = _binomial(times) if times < _MAX_SUMS else []
        if len(one) > len(other):
            one, other = other, one
        if not shares or len(one) * len(shares) > 4 * _MAX_SUMS:
            return None
        one = _add_size(one, size, shares)
        if len(one) > _MAX_SUMS:
            return None
    return one, other


def _add_size(sums: Sums, size: int, shares: list[float]) -> Sums:
    found: Sums = {}
    last = len(shares) - 1
    for up, share in enumerate(shares):
        moved = size * (2 * up - last)
        for total, chance in sums.items():
            key = total + moved
            found[key] = found.get(key, 0.0) + chance * share
    return found


def _exact_share(one: Sums, other: Sums, observed: int) -> float:
    """The share of all choices of signs whose sum is at least as far from zero."""
    if observed <= 0:
        return 1.0
    first = sorted(one.items(), reverse=True)
    second = sorted(other.items(), reverse=True)
    chances = list(accumulate([chance for _, chance in second], initial=0.0))
    parts: list[float] = []
    enough = len(second)
    for total, chance in first:
        # The smaller this sum, the larger the other must be.
        while enough and second[enough - 1][0] + total < observed:
            enough -= 1
        parts.append(chance * chances[enough])
    return min(1.0, 2 * fsum(parts))


def _binomial(times: int) -> list[float]:
    """The probabilities of 0, 1, ... heads when a coin is thrown this many times."""
    ways = [1]
    for up in range(times):
        ways.append(ways[-1] * (times - up) // (up + 1))
    return [count / 2**times for count in ways]


def _approximated(sizes: Counter[int], observed: int) -> float:
    """Enumerate the largest differences; the sum of the others is approximated as normal."""
    if observed >= sum(size * times for size, times in sizes.items()) - 2 * sizes.total():
        return float(2.0 ** (1 - sizes.total()))  # all have the same sign
    large: Sums = {0: 1.0}
    rest = Counter(sizes)
    for size, times in sorted(sizes.items(), reverse=True):
        taken = min(times, _MAX_LARGE // len(large) - 1)
        if taken < 1:
            break
        large = _add_size(large, size, _binomial(taken))
        rest[size] -= taken
    rest = +rest
    spread = sqrt(2 * sum(times * size * size for size, times in rest.items()))
    most = sum(times * size for size, times in rest.items())
    # Continuity correction: changing one sign moves the sum by twice its size.
    step = min(rest, default=0)
    share = fsum(
        chance * _tail_probability(observed - total, most, step, spread)
        for total, chance in large.items()
    )
    return min(1.0, 2 * share)


def _tail_probability(reached: int, most: int, step: int, spread: float) -> float:
    """The probability that a sum of many differences with random signs is at least this."""
    if reached > most:
        return 0.0
    return erfc((reached - step) / spread) / 2 if reached > -most else 1.0


def holm_correction(p_values: Sequence[float]) -> list[float]:
    """P-values with Holm's correction for multiple tests, in the given order."""
    found = [1.0] * len(p_values)
    highest = 0.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, position in enumerate(order):
        highest = max(highest, min(1.0, p_values[position] * (len(p_values) - rank)))
        found[position] = highest
    return found


# --- the interval of a difference between two shares of the same cases ------------------------

_INTERVAL_STEPS = 40


def paired_interval(down: float, up: float, cases: int, *, confidence: float = 0.95) -> Interval:
    """Tango's score interval of the share that passes after, less the share that passed before.

    It has the right coverage for few flips, too, and is not empty without any. `down` and `up` are
    the numbers of cases that flipped; a case may count in part. There must be at least one case.
    """
    z = normal_quantile(0.5 + confidence / 2)
    return Interval(-_upper_bound(up, down, cases, z), _upper_bound(down, up, cases, z))


def score_p_value(down: float, up: float, cases: int, difference: float) -> float:
    """The two-sided p-value of a difference; `paired_interval` has those of at least 0.05."""
    if not -1 <= difference <= 1:
        return 0.0
    seen = (up - down) / cases
    if difference < seen:
        return score_p_value(up, down, cases, -difference)
    distance = _distance(difference, down, up, cases) if difference > seen else 0.0
    return 2 * normal_probability(-distance)


def _upper_bound(down: float, up: float, cases: int, z: float) -> float:
    """The largest difference that is less than `z` standard errors above the observed one."""
    if up == cases:
        return 1.0
    low, high = (up - down) / cases, 1.0
    for _ in range(_INTERVAL_STEPS):
        middle = (low + high) / 2
        if _distance(middle, down, up, cases) < z:
            low = middle
        else:
            high = middle
    return high


def _distance(difference: float, down: float, up: float, cases: int) -> float:
    """How many standard errors a difference is above the observed one, if it is the true one."""
    # The maximum-likelihood share of cases that go down, given the difference: a quadratic's root.
    b = (2 * cases - up + down) * difference - up - down
    c = -down * difference * (1 - difference)
    share = (sqrt(max(0.0, b * b - 8 * cases * c)) - b) / (4 * cases)
    variance = cases * (2 * share + difference * (1 - difference))
    reach = cases * difference - (up - down)
    return reach / sqrt(variance) if variance > 0 else float("inf")


# --- the distribution of a sum, computed from its cumulants -----------------------------------

# Nearer to the middle than this, rounding errors dominate the formula.
_NEAR_ZERO = 1e-3
_MAX_STEPS = 80
_TOLERANCE = 1e-9


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
    """The normal quantile of the probability that the sum is at most the mean of the tilted sum.

    Barndorff-Nielsen's form of the saddlepoint approximation. `at` are the cumulants at this tilt;
    `middle` is the score at tilt 0, where the formula is undefined: a sixth of the skewness.
    """
    r = copysign(sqrt(2 * max(0.0, tilt * at.mean - at.value)), tilt)
    if abs(r) < _NEAR_ZERO:
        return middle
    # Without variance the sum is at the end of its range.
    v = tilt * sqrt(at.variance)
    return r + log(v / r) / r if v else r


def find_root(function: Callable[[float], float], wanted: float, start: float) -> float:
    """Find where an increasing function reaches a value (false position with bisection).

    At 0 the function must be below the value if `start` is positive, and above it otherwise. The
    search goes from 0 in the direction of `start`, a first guess.
    """
    left, right = 0.0, start
    at_left, at_right = function(left) - wanted, function(right) - wanted
    for _ in range(_MAX_STEPS):  # until the root is between the two points
        if at_left * at_right <= 0:
            break
        left, at_left = right, at_right
        right *= 2
        at_right = function(right) - wanted
    else:
        return right
    for _ in range(_MAX_STEPS):  # the Illinois algorithm
        if at_right == at_left or abs(at_right) < _TOLERANCE:
            break
        middle = right - at_right * (right - left) / (at_right - at_left)
        at_middle = function(middle) - wanted
        if at_middle * at_right <= 0:
            left, at_left = right, at_right
        else:
            at_left /= 2  # so that this end moves, too
        right, at_right = middle, at_middle
    return right


# --- the bootstrap over cases, without random draws -------------------------------------------

# With fewer changed cases the bootstrap interval is too narrow. The exact test also needs this many
# flips in one direction.
_MIN_CHANGED = 6


class PairedTest(NamedTuple):
    """The p-value and the 95 % interval of a mean difference."""

    p_value: float
    interval: Interval


def paired_bootstrap(differences: Mapping[float, int]) -> PairedTest:
    """Test the mean difference against zero, with a BCa bootstrap interval.

    `differences` maps each difference, a number from -1 to 1, to its count, zeros included.
    """
    flipped = sign_flip_p_value(differences)
    number = sum(differences.values())
    if number - max(differences.values()) < _MIN_CHANGED:
        cautious = _conservative(differences, number)
        return PairedTest(max(flipped, cautious.p_value), cautious.interval)
    resampled = _BootstrapDistribution(differences, number)
    return PairedTest(max(flipped, resampled.p_value()), resampled.interval())


def _conservative(differences: Mapping[float, int], number: int) -> PairedTest:
    """A test for differences that are nearly all equal.

    The others count as cases that flip in part, in units of the largest deviation. Shares vary more
    than any other numbers of the same mean, so the interval is as wide as possible.
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
    return PairedTest(score_p_value(down, up, number, -usual / reach), interval)


class _BootstrapDistribution:
    """The bootstrap distribution of the mean of cases.

    Bias-corrected and accelerated (BCa): for a mean both corrections are a sixth of its skewness.
    """

    def __init__(self, differences: Mapping[float, int], number: int) -> None:
        self._counts = sorted(differences.items())
        self._number = number
        self._mean = fsum(value * times for value, times in self._counts) / number
        moments = [
            fsum(times * (value - self._mean) ** power for value, times in self._counts) / number
            for power in (2, 3)
        ]
        self._spread = sqrt(moments[0])
        self._correction = moments[1] / self._spread**3 / sqrt(number) / 6

    def _cumulants(self, tilt: float) -> Cumulants:
        """The cumulants of the sum over all draws."""
        ends = (self._counts[0][0], self._counts[-1][0])
        largest = max(tilt * end for end in ends)  # against overflow
        total = mean = square = 0.0
        for value, times in self._counts:
            weight = times * exp(tilt * value - largest)
            total += weight
            mean += weight * value
            square += weight * value * value
        mean /= total
        value = largest + log(total / self._number)
        variance = max(0.0, square / total - mean * mean)
        return Cumulants(self._number * value, self._number * mean, self._number * variance)

    def _score(self, tilt: float) -> float:
        return normal_score(tilt, self._cumulants(tilt), middle=self._correction)

    def interval(self) -> Interval:
        reach = normal_quantile(0.975)
        return Interval(self._quantile(-reach), self._quantile(reach))

    def _quantile(self, z: float) -> float:
        """The mean at this normal quantile of the corrected distribution."""
        moved = self._correction + z
        wanted = self._correction + moved / (1 - self._correction * moved)
        start = copysign(1 / (self._spread * sqrt(self._number)), wanted - self._correction)
        tilt = find_root(self._score, wanted, start)
        return self._cumulants(tilt).mean / self._number

    def p_value(self) -> float:
        """Twice the probability of a mean on the other side of zero."""
        lowest, highest = self._counts[0][0], self._counts[-1][0]
        if lowest < 0 < highest:
            start = -self._mean / self._spread**2
            score = self._score(find_root(lambda tilt: self._cumulants(tilt).mean, 0.0, start))
        else:
            # No sum of draws is beyond zero; it is zero if every draw is zero.
            chance = (dict(self._counts).get(0.0, 0) / self._number) ** self._number
            if not chance:
                return 0.0
            score = copysign(normal_quantile(chance), -self._mean)
        drawn = score - self._correction
        stretch = 1 + self._correction * drawn
        return (
            2 * normal_probability(-abs(drawn / stretch - self._correction)) if stretch > 0 else 0.0
        )


# --- the smallest difference that a suite can show --------------------------------------------

# The significance level.
ALPHA = 0.05
_POWER = 0.8
_SEARCH_STEPS = 24


def min_flips(tests: int = 1) -> int:
    """The minimum number of flips, all in one direction, for a significant exact test."""
    flips = 1
    while 2 * 0.5**flips >= ALPHA / tests:
        flips += 1
    return flips


def smallest_effect(
    cases: int, flipping: float, *, size: float = 1.0, tests: int = 1
) -> float | None:
    """The smallest difference that the exact test detects with 80 % power.

    If fewer cases flip by chance than the difference needs, all flips go in one direction; otherwise
    the difference must show among the others. It is never less than what whole cases need, however
    small the noise: a case breaks as a whole. None if there are too few cases for any difference.

    Args:
        cases: the number of cases.
        flipping: the share of cases that flip, in either direction.
        size: how much a flipping case changes, from 0 to 1.
        tests: the number of differences that are tested together.
    """
    flips = min_flips(tests)
    if cases < flips:
        return None
    one_way = _smallest_one_way(cases, flips)
    noise = normal_quantile(1 - ALPHA / tests / 2) * sqrt(cases)
    spread = normal_quantile(_POWER) * sqrt(cases)

    def is_seen(change: float) -> bool:
        # The normal approximation; one flip is subtracted because the exact test is discrete.
        share = max(flipping, change)
        needed = noise * sqrt(share) + spread * sqrt(share - change * change)
        return cases * change - 1 >= needed

    return max(one_way, size * _smallest_sufficient(is_seen)) if flipping > one_way else one_way


@lru_cache(maxsize=64)  # all measures of a comparison have about the same cases
def _smallest_one_way(cases: int, flips: int) -> float:
    """The smallest share of cases with which this number of them flips with 80 % power."""
    ways = [(count, comb(cases, count)) for count in range(flips)]

    def is_enough(share: float) -> bool:
        rest = 1 - share
        fewer = sum([way * share**count * rest ** (cases - count) for count, way in ways])
        return 1 - fewer >= _POWER

    return _smallest_sufficient(is_enough)


def _smallest_sufficient(is_enough: Callable[[float], bool]) -> float:
    """The smallest number from 0 to 1 that is enough; 1 if none is."""
    low, high = 0.0, 1.0
    for _ in range(_SEARCH_STEPS):
        middle = (low + high) / 2
        if is_enough(middle):
            high = middle
        else:
            low = middle
    return high
