"""The mean of a log from a stratified sample: what it weighs, and how wide its interval is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.sample_estimate import MeanEstimate, SampledStratum, estimate_mean
from callscore.core.statistics import Cluster, wilson
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from random import Random


def estimated(*strata: SampledStratum) -> MeanEstimate:
    found = estimate_mean(strata)
    assert found is not None
    return found


def passing(cases: int, sampled: int, passed: int) -> SampledStratum:
    """A stratum in which so many sampled cases of one trial have the score 1, and the others 0."""
    clusters = [Cluster(1.0, 1, passed), Cluster(0.0, 1, sampled - passed)]
    return SampledStratum(cases, [each for each in clusters if each.times])


def width(found: MeanEstimate) -> float:
    return found.interval.high - found.interval.low


def test_a_stratum_weighs_as_much_as_it_has_cases_in_the_log() -> None:
    found = estimated(passing(900, 10, 10), passing(100, 10, 5))

    assert found.mean == pytest.approx(0.95)
    assert found.interval.low < 0.95 < found.interval.high


def test_a_sample_of_everything_leaves_no_uncertainty() -> None:
    found = estimated(passing(10, 10, 9), passing(3, 3, 0))

    assert found.interval == pytest.approx((9 / 13, 9 / 13))


def test_a_stratum_that_was_taken_whole_adds_no_uncertainty() -> None:
    one = estimated(passing(1_000, 50, 45), passing(1_000, 1_000, 500))
    other = estimated(passing(1_000, 50, 45), passing(1_000, 1_000, 1_000))

    # The second half is known, so that the mean can only be in the other half of the range.
    assert one.interval.low > 0.25
    assert other.interval.low > 0.5 + 0.5 * wilson(45, 50).low - 0.03


def test_the_more_of_the_log_is_sampled_the_narrower_is_the_interval() -> None:
    widths = [width(estimated(passing(cases, 100, 90))) for cases in (100_000, 1_000, 200, 110)]

    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < widths[0] / 2


def test_a_case_with_more_trials_weighs_more() -> None:
    clusters = [Cluster(3.0, 3, 1), Cluster(0.0, 1, 1)]

    found = estimated(SampledStratum(2, clusters))

    assert found.mean == 0.75


def test_trials_of_a_case_are_one_observation() -> None:
    many = estimated(SampledStratum(10_000, [Cluster(5.0, 5, 80), Cluster(0.0, 5, 20)]))
    single = estimated(passing(10_000, 100, 80))

    assert many.mean == pytest.approx(single.mean)
    assert width(many) == pytest.approx(width(single))


@pytest.mark.parametrize("sampled", [2, 5, 20, 100, 10_000])
def test_equal_scores_do_not_prove_that_all_are_equal(sampled: int) -> None:
    always = estimated(passing(10**9, sampled, sampled))
    never = estimated(passing(10**9, sampled, 0))

    # With a smaller share, so many would all pass in less than 5 % of the samples.
    assert always.interval.low <= 0.05 ** (1 / sampled)
    assert always.interval.high == 1
    assert never.interval == pytest.approx((0, 1 - always.interval.low))


def test_equal_scores_within_each_stratum_do_not_prove_it_either() -> None:
    found = estimated(passing(10**6, 20, 20), passing(10**6, 20, 0))

    assert found.mean == 0.5
    assert width(found) > 0.2


def test_without_a_failure_the_stratum_that_stands_for_most_cases_decides() -> None:
    alone = estimated(passing(9_000, 10, 10))
    beside = estimated(passing(9_000, 10, 10), passing(1_000, 990, 990))

    assert alone.interval.low < beside.interval.low < alone.interval.low + 0.1


def test_one_sampled_case_per_stratum_is_enough_for_an_interval() -> None:
    strata = [passing(50, 1, place % 10 > 0) for place in range(200)]

    found = estimated(*strata)

    share = wilson(180, 200)
    assert found.mean == pytest.approx(0.9)
    assert found.interval.low <= share.low
    assert found.interval.high >= share.high


def test_strata_without_a_sampled_case_may_have_any_score() -> None:
    found = estimated(passing(80, 80, 80), SampledStratum(20, []))

    assert found.mean == 1
    assert found.interval == pytest.approx((0.8, 1))


def test_cases_that_could_not_be_scored_are_left_out() -> None:
    found = estimated(SampledStratum(100, [Cluster(1.0, 1, 9), Cluster(0.0, 0, 1)]))

    assert found.mean == 1
    assert found.interval.low > 0.6


@pytest.mark.parametrize(
    "strata", [[], [SampledStratum(5, [])], [SampledStratum(5, [Cluster(0, 0, 2)])]]
)
def test_without_a_score_there_is_no_estimate(strata: list[SampledStratum]) -> None:
    assert estimate_mean(strata) is None


def test_more_sampled_cases_than_cases_are_refused() -> None:
    with pytest.raises(InvalidSettings, match="strata: 4 sampled cases, but the stratum has 3"):
        estimate_mean([passing(3, 4, 4)])


def test_a_large_sample_has_the_interval_of_a_simple_one() -> None:
    found = estimated(passing(10**9, 20_000, 18_000))

    assert found.interval == pytest.approx(wilson(18_000, 20_000), abs=0.0002)


def test_more_confidence_needs_a_wider_interval() -> None:
    strata = [passing(1_000, 50, 40)]

    usual, wide = estimate_mean(strata), estimate_mean(strata, confidence=0.99)

    assert usual is not None
    assert wide is not None
    assert width(wide) > width(usual)


_CLUSTERS = st.lists(
    st.integers(1, 5).flatmap(
        lambda size: st.builds(
            Cluster, st.sampled_from([0.0, size / 2, float(size)]), st.just(size), st.integers(1, 3)
        )
    ),
    max_size=6,
)


@given(st.lists(st.tuples(_CLUSTERS, st.integers(0, 50)), min_size=1, max_size=5), st.randoms())
def test_an_interval_is_around_the_mean_whatever_the_order(
    drawn: list[tuple[list[Cluster], int]], random: Random
) -> None:
    strata = [
        SampledStratum(sum(each.times for each in clusters) + left, clusters)
        for clusters, left in drawn
    ]
    found = estimate_mean(strata)
    shuffled = [
        SampledStratum(each.cases, random.sample(list(each.clusters), len(each.clusters)))
        for each in random.sample(strata, len(strata))
    ]
    split = [
        SampledStratum(
            each.cases, [one._replace(times=1) for one in each.clusters for _ in range(one.times)]
        )
        for each in strata
    ]

    if found is None:
        assert estimate_mean(shuffled) is None
        return
    low, high = found.interval
    assert 0 <= low <= high <= 1
    assert low - 1e-9 <= found.mean <= high + 1e-9
    for same in (estimated(*shuffled), estimated(*split)):
        assert (same.mean, *same.interval) == pytest.approx((found.mean, low, high))
