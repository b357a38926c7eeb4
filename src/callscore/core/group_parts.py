"""The tree of what is expected, cut into puzzles that have nothing to do with each other.

A puzzle has rows and columns: a row takes at most one column, which is an actual call. Most rows are
one slot. Alternatives that have no more than one slot each are one row, too, for whichever of them
is chosen takes one column. What is left of the groups says which rows go together.
"""

from __future__ import annotations

from itertools import count
from math import lcm, prod
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct, structs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callscore.core.group_tree import Node, Slot, Tree

__all__ = ["NO_SLOT", "Option", "Part", "Puzzle", "cut"]

NO_SLOT = -1

_Whole = Literal["in_order", "any_order"]  # groups of which all members count


class Option(NamedTuple):
    """One way to use a row.

    Attributes:
        slot: the slot that the row then is; NO_SLOT where no call could take it.
        owed: how many calls are then expected, whether the row takes one or not.
        rank: zero for the first alternative and less for the others, as a number that adds up:
            the first group in the order as written outweighs all that follow.
    """

    slot: int
    owed: int
    rank: int


class Part(Struct, frozen=True, gc=False):
    """A row or a group of rows.

    Attributes:
        kind: what it is.
        path: where it stands in what was written.
        first: its first row.
        last: the row after its last.
        owed: how many calls it expects that nobody made, apart from its rows.
        members: what is in a group.
        ranks: of `one_of`, what choosing each member adds, as in `Option`.
        number: tells apart the groups of a puzzle in which something is chosen.
    """

    kind: Literal["row", "in_order", "any_order", "one_of", "optional"]
    path: str
    first: int
    last: int
    owed: int = 0
    members: tuple[Part, ...] = ()
    ranks: tuple[int, ...] = ()
    number: int = 0


class Puzzle(Struct, frozen=True, gc=False):
    """Expected calls that compete for the same actual calls, and for no others.

    Attributes:
        part: all rows, as one part.
        rows: how each row can be used.
        alike: of each row, the first one that can be used in just the same ways.
        columns: the positions of the actual calls, in order.
        scale: a number that every denominator of an overlap divides.
        choices: in how many ways alternatives can be chosen.
        is_fixed: whether nothing is to be chosen, so that always the same number is expected.
    """

    part: Part
    rows: list[tuple[Option, ...]]
    alike: list[int]
    columns: list[int]
    scale: int
    choices: int
    is_fixed: bool


def cut(tree: Tree) -> list[Puzzle]:
    """The puzzles of a tree; what no actual call could be is in none of them."""
    if tree.root.kind == "in_order":
        return [_puzzle([tree.root], tree.slots)] if tree.slots else []
    return [_puzzle(nodes, tree.slots) for nodes in _competing(tree)]


def _competing(tree: Tree) -> list[list[Node]]:
    """The members of the top list, those together that share tools."""
    found: list[tuple[set[str], list[Node]]] = []
    for node in _members(tree.root):
        names = {slot.name for slot in tree.slots[node.first : node.last]}
        nodes: list[Node] = []
        apart: list[tuple[set[str], list[Node]]] = []
        for others, rivals in found:
            if names.isdisjoint(others):
                apart.append((others, rivals))
            else:
                names |= others
                nodes += rivals
        if names:
            apart.append((names, [*nodes, node]))
        found = apart
    return [sorted(nodes, key=lambda node: node.first) for _, nodes in found]


def _members(node: Node) -> Iterator[Node]:
    """The members of a group without order, and those of such groups in it."""
    for member in node.members:
        if member.kind == "any_order":
            yield from _members(member)
        else:
            yield member


def _puzzle(nodes: list[Node], slots: Sequence[Slot]) -> Puzzle:
    cutting = _Cutting(nodes, slots)
    path = _shared_path([node.path for node in nodes])
    part = cutting.joined("any_order", path, [cutting.part(node) for node in nodes])
    used = [slots[number] for node in nodes for number in range(node.first, node.last)]
    columns = sorted({position for slot in used for position in slot.grades})
    is_fixed = not (next(cutting.numbers) or any(slot.is_extra for slot in used))
    scale = lcm(*{grade[3] for slot in used for grade in slot.grades.values()})
    alike = _alike(cutting.rows, slots)
    return Puzzle(part, cutting.rows, alike, columns, scale, cutting.choices, is_fixed)


