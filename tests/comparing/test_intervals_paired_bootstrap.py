"""The bootstrap that is computed, held against the one that is drawn."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import bootstrap, ttest_1samp

from callscore.comparing.intervals import paired_bootstrap
from callscore.comparing.significance import sign_flip_p_value

if TYPE_CHECKING:
    from collections.abc import Callable

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
def test_what_the_p_value_believes_the_interval_believes(differences: list[float]) -> None:
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


def test_one_that_rose_far_among_few_others_is_not_taken_for_all() -> None:
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
