"""Cycles of calls that come round again and again.

For every length that a cycle can have, one place in each stretch of that length is looked at: in three
rounds, one whole cycle after such a place comes again. That makes n log n places, and at nearly all of
them the calls differ at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from callscore.checks.sameness import same_calls
from callscore.core.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.call import ToolCall

__all__ = ["looping_calls"]

_ROUNDS = 3
_MOST_NAMED = 5


class _Loop(Struct, frozen=True, gc=False):
    """Where a cycle begins, how long it is, and where its last repetition ends."""

    start: int
    length: int
    end: int


def looping_calls(calls: Sequence[ToolCall]) -> tuple[Fault, ...]:
    """One fault for each loop, at the call with which its third round ends.

    A loop is the shortest cycle of calls, the same names and arguments in the same order, that comes
    at least three times in a row; a cycle can be a single call.
    """
    found = [
        Fault(
            "loop",
            calls[index].name,
            index,
            detail=_names(calls[loop.start : loop.start + loop.length]),
            since=loop.start,
        )
        for loop in _loops(same_calls(calls))
        for index in (loop.start + _ROUNDS * loop.length - 1,)
    ]
    return tuple(sorted(found, key=lambda fault: fault.index))


def _names(calls: Sequence[ToolCall]) -> str:
    names = [call.name for call in calls[:_MOST_NAMED]]
    return ", ".join(names if len(calls) <= _MOST_NAMED else [*names, "…"])


def _loops(items: list[int]) -> list[_Loop]:
    """All loops, each once, those with the shortest cycle first."""
    found: list[_Loop] = []
    within: list[_Loop | None] = [None] * len(items)  # the latest loop that a place is in
    for length in range(1, len(items) // _ROUNDS + 1):
        for place in range(0, len(items) - length, length):
            if (
                items[place] == items[place + length]
                and not _is_inside(within, place, length)
                and _comes_again(items, place, length)
            ):
                loop = _loop_around(items, place, length)
                if loop.end - loop.start >= _ROUNDS * length and _is_shortest(items, loop):
                    found.append(loop)
                    within[loop.start : loop.end] = [loop] * (loop.end - loop.start)
    return found


def _is_inside(within: list[_Loop | None], place: int, length: int) -> bool:
    """Whether a loop that is known already, of this cycle or a part of it, covers both places."""
    loop = within[place]
    return loop is not None and place + length < loop.end and length % loop.length == 0


def _is_shortest(items: list[int], loop: _Loop) -> bool:
    """Whether the cycle is not itself a shorter one that comes several times."""
    cycle = items[loop.start : loop.start + loop.length]
    return not any(
        loop.length % part == 0 and cycle == cycle[:part] * (loop.length // part)
        for part in range(1, loop.length // 2 + 1)
    )


def _comes_again(items: list[int], place: int, length: int) -> bool:
    """Whether one whole cycle is followed by itself; compared in pieces that grow."""
    start, size = place, 8
    end = place + length
    while start < end:
        stop = min(start + size, end)
        if items[start:stop] != items[start + length : stop + length]:
            return False
        start, size = stop, 2 * size
    return True


def _loop_around(items: list[int], place: int, length: int) -> _Loop:
    """The longest stretch around a place in which everything comes again after a cycle."""
    start = place
    while start and items[start - 1] == items[start - 1 + length]:
        start -= 1
    end = place + length
    while end < len(items) and items[end] == items[end - length]:
        end += 1
    return _Loop(start, length, end)
