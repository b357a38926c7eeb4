"""The exact test of McNemar, held against other libraries."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, permutation_test
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from callscore.comparing.significance import exact_mcnemar, holm_correction, sign_flip_p_value


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
def test_what_is_not_counted_is_hardly_too_small(cases: int, power: int) -> None:
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


def test_it_is_the_paired_permutation_test_of_scipy() -> None:
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
