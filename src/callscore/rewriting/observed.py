"""What was observed as a new expectation: which of the old calls stay, and which are new."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.call import ToolCall
from callscore.core.equality import equal
from callscore.core.expectation import Forbidden, Group, Times
from callscore.core.plain import plain
from callscore.core.scoring import score_calls
from callscore.core.spelling import spell_expected
from callscore.errors import CallscoreError
from callscore.rewriting.change import CannotRewrite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callscore.core.expectation import Expected
    from callscore.core.model import Score
    from callscore.rewriting.change import Item

__all__ = ["observed_items", "spelled"]


def spelled(expected: Sequence[Expected]) -> list[Any] | None:
    """What is expected as a case file spells it; None where no file can say it."""
    try:
        return [spell_expected(item) for item in expected]
    except CallscoreError:
        return None


def observed_items(expected: Sequence[Expected], score: Score) -> tuple[Item, ...]:
    """What should be expected so that the calls that were made are just right.

    Calls that were right stay as they are written, with their rules; so do groups that were right
    as a whole, and what is forbidden.

    Args:
        expected: what is expected now.
        score: how the calls compare with that.

    Raises:
        CannotRewrite: nothing that can be written makes these calls right.
    """
    if score.forbidden:
        name = score.actual[score.forbidden[0]].name
        raise CannotRewrite(f"{name} was called, which is forbidden.")
    owners = _owners(expected, score)
    plain_calls = {place for place, item in enumerate(expected) if isinstance(item, ToolCall)}
    right = _right(owners, score)
    # A group is kept if that is enough; it may be that it interleaves with calls that are new.
    for keeps in (right, right & plain_calls, set[int]()):
        items = _items(expected, score, (owners, keeps))
        if _is_right(expected, items, score):
            return items
    raise CannotRewrite("under these settings the calls that were made would not be right.")


def _owners(expected: Sequence[Expected], score: Score) -> list[int | None]:
    """To which of the things that are expected each expected call of a score belongs."""
    written = score.expected if score.expectation is None else score.expectation
    if len(written) != len(expected):  # some do not count, so that positions say nothing
        return [None] * len(score.expected)
    if score.expectation is None:
        return list(range(len(written)))
    # The calls that count are the very ones that are written, in the same order.
    places = [place for at, item in enumerate(written) for place in _places_in(item, at)]
    owners: list[int | None] = []
    start = 0
    for call in score.expected:
        following = range(start, len(places))
        found = next((each for each in following if places[each].call is call), None)
        owners.append(None if found is None else places[found].owner)
        if found is not None:
            start = found + (not places[found].repeats)
    return owners


class _Place(NamedTuple):
    """A call that is written somewhere.

    Attributes:
        call: the call.
        owner: in which of the things that are expected it stands.
        repeats: whether it may count more than once.
    """

    call: ToolCall
    owner: int
    repeats: bool


def _places_in(item: Expected, owner: int) -> Iterator[_Place]:
    if isinstance(item, Group):
        for member in item.members:
            yield from _places_in(member, owner)
    elif not isinstance(item, Forbidden):
        repeats = isinstance(item, Times)
        yield _Place(item.call if isinstance(item, Times) else item, owner, repeats)


def _right(owners: list[int | None], score: Score) -> set[int]:
    """What is expected of which every call that counts was made."""
    made = {pair.expected_index for pair in score.correct}
    wrong = {owner for row, owner in enumerate(owners) if row not in made}
    return {owner for owner in owners if owner is not None} - wrong


def _items(
    expected: Sequence[Expected], score: Score, kept: tuple[list[int | None], set[int]]
) -> tuple[Item, ...]:
    """The calls that were made, in their order, or what stands for them, and what is silent."""
    owners, keeps = kept
    rows = {pair.actual_index: pair.expected_index for pair in score.correct}
    calls: list[Item] = []
    for index, call in enumerate(score.actual):
        owner = owners[rows[index]] if index in rows else None
        if owner not in keeps:
            calls.append(_literal(call))
        elif owner not in calls:
            calls.append(owner)
    silent = [
        place
        for place, item in enumerate(expected)
        if isinstance(item, Forbidden) or (place not in owners and _may_be_silent(item))
    ]
    return _with_silent(calls, silent, len(expected))


def _may_be_silent(item: Expected) -> bool:
    """Whether nothing need be called for it."""
    if isinstance(item, Times):
        return item.least == 0
    return isinstance(item, Group) and item.kind == "optional"


def _with_silent(calls: list[Item], silent: list[int], count: int) -> tuple[Item, ...]:
    """The calls, and what is forbidden or may be left out where it stood between them."""
    free = iter([place for place in range(count) if place not in calls and place not in silent])
    slots = [item if isinstance(item, int) else next(free, -1) for item in calls]
    items = list(calls)
    for place in silent:
        later = (at for at, slot in enumerate(slots) if slot > place)
        position = next(later, len(items))
        items.insert(position, place)
        slots.insert(position, place)
    return tuple(items)


def _literal(call: ToolCall) -> dict[str, Any]:
    if call.error is not None:
        raise CannotRewrite(f"a call of {call.name} has arguments that are no JSON object.")
    written = {"name": call.name, "arguments": plain(call.arguments or {})}
    if not equal(written, {"name": call.name, "arguments": call.arguments or {}}):
        raise CannotRewrite(f"a call of {call.name} has arguments that no file can hold.")
    return written


def _is_right(expected: Sequence[Expected], items: Sequence[Item], score: Score) -> bool:
    new = tuple(
        expected[item] if isinstance(item, int) else ToolCall(item["name"], item["arguments"])
        for item in items
    )
    try:
        return score_calls(new, score.actual, score.settings).passed
    except CallscoreError:
        return False
