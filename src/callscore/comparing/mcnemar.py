"""The exact test of McNemar: whether flips one way are more than chance lets fall."""

from __future__ import annotations

from math import exp, lgamma, log

__all__ = ["exact_mcnemar"]

# Terms that are smaller than this share of the sum change nothing in it.
_NEGLIGIBLE = 1e-17


def exact_mcnemar(down: int, up: int) -> float:
    """The two-sided p-value of so many flips down and up: each could as well be the other.

    Cases that did not flip say nothing about the direction, and do not count.
    """
    flips, fewer = down + up, min(down, up)
    if down == up:
        return 1.0
    # The rarer direction, and all that are rarer still, from the largest term down.
    term = exp(lgamma(flips + 1) - lgamma(fewer + 1) - lgamma(flips - fewer + 1) - flips * log(2.0))
    total = 0.0
    while term > total * _NEGLIGIBLE:
        total += term
        term *= fewer / (flips - fewer + 1)
        fewer -= 1
    return min(1.0, 2 * total)
