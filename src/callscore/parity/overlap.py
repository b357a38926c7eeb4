"""What two sequences have in common, as several tools ask it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

__all__ = ["common_count", "f1_of", "is_subsequence"]


def common_count(first: Iterable[Hashable], second: Iterable[Hashable]) -> int:
    """How many items two sequences share, each as often as both have it."""
    free: dict[Hashable, int] = {}
    for item in second:
        free[item] = free.get(item, 0) + 1
    common = 0
    for item in first:
        left = free.get(item)
        if left:
            free[item] = left - 1
            common += 1
    return common


def f1_of(common: int, expected: int, actual: int) -> float:
    """The harmonic mean of precision and recall, from counts; 0.0 where nothing is common.

    The order of the operations is that of the tools, on which the last bit depends.

    Args:
        common: how many are on both sides.
        expected: how many are expected.
        actual: how many there are.
    """
    if not common:
        return 0.0
    precision, recall = common / actual, common / expected
    return 2 * precision * recall / (precision + recall)


def is_subsequence(part: Sequence[Any], whole: Sequence[Any]) -> bool:
    """Whether all items of one sequence are found in another in this order, maybe among others."""
    rest = iter(whole)
    # Looking for an item takes the iterator past it, so that the next is looked for behind it.
    return all(item in rest for item in part)
