"""P-values of paired differences: exact McNemar test, sign-flip test, Holm correction."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from math import erfc, exp, fsum, lgamma, log, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["exact_mcnemar", "holm_correction", "sign_flip_p_value"]


# The exact test of McNemar: whether flips one way are more than chance lets fall.

# Terms that are smaller than this share of the sum change nothing in it.
_NEGLIGIBLE = 1e-17


def exact_mcnemar(down: int, up: int) -> float:
    """The two-sided p-value of the exact McNemar test.

    Cases that did not flip say nothing about the direction, and do not count.
    """
    flips, fewer = down + up, min(down, up)
    if down == up:
        return 1.0
    # The rarer direction, and all that are rarer still, from the largest term down.
    term = exp(lgamma(flips + 1) - lgamma(fewer + 1) - lgamma(flips - fewer + 1) - flips * log(2.0))
    total = 0.0
    while term > total * _NEGLIGIBLE:
        total += term
        term *= fewer / (flips - fewer + 1)
        fewer -= 1
    return min(1.0, 2 * total)


# Whether differences lean one way more than chance lets them: each sign could be the other.

if TYPE_CHECKING:
    Sums = dict[int, float]

# Sums of each half of the differences; more of them take longer than they are worth.
_MAX_SUMS = 1 << 13
# Means of trials are not exact: 1 - 2/3 is another number than 1/3. Whole numbers of this size are
# added without any loss, and sums that differ by less than one such step a difference are the same.
_STEP = 1e-11
_MAX_LARGE = 1 << 12
# As many sizes are too many where each is there once, and sums are never the same; which shows soon.
_MANY, _SOON = 2 * (_MAX_SUMS.bit_length() - 1), 10


def sign_flip_p_value(differences: Mapping[float, int]) -> float:
    """The two-sided p-value of the sign-flip (randomization) test.

    For differences of one size this is McNemar's exact test. Up to 26 differences, and many more
    where they are of few sizes, every way to turn their signs is counted. Beyond that only the
    largest are counted out, and the others are taken to fall as the normal curve does: p is then
    right to about a tenth, to a third where some twenty are far larger than all others, and where
    it is below 0.001 rather too large than too small.

    Args:
        differences: how often each difference is there; zeros say nothing.
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
    """The sums of one half of the differences, and of the other; None if there are too many."""
    one: Sums = {0: 1.0}
    other: Sums = {0: 1.0}
    for place, (size, times) in enumerate(sorted(sizes.items())):
        if place == _SOON and len(sizes) > _MANY and len(one) * len(other) == 2**place:
            return None  # no two sums are the same, so that there will be far too many
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
        for there, chance in sums.items():
            key = there + moved
            found[key] = found.get(key, 0.0) + chance * share
    return found


def _exact_share(one: Sums, other: Sums, observed: int) -> float:
    """The share of all ways to choose the signs that give a sum as far from zero, either way."""
    if observed <= 0:
        return 1.0
    falling = sorted(one.items(), reverse=True)
    rising = sorted(other.items(), reverse=True)
    chances = list(accumulate([chance for _, chance in rising], initial=0.0))
    parts: list[float] = []
    enough = len(rising)
    for there, chance in falling:
        # The smaller this sum, the larger the other has to be: fewer and fewer are enough.
        while enough and rising[enough - 1][0] + there < observed:
            enough -= 1
        parts.append(chance * chances[enough])
    return min(1.0, 2 * fsum(parts))


def _binomial(times: int) -> list[float]:
    """The chances of 0, 1, ... heads in so many throws of a coin."""
    ways = [1]
    for up in range(times):
        ways.append(ways[-1] * (times - up) // (up + 1))
    return [count / 2**times for count in ways]


def _approximated(sizes: Counter[int], observed: int) -> float:
    """The largest differences are counted out; the many small ones fall as the normal curve does."""
    if observed >= sum(size * times for size, times in sizes.items()) - 2 * sizes.total():
        return float(2.0 ** (1 - sizes.total()))  # all go one way
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
    # Turning one sign moves the sum by twice its size, so that a sum stands for all from half a step
    # below it on.
    step = min(rest, default=0)
    return min(
        1.0,
        2
        * fsum(
            chance * _tail_probability(observed - there, most, step, spread)
            for there, chance in large.items()
        ),
    )


def _tail_probability(reached: int, most: int, step: int, spread: float) -> float:
    """How likely a sum of many differences with random signs is at least this."""
    if reached > most:
        return 0.0
    return erfc((reached - step) / spread) / 2 if reached > -most else 1.0


# Holm's correction: when many things are tested, some look remarkable by chance.


def holm_correction(p_values: Sequence[float]) -> list[float]:
    """P-values with Holm's correction for multiple tests, in the given order."""
    found = [1.0] * len(p_values)
    highest = 0.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, position in enumerate(order):
        highest = max(highest, min(1.0, p_values[position] * (len(p_values) - rank)))
        found[position] = highest
    return found
