"""Pairings in which no two pairs cross: the calls were made in the expected order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.assignment import columns_in
from callscore.core.pair_weights import PairWeights, weigh_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.call import ToolCall
    from callscore.core.settings import Settings

__all__ = ["match_in_order"]

_TAKE = 1  # this pair is in a best pairing of what follows
_PASS = 2  # so is every pairing that leaves this actual call out


def match_in_order(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], start: int, settings: Settings
) -> list[tuple[int, int, bool]]:
    """The best pairing without crossings of the calls from `start` on, the first of several."""
    rows = weigh_pairs(expected[start:], actual[start:], settings)
    choices = _choices(rows, len(actual) - start)
    found: list[tuple[int, int, bool]] = []
    free = 0
    for position, (row, choice) in enumerate(zip(rows, choices, strict=True), start):
        column = free
        while choice[column] == _PASS:
            column += 1
        if choice[column] & _TAKE:
            found.append((position, start + column, bool(row.correct >> column & 1)))
            free = column + 1
    return found


def _choices(rows: list[PairWeights], width: int) -> list[bytearray]:
    """For each expected call and each place in the actual ones: what a best pairing does there."""
    choices: list[bytearray] = []
    below = [0] * (width + 1)  # the worth of the best pairing of all that follows, by column
    more_pairs = len(rows) + 1  # so that the number of pairs decides last
    for row in reversed(rows):
        worths = dict.fromkeys(columns_in(row.same_tool), 1)
        for worth, columns in row.levels:
            for column in columns_in(columns):
                worths[column] = worth * more_pairs + 1
        here = [0] * (width + 1)
        choice = bytearray(width + 1)
        best = 0
        for column in range(width - 1, -1, -1):
            right = best
            best = max(best, below[column])
            worth = worths.get(column, 0)
            taken = worth and worth + below[column + 1]
            if taken >= best and worth:
                best = taken
                choice[column] = _TAKE
            if best == right:
                choice[column] |= _PASS
            here[column] = best
        choices.append(choice)
        below = here
    choices.reverse()
    return choices
