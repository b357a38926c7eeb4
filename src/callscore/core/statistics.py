"""Confidence intervals (Wilson, bootstrap), pass@k and pass^k.

Written by hand because SciPy with NumPy is 215 MB, three times all else that callscore needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import comb, erfc, floor, fsum, lgamma, log, sqrt
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from callscore.core.rendering import mention
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from fractions import Fraction
    from random import Random

_SEED = 20240115
_MAX_REPLICATES = 2000
_MIN_REPLICATES = 200
_MAX_DRAWS = 20_000_000
# One draw from a binomial distribution takes as long as this many draws of a single cluster.
_BINOMIAL_COST = 12
# From this expected count on, the rejection method is faster than waiting for each success.
_REJECTION_FROM = 10
_ROOM_TO_ACCEPT = 0.07
# Resampling needs at least this many clusters that differ from the most frequent ones.
_MIN_UNLIKE = 6
# Sums of scores are rounded: the mean of three trials with 0.4 is not 0.4. To this many digits it is.
DIGITS = 12
_MAX_BITS = 500  # of a number whose square is a float
_SQRT_2 = sqrt(2)
_LOWEST_QUANTILE = -39.0  # below it, probabilities are 0 as floats
_MAX_TRIALS = 100_000  # their combinations have as many bits


class Interval(NamedTuple):
    """A confidence interval: its two ends."""

    low: float
    high: float


class Cluster(NamedTuple):
    """Equal clusters of values; resampling takes a cluster as a whole.

    Attributes:
        total: the sum of the values in one such cluster.
        size: how many values it has.
        times: how many such clusters there are.
    """

    total: float
    size: int
    times: int


# A score is a ratio of numbers of calls. More would make the sum of many ratios very long.
_LARGEST_DENOMINATOR = 10_000


@lru_cache(maxsize=4096)  # many cases have few scores
def _ratio_of(value: float) -> Fraction:
    """The ratio of small numbers that was rounded to this value; its exact value if there is none."""
    from fractions import Fraction

    ratio = Fraction(value).limit_denominator(_LARGEST_DENOMINATOR)
    return ratio if float(ratio) == value else Fraction(value)


def total_of(values: Mapping[float, int]) -> Fraction | int:
    """The sum of numbers, of which the mapping says how often there is each; not rounded."""
    return sum([_ratio_of(value) * times for value, times in values.items()])


def counted_errors(errors: int, *, scored: int, answered: int) -> int:
    """How many of the trials without an answer count as 0 in a mean score.

    All of them, unless there are answers, and none of them has a score.
    """
    return errors if scored or not answered else 0


def mean_score(scores: Sequence[float], *, answered: int, errors: int) -> float | None:
    """The mean score of trials, with 0 for each of the `errors`, which have no answer.

    None if there is nothing, or if there are answers, and none of them has a score.
    """
    values = [*scores, *[0.0] * counted_errors(errors, scored=len(scores), answered=answered)]
    return mean_of(values) if values else None


def mean_of(values: Sequence[float] | Mapping[float, int]) -> float:
    """The mean of at least one number, in any order; a mapping says how often there is each.

    It is rounded once, at the end, so that it is the same wherever the same numbers are added up.
    """
    counts = values if isinstance(values, Mapping) else Counter(values)
    return float(total_of(counts) / sum(counts.values()))


def wilson(successes: float, total: int, *, confidence: float = 0.95) -> Interval:
    """The Wilson score interval of a proportion; [0, 1] if nothing was observed.

    The number of successes need not be whole: an observation may be the mean of several trials.

    Raises:
        InvalidSettings: `successes` is not from 0 to `total`, or `confidence` not between 0 and 1.
    """
    if not _is_number(total) or total < 0:
        raise InvalidSettings(f"total: expected a number ≥ 0, got {mention(total)}")
    if not _is_number(successes) or not 0 <= successes <= total:
        raise InvalidSettings(
            f"successes: expected a number from 0 to {mention(total)}, got {mention(successes)}"
        )
    if not _is_number(confidence) or not 0 < confidence < 1:
        raise InvalidSettings(
            f"confidence: expected a number between 0 and 1, got {mention(confidence)}"
        )
    if total == 0:
        return Interval(0.0, 1.0)
    z = normal_quantile(0.5 + confidence / 2)
    share = successes / total
    shrink = 1 + z * z / total
    centre = (share + z * z / (2 * total)) / shrink
    half_width = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / shrink
    # At the two ends the formula gives 0 and 1 but for rounding.
    low = 0.0 if successes == 0 else centre - half_width
    high = 1.0 if successes == total else centre + half_width
    return Interval(low, high)


def normal_probability(value: float) -> float:
    """The probability that a standard normal variable is below a value."""
    return erfc(-value / _SQRT_2) / 2


def normal_quantile(probability: float) -> float:
    """The value that a standard normal variable is below with this probability, between 0 and 1.

    `statistics.NormalDist` finds the same. Importing it takes longer than to compare two short runs.
    """
    if probability > 1 / 2:
        return -normal_quantile(1 - probability)  # exact, and so is a small probability
    low, high = _LOWEST_QUANTILE, 0.0
    while low < (middle := (low + high) / 2) < high:
        if normal_probability(middle) < probability:
            low = middle
        else:
            high = middle
    return high


def _is_number(value: object) -> bool:
    """Whether it is a number that can be calculated with: not an integer too large for a float."""
    if isinstance(value, int):
        return value.bit_length() <= _MAX_BITS
    return isinstance(value, float)


def pass_at_k(trials: int, successes: int, k: int) -> float:
    """pass@k: the probability that at least one of k trials succeeds, drawn without replacement.

    Raises:
        InvalidSettings: `successes` is not from 0 to `trials`, or `k` is not from 1 to `trials`.
    """
    _require_trials(trials, successes, k)
    draws = comb(trials, k)  # integers up to the one division, which rounds once
    return (draws - comb(trials - successes, k)) / draws


def pass_hat_k(trials: int, successes: int, k: int) -> float:
    """pass^k: the probability that all of k trials succeed, drawn without replacement.

    Raises:
        InvalidSettings: `successes` is not from 0 to `trials`, or `k` is not from 1 to `trials`.
    """
    _require_trials(trials, successes, k)
    return comb(successes, k) / comb(trials, k)


def chances_of_success(trials: int, successes: int, most: int) -> tuple[list[float], list[float]]:
    """`pass_at_k` and `pass_hat_k` for k from 1 to `most`, each from the combinations before it."""
    at_k: list[float] = []
    hat_k: list[float] = []
    draws, failing, passing = 1, 1, 1  # the combinations of k trials: all, failed ones, passed ones
    for k in range(most):
        draws = draws * (trials - k) // (k + 1)
        failing = failing * max(trials - successes - k, 0) // (k + 1)
        passing = passing * max(successes - k, 0) // (k + 1)
        at_k.append((draws - failing) / draws)
        hat_k.append(passing / draws)
    return at_k, hat_k


def _require_trials(trials: int, successes: int, k: int) -> None:
    _require_integer("trials", trials, 1, _MAX_TRIALS, "")
    _require_integer("successes", successes, 0, trials, ", the number of trials")
    _require_integer("k", k, 1, trials, ", the number of trials")


def _require_integer(name: str, value: object, least: int, most: int, why: str) -> None:
    if isinstance(value, int) and least <= value <= most:
        return
    allowed = f"from {least} to {most}{why}"
    raise InvalidSettings(f"{name}: expected an integer {allowed}, got {mention(value)}")


def bootstrap_mean(clusters: Sequence[Cluster], *, confidence: float = 0.95) -> Interval:
    """The bootstrap interval of a mean of values from 0 to 1, with clusters resampled whole.

    At least one cluster is needed; their order does not matter, and the random numbers are seeded.
    Many clusters of few kinds are resampled by drawing how often each kind occurs. The ends are
    corrected for skewness (BCa). If nearly all clusters are equal, resampling has little to draw
    from, and the result is the Wilson interval.
    """
    kinds = sorted(clusters)
    number = sum(kind.times for kind in kinds)
    mean = _mean(kinds, [kind.times for kind in kinds])
    alike: Counter[float] = Counter()  # how many clusters have each mean
    for kind in kinds:
        alike[round(kind.total / kind.size, DIGITS)] += kind.times
    if number - max(alike.values()) < _MIN_UNLIKE:
        return wilson(mean * number, number, confidence=confidence)
    means = _resampled_means(tuple(kinds), number)
    correction = _bca_correction(kinds, number, mean)
    low, high = (
        _bca_share(correction, share) for share in ((1 - confidence) / 2, (1 + confidence) / 2)
    )
    last = len(means) - 1
    return Interval(means[min(last, floor(len(means) * low))], means[floor(last * high)])


@lru_cache(maxsize=2)  # a report and the history ask for the same interval
def _resampled_means(kinds: tuple[Cluster, ...], number: int) -> list[float]:
    """The means of many resamples, sorted."""
    from random import Random

    by_kind = len(kinds) * _BINOMIAL_COST < number
    draws = len(kinds) * _BINOMIAL_COST if by_kind else number
    replicates = max(_MIN_REPLICATES, min(_MAX_REPLICATES, _MAX_DRAWS // draws))
    random = Random(_SEED)  # noqa: S311  (a reproducible resample, not a secret)
    means = []
    every = [] if by_kind else [kind for kind in kinds for _ in range(kind.times)]
    totals, sizes = [kind.total for kind in kinds], [kind.size for kind in kinds]
    for _ in range(replicates):
        if by_kind:
            counts = _multinomial(kinds, number, random)
            means.append(sum(map(mul, totals, counts)) / sum(map(mul, sizes, counts)))
        else:
            drawn = random.choices(every, k=number)
            means.append(sum([each.total for each in drawn]) / sum([each.size for each in drawn]))
    return sorted(means)


def _bca_correction(kinds: Sequence[Cluster], number: int, mean: float) -> float:
    """A sixth of the skewness of the mean: for a mean both corrections of BCa are this number."""
    deviations = [(kind.total - mean * kind.size, kind.times) for kind in kinds]
    square = fsum(times * value**2 for value, times in deviations) / number
    cube = fsum(times * value**3 for value, times in deviations) / number
    return cube / (square * sqrt(square * number) * 6)


def _bca_share(correction: float, share: float) -> float:
    """The corrected percentile for a plain one, both as shares of the resamples."""
    moved = correction + normal_quantile(share)
    return normal_probability(correction + moved / (1 - correction * moved))


def _mean(kinds: Sequence[Cluster], counts: Sequence[int]) -> float:
    total = fsum(kind.total * count for kind, count in zip(kinds, counts, strict=True))
    return total / sum(kind.size * count for kind, count in zip(kinds, counts, strict=True))


def _multinomial(kinds: Sequence[Cluster], number: int, random: Random) -> list[int]:
    """How often each kind is drawn in `number` draws, by one binomial draw per kind."""
    counts: list[int] = []
    draws_left, clusters_left = number, number
    for kind in kinds:
        count = _binomial(draws_left, kind.times / clusters_left, random)
        counts.append(count)
        draws_left -= count
        clusters_left -= kind.times
    return counts


def _binomial(trials: int, chance: float, random: Random) -> int:
    """One exact draw from a binomial distribution."""
    if chance > 1 / 2:
        return trials - _binomial(trials, 1 - chance, random)
    if trials * chance < _REJECTION_FROM:
        return _binomial_by_waiting(trials, chance, random)
    return _binomial_by_rejection(trials, chance, random)


def _binomial_by_waiting(trials: int, chance: float, random: Random) -> int:
    """Count successes by drawing how many trials each one takes."""
    if chance == 0:
        return 0
    scale = log(1 - chance)
    successes, used = -1, 0
    while used <= trials:
        used += floor(log(1 - random.random()) / scale) + 1
        successes += 1
    return successes


def _binomial_by_rejection(trials: int, chance: float, random: Random) -> int:
    """Transformed rejection (algorithm BTRS of Hörmann 1993): constant time for any size."""
    spread = sqrt(trials * chance * (1 - chance))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * chance
    centre = trials * chance + 0.5
    surely_accepted = 0.92 - 4.2 / b
    while True:
        u, v = random.random() - 0.5, 1 - random.random()
        room = 0.5 - abs(u)
        if room == 0:
            continue
        drawn = floor((2 * a / room + b) * u + centre)
        if not 0 <= drawn <= trials:
            continue
        if room >= _ROOM_TO_ACCEPT and v <= surely_accepted:  # the test below accepts these, too
            return drawn
        odds = log(chance / (1 - chance))
        mode = floor((trials + 1) * chance)
        height = lgamma(mode + 1) + lgamma(trials - mode + 1)
        v = log(v * (2.83 + 5.1 / b) * spread / (a / (room * room) + b))
        density = height - lgamma(drawn + 1) - lgamma(trials - drawn + 1)
        if v <= density + (drawn - mode) * odds:
            return drawn
