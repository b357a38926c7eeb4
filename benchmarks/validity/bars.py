"""What the numbers should be at the least, on tasks that nothing was chosen on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from validity.held_out import ADVICE, BEST_PRESET, BEST_TOOL_AFTERWARDS
from validity.trajectories import BFCL, TAU, TELECOM, TITLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validity.measuring import Measured

__all__ = ["Bar", "advice_bars", "bars"]

# Benchmark, preset and the AUC that it should have.
OF_PRESETS = (
    (TAU, "outcome", 0.965),
    (BFCL, "coverage", 0.94),
    (BFCL, "coverage, turns not told apart", 0.91),
)
OF_TELECOM = 0.90
# How much worse than the best preset an advice may be.
TOLERANCE = 0.01


class Bar(NamedTuple):
    """A number and what it should be at the least.

    Attributes:
        what: what is measured, and on which benchmark.
        found: the mean of both halves of the tasks.
        bar: what it should be at the least.
        holds: whether it is.
        note: what has to be said about it.
    """

    what: str
    found: float
    bar: float
    holds: bool
    note: str = ""


def bars(found: dict[str, Measured]) -> list[Bar]:
    """All bars."""
    return [*_presets(found), *(bar for one in found.values() for bar in advice_bars(one))]


def _presets(found: dict[str, Measured]) -> Iterator[Bar]:
    for benchmark, name, bar in OF_PRESETS:
        mean = sum(found[benchmark].row(name).halves) / 2
        yield Bar(f"{name} on {TITLES[benchmark]}", mean, bar, mean >= bar)
    best = found[TELECOM].chosen(BEST_PRESET).mean
    yield Bar(f"{BEST_PRESET} on {TITLES[TELECOM]}", best, OF_TELECOM, best >= OF_TELECOM)


def advice_bars(one: Measured) -> Iterator[Bar]:
    """What an advice should be: about as good as the best preset, and better than other tools."""
    advised = one.chosen(ADVICE).mean
    preset = one.chosen(BEST_PRESET).mean
    yield Bar(
        f"{ADVICE} and {BEST_PRESET} on {TITLES[one.benchmark]}",
        advised,
        preset - TOLERANCE,
        advised >= preset - TOLERANCE,
    )
    tool = one.chosen(BEST_TOOL_AFTERWARDS).mean
    # Where the best of them is always right, nothing can be better.
    yield Bar(
        f"{ADVICE} and best of other tools on {TITLES[one.benchmark]}",
        advised,
        tool,
        advised > tool or advised == 1,
        note="a tie" if advised == tool else "",
    )
