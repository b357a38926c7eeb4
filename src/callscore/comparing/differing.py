"""From the numbers of cases before and after to a difference, its test and its verdict."""

from __future__ import annotations

from collections import Counter
from math import fsum, sqrt
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from callscore.comparing.comparison import Difference
from callscore.comparing.mcnemar import exact_mcnemar
from callscore.comparing.paired_bootstrap import Tested, paired_bootstrap
from callscore.comparing.paired_interval import paired_interval
from callscore.comparing.smallest_effect import LEVEL, fewest_flips, smallest_effect
from callscore.core.statistics import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.comparing.comparison import Verdict

__all__ = ["TOO_COARSE", "Measured", "difference_between", "judged", "measured"]

# A suite that could not have seen a difference of so much has nothing to say about small ones.
TOO_COARSE = 0.1
# Means of trials are not exact: 1 - 2/3 is another number than 1/3.
_DIGITS = 12


class Measured(NamedTuple):
    """A difference before anybody has judged it.

    Attributes:
        difference: the difference, with its p-value as it is.
        size: how much a case that goes otherwise goes otherwise, from 0 to 1.
    """

    difference: Difference
    size: float


def difference_between(measure: str, pairs: Sequence[tuple[float, float]]) -> Difference:
    """How far two runs are apart, with the verdict that follows.

    Args:
        measure: what the numbers are.
        pairs: the number of each case before and after, from 0 to 1.
    """
    if not pairs:
        return Difference(measure=measure, cases=0)
    found = measured(measure, pairs)
    return judged(found, found.difference.p_value)


def measured(measure: str, pairs: Sequence[tuple[float, float]]) -> Measured:
    """How far two runs are apart in at least one case, as it is."""
    differences = Counter([round(after - before, _DIGITS) + 0.0 for before, after in pairs])
    down = sum(times for value, times in differences.items() if value < 0)
    up = sum(times for value, times in differences.items() if value > 0)
    is_binary = {number for pair in pairs for number in pair} <= {0.0, 1.0}
    tested = _binary(down, up, len(pairs)) if is_binary else paired_bootstrap(differences)
    found = Difference(
        measure=measure,
        cases=len(pairs),
        before=fsum(before for before, _ in pairs) / len(pairs),
        after=fsum(after for _, after in pairs) / len(pairs),
        interval=tested.interval,
        p_value=tested.p_value,
        method="exact McNemar" if is_binary else "paired bootstrap",
        up=up,
        down=down,
    )
    return Measured(found, _size(differences, down + up))


def _binary(down: int, up: int, cases: int) -> Tested:
    return Tested(exact_mcnemar(down, up), paired_interval(down, up, cases))


def _size(differences: Counter[float], flips: int) -> float:
    """How much a case that goes otherwise goes otherwise; all the way where hardly any does."""
    if flips < fewest_flips():
        return 1.0
    return sqrt(fsum(value * value * times for value, times in differences.items()) / flips)


def judged(measured: Measured, p_value: float | None, *, tests: int = 1) -> Difference:
    """A difference with its verdict, and with an interval that says the same as the p-value.

    Args:
        measured: the difference.
        p_value: corrected, where it is one of several; None where nothing is to be said.
        tests: how many differences were tested together.
    """
    found = measured.difference
    flipping = (found.up + found.down) / found.cases
    smallest = smallest_effect(found.cases, flipping, size=measured.size, tests=tests)
    is_believed = p_value is not None and p_value < LEVEL
    interval = found.interval
    if interval is not None and not is_believed:
        # The exact test is the stricter one: what it does not believe, zero explains as well.
        interval = Interval(min(interval.low, 0.0), max(interval.high, 0.0))
    return replace(
        found,
        p_value=p_value,
        interval=interval,
        smallest=smallest,
        verdict=_verdict(found.change or 0.0, smallest, is_believed=is_believed),
    )


def _verdict(change: float, smallest: float | None, *, is_believed: bool) -> Verdict:
    if is_believed:
        return "improved" if change > 0 else "regressed"
    return "not enough data" if smallest is None or smallest > TOO_COARSE else "no evidence"
