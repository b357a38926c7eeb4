"""The exact test of McNemar, held against other libraries."""

from __future__ import annotations

from collections import Counter
from math import log, sqrt
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import binom, binomtest, bootstrap, gamma, norm, permutation_test, ttest_1samp
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from callscore.comparing.paired_statistics import (
    Cumulants,
    exact_mcnemar,
    find_root,
    holm_correction,
    min_flips,
    normal_score,
    paired_bootstrap,
    paired_interval,
    score_p_value,
    sign_flip_p_value,
    smallest_effect,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("down", "up"), [(0, 0), (1, 0), (5, 0), (0, 6), (7, 1), (12, 4), (40, 20), (900, 1000)]
)
def test_the_p_value_is_the_one_of_statsmodels(down: int, up: int) -> None:
    expected = mcnemar([[50, down], [up, 50]], exact=True).pvalue if down + up else 1.0

    assert exact_mcnemar(down, up) == pytest.approx(expected, rel=1e-9)


@given(st.integers(0, 300), st.integers(0, 300))
def test_the_p_value_is_the_one_of_a_fair_coin(down: int, up: int) -> None:
    expected = binomtest(down, down + up).pvalue if down + up else 1.0

    assert exact_mcnemar(down, up) == pytest.approx(expected, rel=1e-9)
    assert exact_mcnemar(down, up) == exact_mcnemar(up, down)


def test_six_flips_one_way_are_the_fewest_that_are_believed() -> None:
    assert exact_mcnemar(5, 0) == pytest.approx(0.0625)
    assert exact_mcnemar(6, 0) == pytest.approx(0.03125)


def test_as_many_one_way_as_the_other_say_nothing() -> None:
    assert exact_mcnemar(0, 0) == exact_mcnemar(1, 1) == exact_mcnemar(500, 500) == 1


def test_very_many_flips_are_no_trouble() -> None:
    assert exact_mcnemar(0, 5000) == 0
    assert exact_mcnemar(50_000, 50_600) == pytest.approx(
        binomtest(50_000, 100_600).pvalue, rel=1e-6
    )


# Holm's correction, held against statsmodels.


