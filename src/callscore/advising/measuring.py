"""How well numbers tell success from failure: AUC, agreement, intervals, folds of tasks."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from hashlib import sha256
from itertools import chain, compress
from random import Random
from typing import NamedTuple

SEED = 2026
RESAMPLES = 2000
_PERMUTATIONS = 500
_TAIL = 0.025  # of the resamples, on either side of the interval

# How often each task was drawn, for every resample.
Draws = list[list[int]]


class Ranked(NamedTuple):
    """Numbers in their order, ready to be weighted: each item is a level, a task and a count."""

    levels: int
    good: list[tuple[int, int, int]]
    bad: list[tuple[int, int, int]]


def numbered(tasks: Iterable[Hashable]) -> list[int]:
    """The tasks as numbers from 0, in the order in which they first occur."""
    known: dict[Hashable, int] = {}
    return [known.setdefault(task, len(known)) for task in tasks]


def ranked(
    values: Sequence[float | None], outcomes: Sequence[bool], tasks: Sequence[int]
) -> Ranked:
    """Values by their rank; equal values have the same level, and None is left out."""
    levels = {
        value: level
        for level, value in enumerate(sorted({each for each in values if each is not None}))
    }
    good: Counter[tuple[int, int]] = Counter()
    bad: Counter[tuple[int, int]] = Counter()
    for value, outcome, task in zip(values, outcomes, tasks, strict=True):
        if value is not None:
            (good if outcome else bad)[levels[value], task] += 1
    return Ranked(len(levels), _items(good), _items(bad))


def _items(counts: Counter[tuple[int, int]]) -> list[tuple[int, int, int]]:
    return [(level, task, count) for (level, task), count in counts.items()]


def area(values: Sequence[float], outcomes: Sequence[bool]) -> float:
    """The area under the ROC curve, from the exact number of pairs won (Mann and Whitney).

    It is how often a success has the higher value of a success and a failure drawn at random, where a
    tie is half a time. 0.5 if there are no successes or no failures.
    """
    found = area_of(ranked(values, outcomes, [0] * len(values)), [1])
    return 0.5 if found is None else found


def area_of(numbers: Ranked, weights: Sequence[int]) -> float | None:
    """The area if each task counts as often as its weight says; None without one of the outcomes."""
    good = [0] * numbers.levels
    bad = [0] * numbers.levels
    for level, task, count in numbers.good:
        good[level] += count * weights[task]
    for level, task, count in numbers.bad:
        bad[level] += count * weights[task]
    won = below = 0  # in half pairs, so that a tie is a whole number, too
    for successes, failures in zip(good, bad, strict=True):
        won += successes * (2 * below + failures)
        below += failures
    pairs = 2 * sum(good) * below
    return won / pairs if pairs else None


def chance_of(
    reached: float,
    columns: Iterable[Sequence[float]],
    outcomes: Sequence[bool],
    tasks: Sequence[int],
) -> float:
    """How often the best of some columns reaches an area if the labels have nothing to do with it.

    The labels are dealt out anew: to other tasks as a whole, because runs of one task are alike, and
    within each task. The runs of a task stand together. Of several columns the best is taken, as it is where settings are chosen.
    """
    labels: dict[int, list[bool]] = {}
    for task, outcome in zip(tasks, outcomes, strict=True):
        labels.setdefault(task, []).append(outcome)
    dealt = list(labels.values())
    good, count = sum(outcomes), len(outcomes)
    doubled = [_doubled_ranks(column) for column in columns]
    # From the area to the sum of the ranks of all successes (Mann and Whitney).
    needed = 2 * reached * good * (count - good) + good * (good + 1) - 1e-6
    random = Random(SEED)  # noqa: S311  (the same permutations every time)
    hits = 0
    for _ in range(_PERMUTATIONS):
        random.shuffle(dealt)
        for of_task in dealt:
            random.shuffle(of_task)
        permuted = list(chain.from_iterable(dealt))
        hits += any(sum(compress(ranks, permuted)) >= needed for ranks in doubled)
    return (hits + 1) / (_PERMUTATIONS + 1)


def _doubled_ranks(values: Sequence[float]) -> list[int]:
    """Twice the rank of each value, from 1; equal values share the mean of their ranks."""
    ordered = sorted(values)
    return [bisect_left(ordered, value) + bisect_right(ordered, value) + 1 for value in values]


def agreement(passes: Sequence[bool], outcomes: Sequence[bool]) -> float:
    """The share of runs that pass exactly if they succeeded."""
    agreeing = sum(passed == good for passed, good in zip(passes, outcomes, strict=True))
    return agreeing / len(outcomes)


def precision(passes: Sequence[bool], outcomes: Sequence[bool]) -> float | None:
    """The share of passing runs that succeeded; None if none passes."""
    passing = [good for passed, good in zip(passes, outcomes, strict=True) if passed]
    return sum(passing) / len(passing) if passing else None


def bootstrap_draws(
    tasks: Iterable[int], count: int, resamples: int = RESAMPLES, *, seed: int = SEED
) -> Draws:
    """Seeded resamples of tasks, of which there are `count` in all.

    All runs of one task, whichever the model or the trial, are drawn together or not at all.
    """
    random = Random(seed)  # noqa: S311  (the same draws every time)
    known = sorted(set(tasks))
    draws: Draws = []
    for _ in range(resamples):
        weights = [0] * count
        for task in random.choices(known, k=len(known)):
            weights[task] += 1
        draws.append(weights)
    return draws


def areas_of(numbers: Ranked, draws: Draws) -> list[float | None]:
    """The area in each resample."""
    return [area_of(numbers, weights) for weights in draws]


def middle(found: Iterable[float | None]) -> tuple[float, float]:
    """The 95 % interval of numbers from resamples; those without a number are left out."""
    numbers = sorted(number for number in found if number is not None)
    if not numbers:
        return 0.0, 1.0
    left_out = int(_TAIL * len(numbers))
    return numbers[left_out], numbers[-left_out - 1]


def folds_of(names: Sequence[str], outcomes: Sequence[bool], count: int) -> list[int]:
    """The fold of each run: all runs of one task are in one fold, and successes are in every fold.

    The folds depend on the names of the tasks and on how often each succeeded, not on the order of
    the runs.
    """
    shares: dict[str, list[bool]] = {}
    for name, outcome in zip(names, outcomes, strict=True):
        shares.setdefault(name, []).append(outcome)
    # Among tasks that succeeded equally often, the order is arbitrary, but always the same.
    ordered = sorted(
        shares, key=lambda name: (sum(shares[name]) / len(shares[name]), _digest(name), name)
    )
    fold = {name: number % count for number, name in enumerate(ordered)}
    return [fold[name] for name in names]


def _digest(name: str) -> bytes:
    return sha256(name.encode("utf-8", "backslashreplace")).digest()
