"""What was left open in an expectation, and what of it counts in the end."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from callscore.core.call import ToolCall
from callscore.core.equality import fingerprint
from callscore.core.expectation import Forbidden, Group, Times, calls_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.core.expectation import Expected
    from callscore.core.model import Score

__all__ = ["Allowance", "Tie", "allowances", "uncounted"]

# What, beside its arguments, decides whether a call may be made: `one_of` an alternative to it,
# `in_order` the calls around it, `together` the other calls of its optional group.
Tie = Literal["one_of", "in_order", "together"]
_Key = tuple[str, str | None]
_FREE: frozenset[Tie] = frozenset()


class Allowance(Struct):
    """A call that was written, how often it may be made, and how often it counts.

    Attributes:
        call: the call.
        counted: how many expected calls like it count.
        most: how often it may be made, wherever it is written; None for any number.
        has_times: whether that is said of it in so many words.
        ties: what else decides whether it may be made.
    """

    call: ToolCall
    counted: int
    most: int | None = 0
    has_times: bool = False
    ties: frozenset[Tie] = _FREE

    @property
    def has_room(self) -> bool:
        """Whether it could count once more."""
        return self.most is None or self.counted < self.most


def allowances(score: Score, names: set[str]) -> list[Allowance]:
    """The calls that were written for these tools, each kind of call once, in the order as written."""
    counted = Counter(map(_key, score.expected))
    top: frozenset[Tie] = frozenset({"in_order"}) if score.settings.order != "any" else _FREE
    found: dict[_Key, Allowance] = {}
    for item, ties in _walk(score.expectation or (), top, counted):
        call = item.call if isinstance(item, Times) else item
        if call.name in names:
            key = _key(call)
            allowance = found.setdefault(key, Allowance(call, counted[key]))
            allowance.ties |= ties
            _add(allowance, item)
    return list(found.values())


def uncounted(score: Score) -> list[ToolCall]:
    """The calls that were written and do not count: not chosen, not made, or not asked for again."""
    if score.expectation is None:
        return []
    counted = Counter(map(_key, score.expected))
    left: list[ToolCall] = []
    for call in calls_in(score.expectation):
        key = _key(call)
        if counted[key]:
            counted[key] -= 1
        else:
            left.append(call)
    return left


def _key(call: ToolCall) -> _Key:
    return call.name, None if call.arguments is None else fingerprint(call.arguments)


def _add(allowance: Allowance, item: ToolCall | Times) -> None:
    most = item.most if isinstance(item, Times) else 1
    is_bounded = allowance.most is not None and most is not None
    allowance.most = (allowance.most or 0) + (most or 0) if is_bounded else None
    allowance.has_times |= isinstance(item, Times)


def _walk(
    expectation: tuple[Expected, ...], ties: frozenset[Tie], counted: Counter[_Key]
) -> Iterator[tuple[ToolCall | Times, frozenset[Tie]]]:
    """Every call that stands anywhere, with or without a repeat count, and what it is tied to."""
    pending = [(item, ties) for item in reversed(expectation)]
    while pending:
        item, around = pending.pop()
        if isinstance(item, Group):
            inside = [(member, around | tie) for member, tie in _members(item, counted)]
            pending += reversed(inside)
        elif not isinstance(item, Forbidden):
            yield item, around


def _members(group: Group, counted: Counter[_Key]) -> list[tuple[Expected, frozenset[Tie]]]:
    """The members of a group, and what each is tied to by it."""
    members = group.members
    if group.kind == "one_of":
        counting = [_counts(member, counted) for member in members]
        is_clear = sum(counting) == 1  # else nobody knows which of them was chosen
        return [
            (member, _FREE if is_clear and is_counting else frozenset[Tie]({"one_of"}))
            for member, is_counting in zip(members, counting, strict=True)
        ]
    tie = _FREE
    if group.kind == "in_order":
        tie = frozenset({"in_order"})
    elif group.kind == "optional":
        is_open = any(isinstance(one, Group) and not _counts(one, counted) for one in members)
        tie = frozenset({"together"}) if is_open else _FREE
    return [(member, tie) for member in members]


def _counts(member: Expected, counted: Counter[_Key]) -> bool:
    """Whether a call in it counts, or at least one that is just like it."""
    return any(counted[_key(call)] for call in calls_in((member,)))