def test_the_textbook_example() -> None:
    assert holm_correction([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_of_nothing_nothing_is_corrected() -> None:
    assert holm_correction([]) == []


@settings(max_examples=25)  # statsmodels takes its time
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_the_p_values_are_those_of_statsmodels(p_values: list[float]) -> None:
    expected = multipletests(p_values, method="holm")[1]

    assert holm_correction(p_values) == pytest.approx(list(expected), rel=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_no_p_value_becomes_smaller_and_their_order_stays(p_values: list[float]) -> None:
    found = holm_correction(p_values)

    assert all(after >= before for before, after in zip(p_values, found, strict=True))
    in_order = [after for _, after in sorted(zip(p_values, found, strict=True))]
    assert in_order == sorted(in_order)


# The test that turns signs, held against counting all of them.


def counted(steps: list[int]) -> float:
    """The share of all choices of signs whose sum is as far from zero, for whole numbers."""
    ways: Counter[int] = Counter({0: 1})
    for step in steps:
        ways = Counter(
            {
                total: ways[total - step] + ways[total + step]
                for found in ways
                for total in (found - step, found + step)
            }
        )
    observed = abs(sum(steps))
    return sum(times for total, times in ways.items() if abs(total) >= observed) / ways.total()


def convolved(steps: list[int]) -> float:
    """The same, for more of them than anybody wants to count one by one."""
    reach = sum(abs(step) for step in steps)
    ways = np.zeros(2 * reach + 1)
    ways[reach] = 1.0
    for step in steps:
        ways = (np.roll(ways, step) + np.roll(ways, -step)) / 2
    observed = abs(sum(steps))
    return float(ways[reach + observed :].sum() + ways[: reach - observed + 1].sum())


@given(st.lists(st.integers(-5, 5), max_size=11))
def test_few_differences_are_counted_exactly(steps: list[int]) -> None:
    assert sign_flip_p_value(Counter(step / 5 for step in steps)) == pytest.approx(counted(steps))


@given(st.lists(st.sampled_from([-3, -2, 2, 3]), min_size=13, max_size=60))
def test_so_are_many_of_few_sizes(steps: list[int]) -> None:
    assert sign_flip_p_value(Counter(step / 3 for step in steps)) == pytest.approx(counted(steps))


def test_ties_in_thirds_are_ties() -> None:
    steps = [-3, -2, -2, -2, -2, -1, -1, -1, -1, -1, 0, 1, 1, 1, 1]

    assert sign_flip_p_value(Counter(round(step / 3, 12) for step in steps)) == pytest.approx(
        counted(steps)
    )
    assert counted(steps) == pytest.approx(0.0557, abs=1e-4)


def test_means_of_trials_are_counted_exactly_whatever_they_are_rounded_to() -> None:
    random = Random(11)
    for _ in range(300):
        trials = random.choice((2, 3, 6, 7, 10, 30))
        before = [random.randint(0, trials) for _ in range(random.randint(1, 26))]
        after = [random.randint(0, max(1, trials - 1)) for _ in before]
        pairs = list(zip(before, after, strict=True))

        found = sign_flip_p_value(
            Counter(round(last / trials - first / trials, 12) + 0.0 for first, last in pairs)
        )

        assert found == pytest.approx(counted([last - first for first, last in pairs]))


@pytest.mark.parametrize("cases", [12, 15, 20, 26])
def test_differences_that_are_all_of_other_sizes_are_counted_as_well(cases: int) -> None:
    random = Random(cases)
    steps = [random.randint(-900, 400) for _ in range(cases)]

    assert sign_flip_p_value(Counter(step / 1000 for step in steps)) == pytest.approx(
        counted(steps)
    )


@pytest.mark.parametrize("cases", [40, 60, 120])
@pytest.mark.parametrize("power", [1, 4])
def test_the_approximated_sign_flip_p_value_is_hardly_below_the_exact_one(
    cases: int, power: int
) -> None:
    random = Random(cases * power)
    for _ in range(5):
        sizes = [1 + round(2000 * random.random() ** power) for _ in range(cases)]
        steps = [size if random.random() < 0.33 else -size for size in sizes]

        found, exact = sign_flip_p_value(Counter(step / 2001 for step in steps)), convolved(steps)

        assert found > 0.9 * exact
        assert found < 1.1 * exact or exact < 0.01


def test_more_differences_of_one_size_than_anybody_counts_are_computed() -> None:
    down, up = 4800, 5000

    found = sign_flip_p_value({-0.5: down, 0.5: up})

    assert found == pytest.approx(exact_mcnemar(down, up), rel=0.02)


@settings(max_examples=30)  # counting takes its time
@given(st.lists(st.integers(-9, 9), min_size=30, max_size=80))
def test_many_of_many_sizes_are_met_closely(steps: list[int]) -> None:
    found = sign_flip_p_value(Counter(step / 9 for step in steps))

    assert found == pytest.approx(counted(steps), rel=0.15)


@given(st.integers(0, 60), st.integers(0, 60))
def test_with_one_size_it_is_the_exact_test_of_mcnemar(down: int, up: int) -> None:
    found = sign_flip_p_value({-0.5: down, 0.0: 7, 0.5: up})

    assert found == pytest.approx(exact_mcnemar(down, up))


def test_the_sign_flip_p_value_is_that_of_the_paired_permutation_test_of_scipy() -> None:
    differences = np.array([Random(number).uniform(-0.3, 0.5) for number in range(10)])

    other = permutation_test(
        (differences, np.zeros(10)),
        lambda before, after, axis: np.mean(before - after, axis=axis),
        permutation_type="samples",
        n_resamples=2**10,
    )

    assert sign_flip_p_value(Counter(differences.tolist())) == pytest.approx(other.pvalue)


def test_all_one_way_has_one_way_to_be() -> None:
    sizes = {number / 20: 1 for number in range(1, 21)}

    assert sign_flip_p_value(sizes) == pytest.approx(2**-19)
    assert sign_flip_p_value({-0.5: 20, 0.0: 5}) == pytest.approx(2**-19)
    assert sign_flip_p_value({0.5: 3, 0.25: 3}) == pytest.approx(2**-5)


def test_no_difference_says_nothing() -> None:
    assert sign_flip_p_value({0.0: 40}) == 1
    assert sign_flip_p_value({0.5: 10, -0.5: 10}) == 1
    balanced = {sign * number / 20: 1 for number in range(1, 21) for sign in (1, -1)}
    assert sign_flip_p_value(balanced) == 1


# Tango's interval: the ends are where the score test just does not reject.

Z = norm.ppf(0.975)


def score(difference: float, down: int, up: int, cases: int) -> float:
    """How far a difference is from what was seen, with the likeliest shares found by search."""
    same = cases - down - up

    def unlikeliness(share: float) -> float:
        shares = (share, share + difference, 1 - 2 * share - difference)
        counted = [pair for pair in zip((down, up, same), shares, strict=True) if pair[0]]
        return -sum(count * log(max(share, 1e-300)) for count, share in counted)

    least, most = max(0.0, -difference), (1 - difference) / 2
    found = minimize_scalar(
        unlikeliness, bounds=(least, most), method="bounded", options={"xatol": 1e-13}
    ).x
    variance = (2 * found + difference - difference**2) / cases
    return ((up - down) / cases - difference) / sqrt(variance)


@pytest.mark.parametrize(
    ("down", "up", "cases"),
    [(5, 0, 50), (3, 2, 20), (12, 30, 200), (1, 1, 1000), (60, 20, 100), (20, 21, 41)],
)
def test_the_score_at_both_ends_of_the_paired_interval_is_the_normal_quantile(
    down: int, up: int, cases: int
) -> None:
    low, high = paired_interval(down, up, cases)

    assert score(low, down, up, cases) == pytest.approx(Z, abs=1e-4)
    assert score(high, down, up, cases) == pytest.approx(-Z, abs=1e-4)


def test_without_a_flip_the_interval_still_has_a_width() -> None:
    low, high = paired_interval(0, 0, 200)

    assert -low == high == pytest.approx(Z**2 / (200 + Z**2), abs=1e-9)


def test_where_all_flip_one_way_the_end_is_the_end() -> None:
    low, high = paired_interval(0, 20, 20)

    assert high == 1
    assert 0.6 < low < 0.9
    assert paired_interval(20, 0, 20) == (-1, -low)


flips = st.integers(1, 400).flatmap(
    lambda cases: st.integers(0, cases).flatmap(
        lambda down: st.tuples(st.just(down), st.integers(0, cases - down), st.just(cases))
    )
)


@given(flips)
def test_an_interval_holds_what_was_seen_and_mirrors_when_the_runs_are_swapped(
    seen: tuple[int, int, int],
) -> None:
    down, up, cases = seen
    low, high = paired_interval(down, up, cases)

    assert -1 <= low <= (up - down) / cases <= high <= 1
    assert paired_interval(up, down, cases) == pytest.approx((-high, -low), abs=1e-12)
    wide = paired_interval(down, up, cases, confidence=0.99)
    assert wide.low <= low + 1e-12
    assert wide.high >= high - 1e-12


def test_the_interval_excludes_zero_where_the_exact_test_is_significant() -> None:
    for flipped in range(1, 200):
        for down in range(flipped // 2 + 1):
            up = flipped - down
            if exact_mcnemar(down, up) < 0.05:
                assert paired_interval(down, up, flipped + 50).low > 0


@pytest.mark.parametrize(("down", "up", "cases"), [(3, 1, 20), (0.4, 2.7, 12), (5, 0, 200)])
def test_the_interval_ends_where_the_p_value_is_five_per_cent(
    down: float, up: float, cases: int
) -> None:
    low, high = paired_interval(down, up, cases)

    assert score_p_value(down, up, cases, low) == pytest.approx(0.05)
    assert score_p_value(down, up, cases, high) == pytest.approx(0.05)
    assert score_p_value(down, up, cases, (up - down) / cases) == 1


def test_a_difference_that_cannot_be_has_no_chance() -> None:
    assert score_p_value(1, 2, 10, 1.5) == score_p_value(1, 2, 10, -1.5) == 0
    assert score_p_value(0, 0, 10, 1.0) == 0


# The bootstrap that is computed, held against the one that is drawn.

shares = st.integers(-10, 10).map(lambda number: number / 10)
samples = st.lists(shares, min_size=1, max_size=60)


def made_up(kind: str) -> list[float]:
    random = Random(kind)
    draws: dict[str, Callable[[], float]] = {
        "few move, mostly down": lambda: random.uniform(-1, 0.4) if random.random() < 0.1 else 0.0,
        "thirds": lambda: random.choice((-1, -2 / 3, -1 / 3, 0, 0, 0, 1 / 3)),
        "all move": lambda: random.gauss(0.02, 0.1),
        "skewed": lambda: random.betavariate(0.5, 4),
    }
    return [draws[kind]() for _ in range(200)]


@pytest.mark.parametrize("kind", ["few move, mostly down", "thirds", "all move", "skewed"])
def test_the_interval_is_the_one_that_scipy_draws(kind: str) -> None:
    differences = made_up(kind)
    drawn = bootstrap(
        (np.array(differences),),
        np.mean,
        n_resamples=20_000,
        batch=2_000,
        method="BCa",
        rng=np.random.default_rng(1),
    ).confidence_interval

    found = paired_bootstrap(Counter(differences)).interval

    width = drawn.high - drawn.low
    assert found == pytest.approx((drawn.low, drawn.high), abs=0.03 * width)


def test_the_p_value_of_many_like_numbers_is_the_one_of_students_test() -> None:
    differences = made_up("all move")

    found = paired_bootstrap(Counter(differences)).p_value

    assert found == pytest.approx(ttest_1samp(differences, 0).pvalue, rel=0.1)


@given(samples)
def test_swapping_the_runs_mirrors_everything(differences: list[float]) -> None:
    p_value, (low, high) = paired_bootstrap(Counter(differences))

    swapped = paired_bootstrap(Counter(-value + 0.0 for value in differences))

    assert swapped.p_value == pytest.approx(p_value, rel=1e-5, abs=1e-12)
    assert swapped.interval == pytest.approx((-high, -low), abs=1e-6)


@given(samples)
def test_the_bootstrap_interval_excludes_zero_where_its_p_value_is_significant(
    differences: list[float],
) -> None:
    p_value, (low, high) = paired_bootstrap(Counter(differences))

    assert 0 <= p_value <= 1
    assert -1 <= low <= high <= 1
    if p_value < 0.05:
        assert low > 0 or high < 0


@given(samples, st.randoms(use_true_random=False))
def test_the_order_of_the_cases_does_not_matter(differences: list[float], random: Random) -> None:
    shuffled = random.sample(differences, len(differences))

    assert paired_bootstrap(Counter(shuffled)) == paired_bootstrap(Counter(differences))


@given(samples)
@example([-0.1, -0.1, -0.1, 0.6])
def test_the_interval_holds_the_mean(differences: list[float]) -> None:
    low, high = paired_bootstrap(Counter(differences)).interval

    assert low - 1e-9 <= sum(differences) / len(differences) <= high + 1e-9


def test_one_large_rise_among_few_cases_is_not_significant() -> None:
    differences = [0, 0.02, 0.02, 0.02, 0.03, 0.03, 0.03, 0.5]

    p_value, (low, high) = paired_bootstrap(Counter(differences))

    assert low < 0
    assert high > sum(differences) / 8
    assert 0.05 < p_value < 1


def test_where_few_moved_the_p_value_is_that_of_turning_signs_or_a_larger_one() -> None:
    differences = {0.0: 20, -0.5: 4, 0.25: 1}

    assert sign_flip_p_value(differences) <= paired_bootstrap(differences).p_value < 1


def test_where_nothing_differs_there_is_a_width_all_the_same() -> None:
    p_value, (low, high) = paired_bootstrap({0.0: 200})

    assert p_value == 1
    assert -low == high == pytest.approx(0.0188, abs=0.0001)


def test_few_that_moved_a_little_leave_a_narrower_interval_than_flips() -> None:
    little, far = (paired_bootstrap({0.0: 197, -size: 3}).interval for size in (0.25, 1.0))

    assert little.low == pytest.approx(far.low / 4)


def test_when_all_move_alike_nobody_takes_that_for_certain() -> None:
    p_value, (low, high) = paired_bootstrap({-0.5: 40})

    assert p_value < 1e-9
    assert low < -0.5 < high < 0


def test_so_clear_a_difference_leaves_no_chance() -> None:
    random = Random(5)

    assert paired_bootstrap(Counter(-random.random() for _ in range(3000))).p_value == 0


# The saddlepoint approximation, held against a distribution that is known.


def of_gamma(shape: float, tilt: float) -> Cumulants:
    return Cumulants(-shape * log(1 - tilt), shape / (1 - tilt), shape / (1 - tilt) ** 2)


@pytest.mark.parametrize("shape", [2.0, 10.0, 300.0])
@pytest.mark.parametrize("tilt", [-3.0, -0.4, -0.05, 0.05, 0.3, 0.7])
def test_a_gamma_distribution_is_met_to_a_part_in_a_hundred(shape: float, tilt: float) -> None:
    at = of_gamma(shape, tilt)

    found = normal_score(tilt, at)

    exact = gamma.logcdf if tilt < 0 else gamma.logsf
    normal = norm.logcdf(found) if tilt < 0 else norm.logsf(found)
    assert normal == pytest.approx(exact(at.mean, shape), abs=0.02)


def test_in_the_very_middle_the_score_is_given() -> None:
    assert normal_score(0.0, of_gamma(10, 0.0), middle=0.1) == 0.1
    assert normal_score(1e-6, of_gamma(10, 1e-6), middle=0.1) == 0.1


def test_where_nothing_is_left_to_vary_the_score_is_finite() -> None:
    assert normal_score(100.0, Cumulants(80.0, 1.0, 0.0)) == pytest.approx(40**0.5)


@pytest.mark.parametrize("start", [0.01, 1.0, 50.0])
def test_a_crossing_is_found_from_anywhere(start: float) -> None:
    assert find_root(lambda x: x**3 + x, 10.0, start) == pytest.approx(2, abs=1e-6)
    assert find_root(lambda x: x**3 + x, -10.0, -start) == pytest.approx(-2, abs=1e-6)


def test_where_there_is_no_crossing_the_search_ends() -> None:
    assert find_root(lambda x: x / (1 + abs(x)), 2.0, 1.0) > 1e9


def test_a_flat_function_ends_the_search() -> None:
    assert find_root(lambda x: float(x > 0.3), 1.0, 0.5) == 0.5


def test_a_function_that_jumps_over_the_value_is_met_where_it_jumps() -> None:
    assert find_root(lambda x: 2.0 if x > 0.3 else -1.0, 0.0, 1.0) == pytest.approx(0.3, abs=1e-6)


# The smallest difference that can be seen: what it promises is counted out.


def power(cases: int, flipping: float, change: float) -> float:
    """The chance that the exact test finds a change, summed over everything that may fall."""
    up = (flipping + change) / 2 / flipping
    found = sum(
        binom.pmf(flips, cases, flipping) * binom.pmf(ups, flips, up)
        for flips in range(cases + 1)
        if binom.pmf(flips, cases, flipping) > 1e-7
        for ups in range(flips + 1)
        if 2 * ups > flips and exact_mcnemar(flips - ups, ups) < 0.05
    )
    return float(found)


@pytest.mark.parametrize(
    ("cases", "flipping"), [(50, 0.3), (100, 0.15), (200, 0.1), (200, 0.2), (300, 0.05)]
)
def test_the_difference_is_found_in_about_four_suites_of_five(cases: int, flipping: float) -> None:
    change = smallest_effect(cases, flipping)

    assert change is not None
    assert 0.78 <= power(cases, max(flipping, change), change) <= 0.9


@pytest.mark.parametrize("cases", [6, 20, 100, 1000])
def test_where_nothing_flips_by_chance_all_flips_of_a_difference_go_one_way(cases: int) -> None:
    change = smallest_effect(cases, 0.0)

    assert change is not None
    assert binom.sf(5, cases, change) == pytest.approx(0.8, abs=1e-6)
    assert change * cases >= 6 * 0.95


def test_five_cases_can_show_nothing() -> None:
    assert smallest_effect(5, 0.2) is None
    assert smallest_effect(6, 0.2) is not None


def test_where_everything_flips_only_all_of_it_will_do() -> None:
    assert smallest_effect(10, 1.0) == pytest.approx(0.9, abs=0.1)


def test_more_cases_see_more_and_more_noise_less() -> None:
    seen = [smallest_effect(cases, 0.2) or 1 for cases in (20, 50, 100, 200, 500, 1000)]
    noisy = [smallest_effect(200, flipping) or 1 for flipping in (0, 0.05, 0.1, 0.2, 0.4)]

    assert seen == sorted(seen, reverse=True)
    assert noisy == sorted(noisy)


def test_a_test_among_many_needs_a_clearer_difference() -> None:
    alone, among = smallest_effect(200, 0.1), smallest_effect(200, 0.1, tests=20)

    assert alone is not None
    assert among is not None
    assert among > alone
    assert [min_flips(tests) for tests in (1, 2, 20)] == [6, 7, 10]


def test_the_smallest_effect_is_never_less_than_whole_cases_need() -> None:
    floor = smallest_effect(200, 0.0)

    assert smallest_effect(200, 1.0, size=0.01) == floor
    whole, half = smallest_effect(200, 0.4), smallest_effect(200, 0.4, size=0.5)
    assert whole is not None
    assert half == pytest.approx(whole / 2)
