"""What is expected as a tree of slots, each of which one actual call can fill.

A plain call is one slot that must be filled. A call with a repeat count has as many as it must be
made, and further ones that only count when they are filled, and only correctly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from callscore.core.call import ToolCall
from callscore.core.closeness import Grade
from callscore.core.expectation import Forbidden, Group, Times
from callscore.errors import InvalidCall

if TYPE_CHECKING:
    from callscore.core.expectation import Expected
    from callscore.core.settings import Order

__all__ = ["Grader", "Node", "Slot", "Tree", "grow"]

# What an expected and an actual call of the same name make as a pair.
Grader = Callable[[ToolCall, ToolCall], Grade]
_Kind = Literal["call", "in_order", "any_order", "one_of", "optional"]
# Nobody writes groups as deep as this, and every level costs several frames of the stack.
_DEEPEST = 100


class Slot(Struct, frozen=True, gc=False):
    """A place for one actual call.

    Attributes:
        name: the tool.
        grades: the actual calls that may take it, by position, and what each makes as a pair.
        is_extra: whether it counts only when it is taken; then only correct calls may take it.
        is_in_optional: whether it is inside an optional group.
    """

    name: str
    grades: dict[int, Grade]
    is_extra: bool
    is_in_optional: bool


class Node(Struct, frozen=True, gc=False):
    """A call or a group, with the slots in it.

    Attributes:
        kind: what it is; `call` for a call, with or without a repeat count.
        path: where it stands in what was written: `expected[2].any_order`.
        first: the number of the first slot in it.
        last: the number after that of the last slot in it.
        owed: how many calls it expects at the least.
        members: what is in a group.
        call: the expected call, where it is one; then `owed` is how often it must be made.
    """

    kind: _Kind
    path: str
    first: int
    last: int
    owed: int
    members: tuple[Node, ...] = ()
    call: ToolCall | None = None


class Tree(Struct, frozen=True, gc=False):
    """What is expected, with its slots in the order as written.

    Attributes:
        root: the list of everything that is expected, as a group.
        slots: every slot that some actual call may take.
    """

    root: Node
    slots: list[Slot]


def grow(
    expected: tuple[Expected, ...], actual: tuple[ToolCall, ...], order: Order, grade: Grader
) -> Tree:
    """The tree of what is expected, with every possible pair graded."""
    growth = _Growth(actual, grade)
    kind: _Kind = "in_order" if order == "in_order" else "any_order"
    members = [
        growth.node(item, f"expected[{position}]", depth=1, is_in_optional=False)
        for position, item in enumerate(expected)
    ]
    return Tree(growth.group(kind, "expected", members, first=0), growth.slots)


class _Growth:
    def __init__(self, actual: tuple[ToolCall, ...], grade: Grader) -> None:
        self.actual = actual
        self.grade = grade
        self.slots: list[Slot] = []
        self.known: dict[object, Slot] = {}
        self.positions: dict[str, list[int]] = {}
        for position, call in enumerate(actual):
            self.positions.setdefault(call.name, []).append(position)

    def node(self, item: Expected, path: str, *, depth: int, is_in_optional: bool) -> Node:
        """A call or a group as a node."""
        if depth > _DEEPEST:
            where = path.partition("]")[0]
            raise InvalidCall(
                f"{where}]: groups are nested more than {_DEEPEST} deep; flatten them"
            )
        if isinstance(item, ToolCall):
            item = Times(item)
        if isinstance(item, Times):
            return self._call(item, path, is_in_optional=is_in_optional)
        if isinstance(item, Forbidden):  # says nothing about what should be made
            item = Group("any_order", ())
        grown = self._optional if item.kind == "optional" else self._group
        return grown(item, path, depth=depth, is_in_optional=is_in_optional)

    def group(self, kind: _Kind, path: str, members: list[Node], *, first: int) -> Node:
        """A group of these members, whose slots begin at `first`."""
        owed = sum(member.owed for member in members)
        if kind == "one_of":
            owed = min((member.owed for member in members), default=0)
        elif kind == "optional":
            owed = 0
        return Node(kind, path, first, len(self.slots), owed, tuple(members))

    def _group(self, item: Group, path: str, *, depth: int, is_in_optional: bool) -> Node:
        first = len(self.slots)
        path = f"{path}.{item.kind}"
        members = [
            self.node(member, f"{path}[{n}]", depth=depth + 1, is_in_optional=is_in_optional)
            for n, member in enumerate(item.members)
        ]
        return self.group(item.kind, path, members, first=first)

    def _optional(self, item: Group, path: str, *, depth: int, is_in_optional: bool) -> Node:
        first = len(self.slots)
        path = f"{path}.optional"
        if len(item.members) == 1 and isinstance(item.members[0], ToolCall):
            call = Times(item.members[0], 0, 1)
            return self._call(call, path, is_in_optional=is_in_optional)
        members = [
            self.node(member, path, depth=depth + 1, is_in_optional=True) for member in item.members
        ]
        return self.group("optional", path, members, first=first)

    def _call(self, item: Times, path: str, *, is_in_optional: bool) -> Node:
        call, least, most = item.call, item.least, item.most
        first = len(self.slots)
        places = self.positions.get(call.name, ())
        grades = {place: self.grade(call, self.actual[place]) for place in places}
        right = {place: grade for place, grade in grades.items() if grade[0]}
        further = len(right) if most is None else min(most - least, len(right))
        # More slots than calls that could take them change nothing.
        must = min(least, len(grades))
        for number, (fitting, is_extra) in ((must, (grades, False)), (further, (right, True))):
            slot = Slot(call.name, fitting, is_extra, is_in_optional)
            self.slots += [self._same(slot)] * number
        return Node("call", path, first, len(self.slots), least, (), call)

    def _same(self, slot: Slot) -> Slot:
        """The slot, or an earlier one that is just like it."""
        likeness = (slot.name, *slot.grades.items(), slot.is_extra, slot.is_in_optional)
        return self.known.setdefault(likeness, slot)
