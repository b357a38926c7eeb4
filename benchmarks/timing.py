"""How costs are measured: processor time, all sides in turn, several rounds, and the best of each side.

Other programs make a measurement larger and never smaller, so the smallest one is the truest. What is
compared is measured in the same round. The ratio of each round shows how noisy the machine was.
"""

from __future__ import annotations

from statistics import median
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Measured", "best_times", "compare", "cpu", "measure", "take_turns"]


class Measured(NamedTuple):
    """What came out of a row.

    Attributes:
        value: what is compared with the bar, in the unit of the row.
        ratio: the best of ours to the best of the baseline; comparable between machines.
        rounds: the same ratio in each round.
    """

    value: float
    ratio: float
    rounds: tuple[float, ...]

    @property
    def noise(self) -> float:
        """How far from the middle round half of the rounds are, or farther, as a share of it."""
        middle = median(self.rounds)
        return median(abs(one - middle) for one in self.rounds) / abs(middle)


def measure(ours: Sequence[float], theirs: Sequence[float], scale: float = 0.0) -> Measured:
    """What the costs of the rounds come to.

    Args:
        ours: the cost of each round.
        theirs: that of the baseline, in the same rounds.
        scale: what to multiply our cost with to get the value; 0 if the ratio is the value.
    """
    ratio = min(ours) / min(theirs)
    rounds = tuple(one / other for one, other in zip(ours, theirs, strict=True))
    return Measured(min(ours) * scale if scale else ratio, ratio, rounds)


def compare(
    ours: Callable[[], float], theirs: Callable[[], float], rounds: int, scale: float = 0.0
) -> Measured:
    """What our job costs in terms of another; `scale` as for `measure`."""
    our_costs, their_costs = take_turns([ours, theirs], rounds)
    return measure(our_costs, their_costs, scale)


def take_turns(jobs: Sequence[Callable[[], float]], rounds: int) -> list[list[float]]:
    """What each job returns in each round, where all jobs take turns."""
    taken = [[job() for job in jobs] for _ in range(rounds)]
    return [list(costs) for costs in zip(*taken, strict=True)]


def cpu(function: Callable[[], object]) -> Callable[[], float]:
    """A job that calls this, and returns the seconds of the processor that it took."""

    def job() -> float:
        start = process_time()
        function()
        return process_time() - start

    return job


def best_times(functions: Sequence[Callable[[], object]], *, rounds: int) -> list[float]:
    """The seconds of the processor that each of these takes at its best."""
    return [min(costs) for costs in take_turns([cpu(each) for each in functions], rounds)]
