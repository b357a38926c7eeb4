"""Numbers that lie within bounds and are multiples of what they should be."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from callscore.datasets.vocabulary import usual_range

if TYPE_CHECKING:
    from random import Random

__all__ = ["exact", "number_for"]

_CENT = Fraction(1, 100)
_WIDTH = 100  # steps, where only one bound is given
_TRIES = 20


def exact(value: Any) -> Fraction | None:
    """A number as it is written: 0.1 is a tenth; None for anything else."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return Fraction(Decimal(str(value))) if is_number else None


def number_for(schema: dict[str, Any], rng: Random, *, name: str, is_whole: bool) -> int | float:
    """A number for a schema without alternatives; where there is none, one that will not fit.

    Args:
        schema: the bounds, `multipleOf`.
        rng: what chooses.
        name: of the argument, which may tell what is usual: an age, a year.
        is_whole: whether it must be an integer.
    """
    multiple = exact(schema.get("multipleOf")) or None
    step = _step(multiple, is_whole=is_whole)
    if multiple is None and rng.random() < 0.5:  # noqa: PLR2004  (one half)
        step = Fraction(1)  # as people mostly say them
    low, high = _bounds(schema, step, name)
    if multiple is None and not is_whole and high - low < 10 * step:
        step = (high - low) / 10 or step
    least, most = ceil(low / step), floor(high / step)
    if _is_at(schema, "exclusiveMinimum", least * step):
        least += 1
    if _is_at(schema, "exclusiveMaximum", most * step):
        most -= 1
    return _chosen(least, max(least, most), step, rng)


def _step(multiple: Fraction | None, *, is_whole: bool) -> Fraction:
    if multiple is None:
        return Fraction(1) if is_whole else _CENT
    # Of the multiples of 3/2 the whole ones are those of 3.
    return Fraction(abs(multiple.numerator)) if is_whole else abs(multiple)


def _is_at(schema: dict[str, Any], word: str, value: Fraction) -> bool:
    return exact(schema.get(word)) == value


def _bounds(schema: dict[str, Any], step: Fraction, name: str) -> tuple[Fraction, Fraction]:
    lows = [exact(schema.get(word)) for word in ("minimum", "exclusiveMinimum")]
    highs = [exact(schema.get(word)) for word in ("maximum", "exclusiveMaximum")]
    low = max((bound for bound in lows if bound is not None), default=None)
    high = min((bound for bound in highs if bound is not None), default=None)
    usual = tuple(map(Fraction, usual_range(name)))
    width = _WIDTH * max(step, Fraction(1))
    if low is None and high is None:
        return usual[0], max(usual[1], usual[0] + step)
    if low is None and high is not None:
        return (usual[0], high) if usual[0] < high - step else (high - width, high)
    if high is None and low is not None:
        return (low, usual[1]) if usual[1] > low + step else (low, low + width)
    assert low is not None  # noqa: S101  (both are given, which the type checker cannot tell)
    assert high is not None  # noqa: S101  (likewise)
    return _usual_part(low, high, usual, step)


def _usual_part(
    low: Fraction, high: Fraction, usual: tuple[Fraction, ...], step: Fraction
) -> tuple[Fraction, Fraction]:
    """What is usual of what is allowed, if that leaves a choice."""
    inner = max(low, usual[0]), min(high, usual[1])
    return inner if inner[1] - inner[0] >= 2 * step else (low, high)


def _chosen(least: int, most: int, step: Fraction, rng: Random) -> int | float:
    """One of the multiples, of which some are no exact numbers for a machine: those are not taken."""
    value: int | float = _number(least * step)
    for _ in range(_TRIES):
        value = _number(rng.randint(least, most) * step)
        if isinstance(value, int) or (value / float(step)).is_integer():
            return value
    return value


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)
