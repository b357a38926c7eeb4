"""A case with some of its faults repaired, to see what a metric makes of it.

A kind of fault is what callscore's own pairing of the calls shows, under the default settings:

- `order`: calls that were made, but not in the expected order,
- `extra`: calls that nobody expected,
- `missed`: expected calls that were not made,
- `arguments`: calls of the right tool with other arguments,
- `form`: calls that are as expected, but written otherwise: 1.0 for 1, keys in another order,
  arguments where none were asked for,
- `repeats`: a call that is expected several times and made several times, each time just so; the
  repair makes one of them on both sides.

No call is of two kinds but for `order`: a call that is made once too often is extra and no repeat.
With every kind repaired, the actual calls are the expected ones, letter by letter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from msgspec import structs

from callscore.metrics.alignment import aligned, are_alike

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from callscore.core.call import ToolCall
    from callscore.core.model import Score
    from callscore.metrics.alignment import Alignment

__all__ = ["KINDS", "Kind", "Sides", "faults_of", "repaired"]

Kind = Literal["order", "extra", "missed", "arguments", "form", "repeats"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class Sides(NamedTuple):
    """The two sides of a case."""

    expected: tuple[ToolCall, ...]
    actual: tuple[ToolCall, ...]


class _Slot(NamedTuple):
    """A place among the actual calls: the call in it, and the expected call that it is paired with."""

    call: ToolCall
    expected: int | None


def faults_of(score: Score) -> tuple[Kind, ...]:
    """The kinds of fault that a case has, as they are listed in `KINDS`."""
    found = aligned(score)
    rows = list(found.partners.values())
    has = {
        "order": rows != sorted(rows),
        "extra": len(rows) < len(score.actual),
        "missed": len(rows) < len(score.expected),
        "arguments": bool(found.wrong),
        "form": any(
            not are_alike(score.expected[row].arguments, score.actual[column].arguments)
            for column, row in found.partners.items()
            if row not in found.wrong
        ),
        "repeats": bool(found.repeated),
    }
    return tuple([kind for kind in KINDS if has[kind]])


def repaired(score: Score, kinds: Collection[Kind]) -> Sides:
    """The calls of a case as they would be without faults of these kinds.

    Args:
        score: the case, scored under the default settings.
        kinds: what to repair.
    """
    found = aligned(score)
    slots = [_slot(column, score, found, kinds) for column in range(len(score.actual))]
    if "extra" in kinds:
        slots = [slot for slot in slots if slot.expected is not None]
    if "order" in kinds:
        slots = _in_order(slots)
    if "missed" in kinds:
        slots = _with_missed(slots, score.expected)
    repeated = found.repeated if "repeats" in kinds else frozenset()
    return Sides(
        tuple([call for row, call in enumerate(score.expected) if row not in repeated]),
        tuple([slot.call for slot in slots if slot.expected not in repeated]),
    )


def _slot(column: int, score: Score, found: Alignment, kinds: Collection[Kind]) -> _Slot:
    """An actual call, with the expected arguments where those are to be repaired."""
    call, row = score.actual[column], found.partners.get(column)
    kind: Kind = "arguments" if row in found.wrong else "form"
    if row is not None and kind in kinds:
        arguments = score.expected[row].arguments
        call = structs.replace(call, arguments=arguments, raw=None, error=None)
    return _Slot(call, row)


def _in_order(slots: list[_Slot]) -> list[_Slot]:
    """The paired calls in the expected order; the others stay where they are."""
    paired = [slot for slot in slots if slot.expected is not None]
    sorted_ = iter(sorted(paired, key=lambda slot: slot.expected or 0))
    # Which message a call stands in goes with the place, not with the call.
    return [
        slot if slot.expected is None else _moved(next(sorted_), slot.call.step) for slot in slots
    ]


def _moved(slot: _Slot, step: int | None) -> _Slot:
    if slot.call.step == step:
        return slot
    return slot._replace(call=structs.replace(slot.call, step=step))


def _with_missed(slots: list[_Slot], expected: Sequence[ToolCall]) -> list[_Slot]:
    """Each missed call is made right after the one that is expected before it."""
    places = {slot.expected for slot in slots}
    found = list(slots)
    for position, call in enumerate(expected):
        if position not in places:
            before = next(
                (
                    place
                    for place, slot in enumerate(found)
                    if position and slot.expected == position - 1
                ),
                -1,
            )
            step = found[before].call.step if before >= 0 else call.step
            found.insert(before + 1, _Slot(structs.replace(call, step=step), position))
    return found
