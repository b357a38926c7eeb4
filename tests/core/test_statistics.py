from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb, sqrt
from random import Random
from statistics import NormalDist, fmean, pstdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.statistics import (
    Cluster,
    _binomial,
    _binomial_by_rejection,
    _binomial_by_waiting,
    _multinomial,
    bootstrap_mean,
    chances_of_success,
    normal_probability,
    normal_quantile,
    pass_at_k,
    pass_hat_k,
    wilson,
)
from callscore.errors import InvalidSettings


@pytest.mark.parametrize(
    ("successes", "total", "low", "high"),
    [
        # The four examples of Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (10, 10, 0.7225, 1.0),
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
    ],
)
def test_wilson_intervals_are_those_of_the_literature(
    successes: int, total: int, low: float, high: float
) -> None:
    interval = wilson(successes, total)

    assert interval == pytest.approx((low, high), abs=0.00005)


def test_a_wilson_interval_ends_exactly_where_a_share_can_end() -> None:
    for total in (1, 3, 7, 1000):
        assert wilson(0, total).low == 0
        assert wilson(total, total).high == 1


def test_successes_may_be_a_mean_of_trials() -> None:
    low, high = wilson(1.5, 3)

    assert low == pytest.approx(1 - high)
    assert wilson(1, 3).low < low < wilson(2, 3).low


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((5, 3), "successes: expected a number from 0 to 3, got 5"),
        ((-1, 3), "successes: expected a number from 0 to 3, got -1"),
        ((float("nan"), 3), "successes: expected a number from 0 to 3, got nan"),
        (("1", 3), "successes: expected a number from 0 to 3, got '1'"),
        ((1, 0), "successes: expected a number from 0 to 0, got 1"),
        ((0, -1), "total: expected a number ≥ 0, got -1"),
        ((0, None), "total: expected a number ≥ 0, got None"),
        ((1, 10**400), "total: expected a number ≥ 0, got a very large integer"),
        ((10**400, 3), "successes: expected a number from 0 to 3, got a very large integer"),
    ],
)
def test_a_share_that_cannot_be_is_refused(arguments: Any, problem: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        wilson(*arguments)

    assert str(caught.value) == problem


@pytest.mark.parametrize("confidence", [0, 1, 95, -0.5, float("nan"), "0.95"])
def test_a_confidence_is_between_0_and_1(confidence: Any) -> None:
    with pytest.raises(InvalidSettings, match="confidence: expected a number between 0 and 1"):
        wilson(1, 3, confidence=confidence)


def test_nothing_observed_leaves_everything_possible() -> None:
    assert wilson(0, 0) == (0, 1)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_wilson_interval_holds_the_share_and_is_wider_for_more_confidence(
    observed: tuple[int, int],
) -> None:
    successes, total = observed

    narrow, wide = wilson(successes, total, confidence=0.8), wilson(successes, total)

    assert 0 <= wide.low <= narrow.low <= successes / total <= narrow.high <= wide.high <= 1
    mirrored = wilson(total - successes, total)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx(wide, abs=1e-12)


def test_pass_hat_three_of_four_successes_in_five_trials_is_two_fifths() -> None:
    assert pass_hat_k(5, 4, 3) == 0.4
    assert pass_at_k(5, 4, 3) == 1


def test_both_chances_are_the_closest_numbers_to_the_exact_fractions() -> None:
    assert pass_at_k(5, 1, 1) == pass_hat_k(5, 1, 1) == 0.2
    for trials in range(1, 41):
        for successes in range(trials + 1):
            for k in range(1, trials + 1):
                failing = Fraction(comb(trials - successes, k), comb(trials, k))
                assert pass_at_k(trials, successes, k) == float(1 - failing)
                passing = Fraction(comb(successes, k), comb(trials, k))
                assert pass_hat_k(trials, successes, k) == float(passing)


@pytest.mark.parametrize("trials", [1, 2, 5, 6])
def test_both_chances_are_those_over_all_ways_to_draw_k_trials(trials: int) -> None:
    for successes in range(trials + 1):
        outcomes = [True] * successes + [False] * (trials - successes)
        for k in range(1, trials + 1):
            draws = list(combinations(outcomes, k))
            assert pass_at_k(trials, successes, k) == pytest.approx(fmean(map(any, draws)))
            assert pass_hat_k(trials, successes, k) == pytest.approx(fmean(map(all, draws)))


@pytest.mark.parametrize(
    ("trials", "successes", "k", "message"),
    [
        (5, 4, 6, "k: expected an integer from 1 to 5, the number of trials, got 6"),
        (5, 4, 0, "k: expected an integer from 1 to 5, the number of trials, got 0"),
        (5, 4, 1.0, "k: expected an integer from 1 to 5, the number of trials, got 1.0"),
        (5, 6, 1, "successes: expected an integer from 0 to 5, the number of trials, got 6"),
        (5, -1, 1, "successes: expected an integer from 0 to 5, the number of trials, got -1"),
        (0, 0, 1, "trials: expected an integer from 1 to 100000, got 0"),
        (10**400, 4, 1, "trials: expected an integer from 1 to 100000, got a very large integer"),
        ("5", 4, 1, "trials: expected an integer from 1 to 100000, got '5'"),
    ],
)
def test_numbers_of_trials_that_cannot_be_are_refused(
    trials: Any, successes: Any, k: Any, message: str
) -> None:
    for chance in (pass_at_k, pass_hat_k):
        with pytest.raises(InvalidSettings) as caught:
            chance(trials, successes, k)
        assert str(caught.value) == message


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


def test_clusters_of_different_size_weigh_by_their_size() -> None:
    interval = bootstrap_mean([Cluster(0.0, 1, 200), Cluster(3.0, 3, 200)])

    assert interval.low < 0.75 < interval.high


def test_values_that_are_nearly_all_alike_have_the_interval_of_wilson() -> None:
    # Drawing again would find the same value over and over, and promise too much.
    assert bootstrap_mean([Cluster(1.0, 1, 200)]) == wilson(200, 200)
    assert bootstrap_mean([Cluster(0.0, 1, 3), Cluster(2.0, 2, 197)]) == wilson(
        200 * 394 / 397, 200
    )


def test_a_skewed_mean_has_a_longer_end_on_its_longer_side() -> None:
    interval = bootstrap_mean([Cluster(0.0, 1, 8), Cluster(1.0, 1, 192)])

    assert 0.96 - interval.low > 1.2 * (interval.high - 0.96)


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


def test_more_confidence_makes_a_wider_interval() -> None:
    wide, narrow = bootstrap_mean(FEW_KINDS), bootstrap_mean(FEW_KINDS, confidence=0.5)

    assert wide.low < narrow.low < narrow.high < wide.high


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


@pytest.mark.parametrize("draw", [_binomial_by_waiting, _binomial_by_rejection])
def test_both_ways_to_draw_follow_the_same_distribution(draw: type) -> None:
    random = Random(12)

    draws = [draw(60, 0.25, random) for _ in range(20_000)]

    assert abs(chi_square_excess(draws, 60, 0.25)) < 4


def test_the_test_above_can_tell_a_wrong_distribution() -> None:
    random = Random(13)

    draws = [_binomial(60, 0.26, random) for _ in range(20_000)]

    assert chi_square_excess(draws, 60, 0.25) > 10


@pytest.mark.parametrize("chance", [0.0, 1.0])
def test_what_cannot_fail_or_cannot_happen_is_not_drawn(chance: float) -> None:
    assert _binomial(50, chance, Random(1)) == 50 * chance
    assert _binomial(0, chance, Random(1)) == 0


def test_draws_from_the_very_edge_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    # First a number that would divide by zero, then one far outside, then one in the middle.
    numbers = iter([0.0, 0.5, 1e-12, 0.5, 0.5, 0.5])
    random = Random(1)
    monkeypatch.setattr(random, "random", lambda: next(numbers))

    assert _binomial_by_rejection(100, 0.5, random) == 50
    assert list(numbers) == []


@given(st.lists(st.integers(1, 50), min_size=1, max_size=6), st.integers(0, 100))
def test_every_draw_falls_on_some_kind(times: list[int], seed: int) -> None:
    kinds = [Cluster(float(number), 1, count) for number, count in enumerate(times)]

    counts = _multinomial(kinds, sum(times), Random(seed))

    assert sum(counts) == sum(times)
    assert min(counts) >= 0


@pytest.mark.parametrize(
    ("trials", "successes"), [(1, 0), (1, 1), (7, 0), (7, 3), (7, 7), (400, 133)]
)
def test_the_chances_for_all_k_are_those_for_each(trials: int, successes: int) -> None:
    at_k, hat_k = chances_of_success(trials, successes, trials)

    assert at_k == [pass_at_k(trials, successes, k) for k in range(1, trials + 1)]
    assert hat_k == [pass_hat_k(trials, successes, k) for k in range(1, trials + 1)]


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