def _shared_path(paths: list[str]) -> str:
    """Where the smallest group stands that has all of these in it."""
    first, last = min(paths), max(paths)
    same = 0
    while first[same : same + 1] == last[same : same + 1] != "":
        same += 1
    return first[:same].rpartition("[")[0]


def _alike(rows: list[tuple[Option, ...]], slots: Sequence[Slot]) -> list[int]:
    """Of each row the first like it; slots that are alike are one object."""
    firsts: dict[object, int] = {}
    found: list[int] = []
    for number, options in enumerate(rows):
        ways = tuple([(slot != NO_SLOT and id(slots[slot]), *rest) for slot, *rest in options])
        found.append(firsts.setdefault(ways, number))
    return found


def _alternatives(nodes: Sequence[Node]) -> Iterator[int]:
    """How many members each `one_of` has."""
    for node in nodes:
        if node.kind == "one_of" and node.members:
            yield len(node.members)
        yield from _alternatives(node.members)


class _Cutting:
    """Makes parts out of nodes, and rows out of slots."""

    def __init__(self, nodes: list[Node], slots: Sequence[Slot]) -> None:
        self.slots = slots
        self.rows: list[tuple[Option, ...]] = []
        self.choices = prod(_alternatives(nodes))
        self.place = self.choices  # what the alternatives of the next group weigh, at most
        self.numbers = count()

    def part(self, node: Node) -> Part:
        """The node as a part, its rows at the end of all rows."""
        if node.kind == "call":
            return self._call(node)
        if node.kind == "one_of" and node.members:
            return self._one_of(node)
        parts = [self.part(member) for member in node.members]
        if node.kind == "optional":
            return self._optional(node, self.joined("any_order", node.path, parts))
        kind: _Whole = "in_order" if node.kind == "in_order" else "any_order"
        return self.joined(kind, node.path, parts)

    def joined(self, kind: _Whole, path: str, parts: list[Part], owed: int = 0) -> Part:
        """Parts as one, without groups in groups of the same kind and without groups of one."""
        owed += sum([part.owed for part in parts])
        made = [part for part in parts if part.first < part.last]
        if len(made) == 1:
            return structs.replace(made[0], owed=owed)
        members: list[Part] = []
        for part in made:
            members += part.members if part.kind == kind else [structs.replace(part, owed=0)]
        first = members[0].first if members else len(self.rows)
        # In a group that is empty nothing is in order.
        return Part(
            kind if members else "any_order", path, first, len(self.rows), owed, tuple(members)
        )

    def _call(self, node: Node) -> Part:
        parts: list[Part] = []
        owed = node.owed
        for number in range(node.first, node.last):
            must = not self.slots[number].is_extra
            owed -= must
            parts.append(self._row(node.path, (Option(number, int(must), 0),)))
        return self.joined("any_order", node.path, parts, owed)

    def _row(self, path: str, options: tuple[Option, ...]) -> Part:
        self.rows.append(options)
        return Part("row", path, len(self.rows) - 1, len(self.rows))

    def _one_of(self, node: Node) -> Part:
        number, first = next(self.numbers), len(self.rows)
        self.place //= len(node.members)
        ranks = tuple([-self.place * member for member in range(len(node.members))])
        parts = [self.part(member) for member in node.members]
        if all(part.last - part.first <= 1 for part in parts):
            options = [
                option
                for part, rank in zip(parts, ranks, strict=True)
                for option in self._options(part, rank)
            ]
            del self.rows[first:]
            return self._row(node.path, tuple(options))
        return Part("one_of", node.path, first, len(self.rows), 0, tuple(parts), ranks, number)

    def _optional(self, node: Node, part: Part) -> Part:
        number, first = next(self.numbers), part.first
        if part.last - part.first == 1:
            options = (*self._options(part, 0), Option(NO_SLOT, 0, 0))
            del self.rows[first:]
            return self._row(node.path, options)
        if part.first == part.last:  # never made, so nothing is expected
            return structs.replace(part, owed=0)
        return Part("optional", node.path, first, part.last, 0, (part,), (), number)

    def _options(self, part: Part, rank: int) -> list[Option]:
        """The ways to use the only row of a part, if it has one, as ways to use another row."""
        rows = self.rows[part.first : part.last] or [(Option(NO_SLOT, 0, 0),)]
        return [
            Option(option.slot, option.owed + part.owed, option.rank + rank) for option in rows[0]
        ]
