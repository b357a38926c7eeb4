"""The mean of a whole log, estimated from a stratified sample of its cases, with an honest interval.

The unit of the sample is the case: its trials are taken or left together. The estimate is the ratio of two
expanded totals, of the scores and of the trials, since the number of trials varies. Its variance is that
of the residuals within the strata, with finite population correction: a stratum of which all cases were
taken adds no uncertainty.

That variance is unreliable where few of the sampled cases differ from the others, as in a sample without a
failure. The interval therefore has Wilson's form, with the larger variance that values from 0 to 1 can
have at most, as far as the sample does not say more.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt
from typing import NamedTuple

from callscore.core.statistics import DIGITS, Cluster, Interval, normal_quantile
from callscore.errors import InvalidSettings

# How many sampled cases the variance of all strata together stands for within one stratum. It decides where
# a stratum has one sampled case, and hardly matters where it has many.
_POOLED_CASES = 1
# How many deviating cases the largest possible variance stands for. It decides where the sample has none.
_UNSEEN_CASES = 2


class SampledStratum(NamedTuple):
    """One stratum of a log, and what was sampled of it.

    Attributes:
        cases: how many cases the log has in it.
        clusters: the sampled cases: the sum of the scores of the trials of a case, their number, and how
            many cases are like this. A case of which no trial could be scored has the size 0.
    """

    cases: int
    clusters: Sequence[Cluster]


class MeanEstimate(NamedTuple):
    """An estimate of a mean of values from 0 to 1, and its confidence interval."""

    mean: float
    interval: Interval


class _Stratum(NamedTuple):
    """A stratum of which at least one case was sampled.

    Attributes:
        cases: the number of its cases in the log.
        sampled: the number of its cases in the sample.
        left: the share of its cases that are not in the sample.
    """

    cases: int
    sampled: int
    clusters: Sequence[Cluster]

    @property
    def expansion(self) -> float:
        """How many cases of the log one sampled case stands for."""
        return self.cases / self.sampled

    @property
    def left(self) -> float:
        return 1 - self.sampled / self.cases


def estimate_mean(
    strata: Sequence[SampledStratum], *, confidence: float = 0.95
) -> MeanEstimate | None:
    """The mean over all trials of a log, from a sample of its cases; None if the sample has no score.

    Cases of strata that have no sampled case are taken to be like the others in the estimate, and may have
    any score in the interval.

    Raises:
        InvalidSettings: a stratum has more sampled cases than cases.
    """
    known = [
        _checked(stratum) for stratum in strata if any(each.times for each in stratum.clusters)
    ]
    trials = fsum(each.expansion * _trials(each.clusters) for each in known)
    if not trials:
        return None
    total = fsum(
        each.expansion * fsum(cluster.total * cluster.times for cluster in each.clusters)
        for each in known
    )
    mean = min(1.0, total / trials)
    factor = _variance_factor(known, mean, trials)
    low, high = _wilson_ends(mean, factor, normal_quantile(0.5 + confidence / 2))
    all_cases = sum(stratum.cases for stratum in strata)
    seen = sum(each.cases for each in known) / all_cases
    return MeanEstimate(mean, Interval(seen * low, seen * high + (1 - seen)))


def _checked(stratum: SampledStratum) -> _Stratum:
    sampled = sum(cluster.times for cluster in stratum.clusters)
    if sampled > stratum.cases:
        raise InvalidSettings(
            f"strata: {sampled} sampled cases, but the stratum has {stratum.cases}"
        )
    return _Stratum(stratum.cases, sampled, stratum.clusters)


def _trials(clusters: Sequence[Cluster]) -> int:
    return sum(cluster.size * cluster.times for cluster in clusters)


def _wilson_ends(mean: float, factor: float, z: float) -> Interval:
    """The means from which the estimate deviates by z standard errors, whose square is factor x (1 - x).

    With continuity correction: without it, the interval misses the mean too often where nearly all scores
    are equal.
    """
    step = factor / 2
    low, _ = _without_correction(max(0.0, mean - step), factor, z)
    _, high = _without_correction(min(1.0, mean + step), factor, z)
    # At the two ends the formula gives 0 and 1 but for rounding.
    return Interval(0.0 if mean <= step else low, 1.0 if mean >= 1 - step else high)


def _without_correction(mean: float, factor: float, z: float) -> tuple[float, float]:
    width = z * z * factor
    centre = (mean + width / 2) / (1 + width)
    half = z * sqrt(factor * (mean * (1 - mean) + width / 4)) / (1 + width)
    return centre - half, centre + half


def _variance_factor(strata: Sequence[_Stratum], mean: float, trials: float) -> float:
    """The variance of the estimate, as a multiple of mean (1 - mean).

    It is the mean of what was observed and of the largest possible, weighted by the number of cases that
    the observed one rests upon.
    """
    largest = _largest_factor(strata, trials)
    spread = mean * (1 - mean)
    pooled = _pooled_variance(strata, mean)
    observed: list[float] = []
    own: list[tuple[float, int]] = []  # the shares of sampled cases in it, and how many have each
    for stratum in strata:
        scale = stratum.expansion**2 * stratum.sampled * stratum.left / trials**2
        degrees = stratum.sampled - 1 + _POOLED_CASES
        residuals = [
            (cluster.total - mean * cluster.size, cluster.times) for cluster in stratum.clusters
        ]
        centre = fsum(value * times for value, times in residuals) / stratum.sampled
        parts = [
            (scale * round(value - centre, DIGITS) ** 2 / degrees, times)
            for value, times in residuals
        ]
        own += parts
        observed += [part * times for part, times in parts]
        observed.append(scale * pooled * _POOLED_CASES / degrees)
    total = fsum(part * times for part, times in own)
    squares = fsum(part * part * times for part, times in own)
    # How many cases the sum rests upon: all of them if they deviate alike, and few if only these do.
    deviating = total * total / squares if squares and spread else 0.0
    if not deviating:
        return largest
    return (deviating * fsum(observed) / spread + _UNSEEN_CASES * largest) / (
        deviating + _UNSEEN_CASES
    )


def _largest_factor(strata: Sequence[_Stratum], trials: float) -> float:
    """The variance that values from 0 to 1 have at most, as a multiple of mean (1 - mean).

    That is if all failures are in the stratum whose cases stand for the most others, and all trials of a
    case have the same score.
    """
    squares = fsum(
        stratum.expansion * cluster.size**2 * cluster.times
        for stratum in strata
        for cluster in stratum.clusters
    )
    heaviest = max(stratum.expansion * stratum.left for stratum in strata)
    return heaviest * squares / (trials * trials)


def _pooled_variance(strata: Sequence[_Stratum], mean: float) -> float:
    """The variance of the residuals of all cases, as if there were no strata."""
    squares = fsum(
        stratum.expansion * (cluster.total - mean * cluster.size) ** 2 * cluster.times
        for stratum in strata
        for cluster in stratum.clusters
    )
    return squares / sum(stratum.cases for stratum in strata)
