"""What is chosen on one half of the tasks, and how it does on the other.

Whoever looks for the best of many settings finds one that fits the runs at hand by luck. So the
choice is made without the runs that it is measured on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from validity.metrics import BY_TURN, PRESETS, TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from validity.measuring import Row

__all__ = ["ADVICE", "BEST_PRESET", "BEST_TOOL", "BEST_TOOL_AFTERWARDS", "HeldOut", "held_out"]

ADVICE = "advise"
BEST_PRESET = "best preset"
BEST_TOOL = "best metric of another tool"
BEST_TOOL_AFTERWARDS = "best metric of another tool, chosen afterwards"
BEST_BY_TURN = "best metric of another tool, averaged over the turns by hand"


class HeldOut(Struct, frozen=True):
    """A choice and its result, both ways round.

    Attributes:
        name: how it was chosen.
        chosen: what was chosen to be measured on the first half of the tasks, and on the second.
        areas: the AUC of each on the half that it was chosen for.
    """

    name: str
    chosen: tuple[str, str]
    areas: tuple[float, float]

    @property
    def mean(self) -> float:
        """The mean of both halves."""
        return sum(self.areas) / len(self.areas)


def held_out(rows: Sequence[Row]) -> tuple[HeldOut, ...]:
    """The best preset and the best metric of another tool, chosen on the other half.

    One is chosen on the half that it is measured on, which only the other tools are granted:
    whatever is better than that is better than each of their metrics.
    """
    presets = [row for row in rows if row.section == PRESETS]
    tools = [row for row in rows if row.section == TOOLS]
    by_turn = [row for row in rows if row.section == BY_TURN]
    return (
        _chosen(BEST_PRESET, presets),
        _chosen(BEST_TOOL, tools),
        _chosen(BEST_TOOL_AFTERWARDS, tools, afterwards=True),
        *([_chosen(BEST_BY_TURN, by_turn)] if by_turn else []),
    )


def _chosen(name: str, rows: Iterable[Row], *, afterwards: bool = False) -> HeldOut:
    """The best of the rows for each half, by the other half or by the same one."""
    rows = list(rows)
    best = [
        max(rows, key=lambda row: (row.halves[half if afterwards else 1 - half], row.scored))
        for half in (0, 1)
    ]
    return HeldOut(
        name=name,
        chosen=(best[0].name, best[1].name),
        areas=(best[0].halves[0], best[1].halves[1]),
    )
