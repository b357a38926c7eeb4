"""The pairing with the highest F1, where a pairing decides how many calls count.

F1 is a ratio, 2 * correct / (expected + actual), so the best one cannot be found by adding. But at a
given rate, `2 * correct - rate * (expected + actual)` can; if the pairing with the best sum has an F1
equal to the rate, no other pairing has a higher F1.

Two things depend on the pairing: how many calls are expected, if there are groups; and how many
actual calls count, if extra calls are free: a free call counts only if it is correct.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import gcd
from typing import NamedTuple, TypeVar

_Found = TypeVar("_Found")


class Rate(NamedTuple):
    """The F1 that is tried, as a fraction, and whether optional groups may count at all."""

    part: int
    whole: int
    allows_optional: bool = True


HIGHEST = Rate(1, 1)
# How many calls are correct, and how many count on both sides.
Counts = tuple[int, int]
# The columns that are free, as a bit set, and the F1 that is tried.
FreeAt = tuple[int, Rate]


def best_at_any_rate(
    solve: Callable[[Rate], _Found], counts: Callable[[_Found], Counts]
) -> tuple[_Found, Rate]:
    """What `solve` finds at the rate that is the F1 of what it finds, and that rate.

    `counts` says what it comes to.
    """
    rate = HIGHEST  # most agents are right, and then one pass is enough
    while True:
        found = solve(rate)
        correct, whole = counts(found)
        shared = gcd(2 * correct, whole)
        reached = Rate(2 * correct // shared, whole // shared) if whole else HIGHEST
        if reached == rate:
            return found, rate
        rate = reached


def is_mixed(free: int, columns: Iterable[int]) -> bool:
    """Whether some of these actual calls are free, by their positions, and others are not."""
    return bool(free) and len({free >> column & 1 for column in columns}) > 1
