from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as some

from callscore.advising.measuring import (
    area,
    area_of,
    chance_of,
    folds_of,
    ranked,
)

pytestmark = pytest.mark.slow

_RUNS = some.lists(
    some.tuples(some.sampled_from([0.0, 0.25, 0.5, 1.0]), some.booleans()), min_size=2
)


@given(_RUNS)
def test_the_area_is_the_share_of_pairs_won(runs: list[tuple[float, bool]]) -> None:
    good = [value for value, outcome in runs if outcome]
    bad = [value for value, outcome in runs if not outcome]
    won = sum((left > right) + (left == right) / 2 for left in good for right in bad)
    share = won / (len(good) * len(bad)) if good and bad else 0.5

    found = area([value for value, _ in runs], [outcome for _, outcome in runs])

    assert found == pytest.approx(share)


@given(_RUNS, some.randoms(use_true_random=False))
def test_a_weighted_area_is_that_of_repeated_tasks(
    runs: list[tuple[float, bool]], random: Random
) -> None:
    values, outcomes = [value for value, _ in runs], [outcome for _, outcome in runs]
    tasks = [random.randrange(3) for _ in runs]
    weights = [random.randrange(3) for _ in range(3)]
    repeated = [run for run, task in zip(runs, tasks, strict=True) for _ in range(weights[task])]
    both = {outcome for _, outcome in repeated} == {True, False}
    expected = area([one for one, _ in repeated], [one for _, one in repeated]) if both else None

    found = area_of(ranked(values, outcomes, tasks), weights)

    assert found == (pytest.approx(expected) if both else None)


def test_all_runs_of_a_task_are_in_one_fold_and_every_fold_has_both_outcomes() -> None:
    names = [f"t{number % 20}" for number in range(60)]
    outcomes = [number % 20 < 10 for number in range(60)]

    folds = folds_of(names, outcomes, 5)

    assert len({*zip(names, folds, strict=True)}) == 20
    both = {(fold, good) for fold, good in zip(folds, outcomes, strict=True)}
    assert both == {(fold, good) for fold in range(5) for good in (True, False)}


def test_folds_do_not_depend_on_the_order_of_runs() -> None:
    names = [f"t{number}" for number in range(30)]
    outcomes = [number % 3 == 0 for number in range(30)]

    forward = dict(zip(names, folds_of(names, outcomes, 5), strict=True))
    backward = dict(zip(names[::-1], folds_of(names[::-1], outcomes[::-1], 5), strict=True))

    assert forward == backward


def _by_task(per_task: list[float], trials: int) -> list[float]:
    return [value for value in per_task for _ in range(trials)]


def test_labels_that_follow_nothing_rarely_beat_chance() -> None:
    """Few tasks have another score than most, and the best of two columns is taken."""
    tasks = [task for task in range(20) for _ in range(3)]
    first = _by_task([1.0] * 3 + [0.0] * 17, 3)
    second = _by_task([0.0] * 15 + [0.5, 1.0] * 2 + [0.3], 3)
    beaten = 0
    for seed in range(100):
        outcomes = [Random(seed * 100 + run).random() < 0.5 for run in range(60)]
        best = max(area(first, outcomes), area(second, outcomes))
        beaten += chance_of(best, [first, second], outcomes, tasks) <= 0.05

    assert 1 <= beaten <= 10  # 5 are expected; more than 10 of 100 have a probability of 1 %


def test_scores_that_follow_the_labels_beat_chance() -> None:
    outcomes = [True, False, True] * 20
    tasks = [task for task in range(20) for _ in range(3)]
    values = [1.0 if good else 0.5 for good in outcomes]

    # The labels of all tasks are alike, so that dealing them out to other tasks is not enough.
    assert chance_of(1.0, [values], outcomes, tasks) < 0.01
    shifted = values[1:] + values[:1]
    assert chance_of(area(shifted, outcomes), [shifted], outcomes, tasks) > 0.05


def test_runs_of_one_task_are_one_piece_of_evidence() -> None:
    outcomes = [True] * 3 * 8 + [False] * 3 * 8
    values = [1.0] * 3 * 2 + [0.0] * 3 * 14  # two tasks of 16 differ
    single = list(range(48))
    together = [run // 3 for run in single]
    reached = area(values, outcomes)

    assert chance_of(reached, [values], outcomes, single) < 0.05
    assert chance_of(reached, [values], outcomes, together) > 0.1
