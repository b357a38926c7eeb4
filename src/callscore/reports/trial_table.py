"""The table of repeated trials: pass@k and pass^k, for as many k as there is room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.wording import decimal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.summary import Summary

__all__ = ["MOST_COLUMNS", "rate_table", "shown_trials", "trial_table"]

MOST_COLUMNS = 8
_FEWEST_COLUMNS = 2


def trial_table(
    summary: Summary, *, most: int = MOST_COLUMNS
) -> tuple[list[str], list[tuple[str, ...]]]:
    """What stands above the columns, and the rows, of which the first cell is a name.

    Both are empty where no case names a trial.
    """
    return rate_table(summary.pass_at_k(), summary.pass_hat_k(), most=most)


def rate_table(
    at_k: Sequence[float], hat_k: Sequence[float], *, most: int = MOST_COLUMNS
) -> tuple[list[str], list[tuple[str, ...]]]:
    """The same from the rates themselves, for k = 1, 2, ..."""
    rates = {"pass@k": at_k, "pass^k": hat_k}
    shown = shown_trials(len(at_k), most=most)
    if not shown:
        return [], []
    rows = [(name, *[decimal(values[k - 1]) for k in shown]) for name, values in rates.items()]
    return [f"k={k}" for k in shown], rows


def shown_trials(trials: int, *, most: int = MOST_COLUMNS) -> list[int]:
    """Which k to show: all, or the first ones, then twice as many each time, and the last."""
    most = max(most, _FEWEST_COLUMNS)
    if trials <= most:
        return list(range(1, trials + 1))
    factor = 2
    while len(shown := {trials, *_powers(factor, trials)}) > most:
        factor += 1  # with very many trials, doubling is not quick enough
    others = [k for k in range(1, most + 1) if k not in shown]
    return sorted(shown.union(others[: most - len(shown)]))


def _powers(factor: int, end: int) -> list[int]:
    powers = [1]
    while powers[-1] * factor < end:
        powers.append(powers[-1] * factor)
    return powers
