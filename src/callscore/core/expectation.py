"""What may be expected beside single calls: groups of calls, repeats, and calls that are forbidden."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from msgspec import Struct, structs

from callscore.core.call import ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["Expected", "Forbidden", "Group", "GroupKind", "Times", "calls_in", "with_calls"]

GroupKind = Literal["in_order", "any_order", "one_of", "optional"]


class Group(Struct, frozen=True, gc=False):
    """Calls, or groups of calls, that belong together.

    Attributes:
        kind: `in_order` (each after the one before), `any_order` (they may interleave), `one_of`
            (alternatives), `optional` (one member, which may be made).
        members: what is in it.
    """

    kind: GroupKind
    members: tuple[Expected, ...]
    # A group equals no call, and whoever looks at names alone finds none.
    name: ClassVar[None] = None


class Times(Struct, frozen=True, gc=False):
    """A call that may be made several times.

    Attributes:
        call: the call.
        least: how often it must be made.
        most: how often it may be made; None for any number.
    """

    call: ToolCall
    least: int = 1
    most: int | None = 1
    name: ClassVar[None] = None


class Forbidden(Struct, frozen=True, gc=False):
    """Calls that must not be made.

    Attributes:
        pattern: the names of the tools, with `*` for anything: `delete_*`.
    """

    pattern: str
    name: ClassVar[None] = None


Expected = ToolCall | Group | Times | Forbidden


def calls_in(expected: Iterable[Expected]) -> Iterator[ToolCall]:
    """Every call that stands anywhere in what is expected, in the order as written."""
    pending = [iter(expected)]
    while pending:
        item = next(pending[-1], None)
        if item is None:
            pending.pop()
        elif isinstance(item, Group):
            pending.append(iter(item.members))
        elif not isinstance(item, Forbidden):
            yield item.call if isinstance(item, Times) else item


def with_calls(item: Expected, change: Callable[[ToolCall], ToolCall]) -> Expected:
    """The same expectation with every call in it changed."""
    if isinstance(item, ToolCall):
        return change(item)
    if isinstance(item, Times):
        return structs.replace(item, call=change(item.call))
    if isinstance(item, Group):
        members = tuple([with_calls(member, change) for member in item.members])
        return structs.replace(item, members=members)
    return item
