"""A case with some of its faults repaired, to see what a metric makes of it.

A kind of fault is what callscore's own pairing of the calls shows, under the default settings:

- `order`: calls that were made, but not in the expected order,
- `extra`: calls that nobody expected,
- `missed`: expected calls that were not made,
- `arguments`: calls of the right tool with other arguments,
- `form`: calls that are as expected, but written otherwise: 1.0 for 1, keys in another order,
  arguments where none were asked for,
- `repeats`: calls that are made, or expected, several times just so; the repair makes one of them.

With every kind repaired, the actual calls are the expected ones, letter by letter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from msgspec import structs

from callscore.core.equality import fingerprint

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from callscore.core.call import ToolCall
    from callscore.core.model import Score

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
    slots = _slots_of(score)
    wrong = {pair.expected_index for pair in score.incorrect}
    has = {
        "order": _is_changed(slots, _in_order(slots)),
        "extra": bool(score.extra),
        "missed": bool(score.missed),
        "arguments": bool(wrong),
        "form": any(
            _is_written_otherwise(slot, score) for slot in slots if slot.expected not in wrong
        ),
        "repeats": any(len(_once(side)) < len(side) for side in (score.expected, score.actual)),
    }
    return tuple([kind for kind in KINDS if has[kind]])


def repaired(score: Score, kinds: Collection[Kind]) -> Sides:
    """The calls of a case as they would be without faults of these kinds.

    Args:
        score: the case, scored under the default settings.
        kinds: what to repair.
    """
    slots = _with_expected_arguments(_slots_of(score), score, kinds)
    if "extra" in kinds:
        slots = [slot for slot in slots if slot.expected is not None]
    if "order" in kinds:
        slots = _in_order(slots)
    if "missed" in kinds:
        slots = _with_missed(slots, score.expected)
    sides = Sides(score.expected, tuple([slot.call for slot in slots]))
    return Sides(_once(sides.expected), _once(sides.actual)) if "repeats" in kinds else sides


def _slots_of(score: Score) -> list[_Slot]:
    partners = {pair.actual_index: pair.expected_index for pair in score.correct + score.incorrect}
    return [_Slot(call, partners.get(place)) for place, call in enumerate(score.actual)]


def _with_expected_arguments(
    slots: list[_Slot], score: Score, kinds: Collection[Kind]
) -> list[_Slot]:
    wrong = {pair.expected_index for pair in score.incorrect}
    found = []
    for slot in slots:
        kind: Kind = "arguments" if slot.expected in wrong else "form"
        if slot.expected is not None and kind in kinds:
            arguments = score.expected[slot.expected].arguments
            call = structs.replace(slot.call, arguments=arguments, raw=None, error=None)
            found.append(slot._replace(call=call))
        else:
            found.append(slot)
    return found


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


def _is_changed(before: list[_Slot], after: list[_Slot]) -> bool:
    """Whether calls have changed places that are not the same calls."""
    return any(
        old.call.name != new.call.name or not _are_alike(old.call.arguments, new.call.arguments)
        for old, new in zip(before, after, strict=True)
    )


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


def _is_written_otherwise(slot: _Slot, score: Score) -> bool:
    if slot.expected is None:
        return False
    return not _are_alike(score.expected[slot.expected].arguments, slot.call.arguments)


def _are_alike(left: Any, right: Any) -> bool:
    """Whether two values are written alike, which is more than to be equal.

    Walks with a stack of its own, so that no depth of nesting can exhaust the interpreter's.
    """
    pending = [(left, right)]
    while pending:
        one, other = pending.pop()
        if one is other:
            continue
        if type(one) is not type(other) or not _is_same_outside(one, other):
            return False
        if isinstance(one, dict):
            pending += zip(one.values(), other.values(), strict=True)
        elif isinstance(one, list | tuple):
            pending += zip(one, other, strict=True)
    return True


def _is_same_outside(one: Any, other: Any) -> bool:
    """Whether two values of one type are written alike, whatever stands inside them."""
    if isinstance(one, dict):
        return list(one) == list(other)
    if isinstance(one, list | tuple):
        return len(one) == len(other)
    if isinstance(one, float):  # of which some are equal and not written alike, or the reverse
        return repr(one) == repr(other)
    return bool(one == other)


def _once(calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
    """The calls without those that were there before, just so."""
    if len({call.name for call in calls}) == len(calls):
        return calls
    first: dict[str, ToolCall] = {}
    for call in calls:
        first.setdefault(fingerprint([call.name, call.arguments, call.raw]), call)
    return tuple(first.values())
