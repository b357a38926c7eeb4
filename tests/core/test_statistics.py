from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb, sqrt
from random import Random
from statistics import NormalDist, fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.statistics import (
    Cluster,
    _binomial,
    _binomial_by_rejection,
    _multinomial,
    bootstrap_mean,
    normal_probability,
    normal_quantile,
    pass_at_k,
    pass_hat_k,
    wilson,
)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_wilson_interval_holds_the_share_and_is_wider_for_more_confidence(
    observed: tuple[int, int],
) -> None:
    successes, total = observed

    narrow, wide = wilson(successes, total, confidence=0.8), wilson(successes, total)

    assert 0 <= wide.low <= narrow.low <= successes / total <= narrow.high <= wide.high <= 1
    mirrored = wilson(total - successes, total)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx(wide, abs=1e-12)


FEW_KINDS = [Cluster(0.0, 1, 150), Cluster(0.5, 1, 100), Cluster(1.0, 1, 250)]
MANY_KINDS = [Cluster(number / 300, 1, 1) for number in range(300)]


@pytest.mark.parametrize("clusters", [FEW_KINDS, MANY_KINDS])
def test_the_bootstrap_repeats_and_does_not_depend_on_order(clusters: list[Cluster]) -> None:
    shuffled = Random(1).sample(clusters, len(clusters))

    assert bootstrap_mean(clusters) == bootstrap_mean(clusters) == bootstrap_mean(shuffled)


@pytest.mark.parametrize("clusters", [FEW_KINDS, MANY_KINDS])
def test_the_bootstrap_is_as_wide_as_theory_says(clusters: list[Cluster]) -> None:
    values = [kind.total for kind in clusters for _ in range(kind.times)]
    reach = 1.96 * pstdev(values) / sqrt(len(values))

    interval = bootstrap_mean(clusters)

    assert interval.low == pytest.approx(fmean(values) - reach, abs=reach * 0.1)
    assert interval.high == pytest.approx(fmean(values) + reach, abs=reach * 0.1)


def test_trials_of_one_case_are_drawn_together() -> None:
    # Four trials that always agree say no more than one: the interval is twice as wide.
    together = bootstrap_mean([Cluster(0.0, 4, 100), Cluster(4.0, 4, 100)])
    alone = bootstrap_mean([Cluster(0.0, 1, 400), Cluster(1.0, 1, 400)])

    ratio = (together.high - together.low) / (alone.high - alone.low)
    assert ratio == pytest.approx(2, rel=0.1)


def chi_square_excess(draws: list[int], trials: int, chance: float) -> float:
    """By how many standard deviations the draws are off the binomial distribution."""
    counts = Counter(draws)
    chi_square, bins, observed, expected = 0.0, 0, 0.0, 0.0
    for value in range(trials + 1):
        observed += counts[value]
        expected += (
            len(draws) * comb(trials, value) * chance**value * (1 - chance) ** (trials - value)
        )
        if expected >= 10:
            chi_square += (observed - expected) ** 2 / expected
            bins, observed, expected = bins + 1, 0.0, 0.0
    assert bins > 1
    return (chi_square - (bins - 1)) / sqrt(2 * (bins - 1))


@pytest.mark.parametrize(
    ("trials", "chance"),
    [(1, 0.5), (20, 0.3), (50, 0.9), (50, 0.4), (1000, 0.02), (1000, 0.7), (400, 0.999)],
)
def test_draws_follow_the_binomial_distribution(trials: int, chance: float) -> None:
    random = Random(11)

    draws = [_binomial(trials, chance, random) for _ in range(20_000)]

    assert abs(chi_square_excess(draws, trials, chance)) < 4


@pytest.mark.parametrize("chance", [0.0, 1.0])
def test_binomial_draws_with_chance_0_or_1_or_without_trials_are_certain(chance: float) -> None:
    assert _binomial(50, chance, Random(1)) == 50 * chance
    assert _binomial(0, chance, Random(1)) == 0


@given(st.lists(st.integers(1, 50), min_size=1, max_size=6), st.integers(0, 100))
def test_every_draw_falls_on_some_kind(times: list[int], seed: int) -> None:
    kinds = [Cluster(float(number), 1, count) for number, count in enumerate(times)]

    counts = _multinomial(kinds, sum(times), Random(seed))

    assert sum(counts) == sum(times)
    assert min(counts) >= 0


@given(st.floats(1e-300, 1, exclude_max=True))
def test_quantiles_are_those_of_the_standard_library(probability: float) -> None:
    expected = NormalDist().inv_cdf(probability)

    assert normal_quantile(probability) == pytest.approx(expected, rel=1e-13, abs=1e-15)


@given(st.floats(-45, 45))
def test_probabilities_are_those_of_the_standard_library(value: float) -> None:
    expected = NormalDist().cdf(value)

    # Far below the mean, the standard library rounds to 0.
    assert normal_probability(value) == pytest.approx(expected, abs=1e-15)


@given(st.integers(0, 2**32), st.integers(20, 100_000), st.floats(0, 1))
def test_draws_that_are_accepted_at_once_pass_the_exact_test(
    seed: int, trials: int, where: float
) -> None:
    least = 10 / trials
    chance = least + (0.5 - least) * where

    def drawn() -> list[int]:
        random = Random(seed)
        return [_binomial_by_rejection(trials, chance, random) for _ in range(50)]

    quick = drawn()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("callscore.core.statistics._ROOM_TO_ACCEPT", 1.0)
        assert drawn() == quick


@pytest.mark.parametrize("trials", [1, 2, 5, 6])
def test_pass_at_k_and_pass_hat_k_are_means_over_all_draws_of_k_trials(trials: int) -> None:
    for successes in range(trials + 1):
        outcomes = [True] * successes + [False] * (trials - successes)
        for k in range(1, trials + 1):
            draws = list(combinations(outcomes, k))
            assert pass_at_k(trials, successes, k) == pytest.approx(fmean(map(any, draws)))
            assert pass_hat_k(trials, successes, k) == pytest.approx(fmean(map(all, draws)))


@pytest.mark.slow
@pytest.mark.parametrize("exact", [0.5, 0.9, 0.98])
def test_intervals_cover_as_often_as_they_promise(exact: float) -> None:
    random, truth, covered = Random(7), exact + (1 - exact) / 4, 0
    for _ in range(100):
        drawn = Counter(
            1.0 if random.random() < exact else random.choice((0.0, 0.5)) for _ in range(200)
        )
        low, high = bootstrap_mean([Cluster(value, 1, times) for value, times in drawn.items()])
        covered += low <= truth <= high

    assert covered > 90


def test_draws_from_the_very_edge_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    # First a number that would divide by zero, then one far outside, then one in the middle.
    numbers = iter([0.0, 0.5, 1e-12, 0.5, 0.5, 0.5])
    random = Random(1)
    monkeypatch.setattr(random, "random", lambda: next(numbers))

    assert _binomial_by_rejection(100, 0.5, random) == 50
    assert list(numbers) == []
