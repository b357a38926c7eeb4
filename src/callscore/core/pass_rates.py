"""How often agents succeed when they may try several times, from the trials of their cases."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from callscore.core.statistics import pass_at_k, pass_hat_k

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.run import CaseTrials

__all__ = ["PassRates", "rates_over"]


class PassRates(NamedTuple):
    """The chances for k = 1, 2, ... trials, meaned over the cases.

    Attributes:
        at_k: that one of k trials passes: pass@k.
        hat_k: that all of k trials pass: pass^k.
    """

    at_k: list[float]
    hat_k: list[float]


def rates_over(trials: Sequence[CaseTrials]) -> PassRates:
    """pass@k and pass^k, up to the smallest number of trials that a case has.

    A case of which no trial has a score says nothing. Both are empty where that is true of all.
    """
    scored = [(case.trials, case.passed) for case in trials if case.trials]
    fewest = min((number for number, _ in scored), default=0)
    counts = range(1, fewest + 1)
    at_k = [fsum(pass_at_k(*case, k) for case in scored) / len(scored) for k in counts]
    hat_k = [fsum(pass_hat_k(*case, k) for case in scored) / len(scored) for k in counts]
    return PassRates(at_k, hat_k)
