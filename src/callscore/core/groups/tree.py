"""The expectation as a tree of slots, its independent subproblems, and the worth of their pairs.

One actual call can fill a slot. A plain call is one slot that must be filled; a call with a repeat
count has further slots that count only when they are filled correctly. A subproblem has rows and
columns: a row (mostly one slot) takes at most one column, which is an actual call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from math import lcm, prod
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from msgspec import Struct, structs

from callscore.core.arguments import Grade
from callscore.core.assignment import columns_in
from callscore.core.call import ToolCall
from callscore.core.case import Expected, Forbidden, Group, Times
from callscore.core.rates import Rate, is_mixed
from callscore.errors import InvalidCall

if TYPE_CHECKING:
    from callscore.core.budget import Budget
    from callscore.core.settings import Order

# For an expected call: the positions of the actual calls with each grade, as a bit set.
Grader = Callable[[ToolCall], dict[Grade, int]]
_Kind = Literal["call", "in_order", "any_order", "one_of", "optional"]
# Real groups are never nested this deep, and every level costs several frames of the stack.
_MAX_DEPTH = 100
GROUPS = "groups"  # what they are called in the refusal of a case


class Slot(Struct, frozen=True, gc=False):
    """A place for one actual call.

    Attributes:
        grades: the grades of the actual calls that may take it, by position.
        is_extra: whether it counts only if it is taken; then only correct calls may take it.
    """

    name: str
    grades: dict[int, Grade]
    is_extra: bool
    is_in_optional: bool


class Node(Struct, frozen=True, gc=False):
    """A call or a group, with the slots in it.

    Attributes:
        kind: `call` for a call, with or without a repeat count.
        path: its place in the expectation: `expected[2].any_order`.
        first: its first slot.
        last: the slot after its last.
        owed: the least number of calls that it expects.
        call: the expected call, if it is one; then `owed` is how often it must be made.
    """

    kind: _Kind
    path: str
    first: int
    last: int
    owed: int
    members: tuple[Node, ...] = ()
    call: ToolCall | None = None


class Tree(Struct, frozen=True, gc=False):
    """The whole expectation as one group, and its slots in the order as written.

    Attributes:
        free: the actual calls that cost nothing unless they are correct, as a bit set.
    """

    root: Node
    slots: list[Slot]
    free: int = 0


def build_tree(
    expected: tuple[Expected, ...], order: Order, grade: Grader, budget: Budget, free: int = 0
) -> Tree:
    """The tree of an expectation, with every possible pair graded.

    Raises:
        OverBudget: there are too many pairs.
    """
    builder = _TreeBuilder(grade, budget)
    kind: _Kind = "in_order" if order == "in_order" else "any_order"
    members = [
        builder.node(item, f"expected[{position}]", depth=1, is_in_optional=False)
        for position, item in enumerate(expected)
    ]
    return Tree(builder.group(kind, "expected", members, first=0), builder.slots, free)


class _TreeBuilder:
    def __init__(self, grade: Grader, budget: Budget) -> None:
        self.grade = grade
        self.budget = budget
        self.slots: list[Slot] = []
        self.known: dict[object, Slot] = {}

    def node(self, item: Expected, path: str, *, depth: int, is_in_optional: bool) -> Node:
        """A call or a group as a node."""
        if depth > _MAX_DEPTH:
            where = path.partition("]")[0]
            raise InvalidCall(
                f"{where}]: groups are nested more than {_MAX_DEPTH} levels deep. Flatten them"
            )
        if isinstance(item, ToolCall):
            item = Times(item)
        if isinstance(item, Times):
            return self._call(item, path, is_in_optional=is_in_optional)
        if isinstance(item, Forbidden):  # says nothing about what should be made
            item = Group("any_order", ())
        build = self._optional if item.kind == "optional" else self._group
        return build(item, path, depth=depth, is_in_optional=is_in_optional)

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
        # Turns are scored one by one, so that none is in here.
        return self.group(cast("_Kind", item.kind), path, members, first=first)

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
        grades = self.grade(call)
        right = {grade: places for grade, places in grades.items() if grade[0]}
        fitting = sum(places.bit_count() for places in grades.values())
        correct = sum(places.bit_count() for places in right.values())
        further = correct if most is None else min(most - least, correct)
        # More slots than calls that could take them change nothing.
        required = min(least, fitting)
        self.budget.spend(10 + 2 * (required + further), GROUPS)
        for number, (graded, is_extra) in ((required, (grades, False)), (further, (right, True))):
            # Equal slots are one object.
            key = (call.name, *sorted(graded.items()), is_extra, is_in_optional)
            slot = self.known.get(key)
            if slot is None and number:
                self.budget.spend(5 * fitting, GROUPS)
                places = _grade_by_place(graded)
                slot = self.known[key] = Slot(call.name, places, is_extra, is_in_optional)
            self.slots += [slot] * number if slot is not None else []
        return Node("call", path, first, len(self.slots), least, (), call)


def _grade_by_place(graded: dict[Grade, int]) -> dict[int, Grade]:
    """The grade of each actual call, in the order of the calls."""
    found = [(place, grade) for grade, places in graded.items() for place in columns_in(places)]
    return dict(sorted(found))


NO_SLOT = -1

_FullGroup = Literal["in_order", "any_order"]  # groups of which all members count


class Option(NamedTuple):
    """One way to use a row.

    Attributes:
        slot: the slot that the row then is; NO_SLOT if no call could take it.
        owed: how many calls are then expected, whether the row takes one or not.
        rank: zero for the first alternative and less for the others, as numbers that add up: the
            first group outweighs all that follow.
    """

    slot: int
    owed: int
    rank: int


class Part(Struct, frozen=True, gc=False):
    """A row or a group of rows.

    Attributes:
        path: its place in the expectation.
        first: its first row.
        last: the row after its last.
        owed: how many expected calls were not made, apart from its rows.
        ranks: for `one_of`, what choosing each member adds, as in `Option`.
        number: identifies a group with a choice within its subproblem.
    """

    kind: Literal["row", "in_order", "any_order", "one_of", "optional"]
    path: str
    first: int
    last: int
    owed: int = 0
    members: tuple[Part, ...] = ()
    ranks: tuple[int, ...] = ()
    number: int = 0


class Subproblem(Struct, frozen=True, gc=False):
    """Expected calls that compete for the same actual calls, and for no others.

    Attributes:
        part: all rows, as one part.
        alike: for each row, the first one with the same options.
        columns: the positions of the actual calls, in order.
        free: the positions of those that cost nothing unless they are correct, as a bit set.
        scale: a common multiple of the denominators of all overlaps.
        choices: in how many ways alternatives can be chosen.
        is_fixed: whether the best pairing is the same at any rate: there is no choice, and all
            correct calls cost the same.
    """

    part: Part
    rows: list[tuple[Option, ...]]
    alike: list[int]
    columns: list[int]
    free: int
    scale: int
    choices: int
    is_fixed: bool


def split_tree(tree: Tree) -> list[Subproblem]:
    """The subproblems of a tree, without slots that no actual call can fill."""
    if tree.root.kind == "in_order":
        return [_make_subproblem([tree.root], tree)] if tree.slots else []
    return [_make_subproblem(nodes, tree) for nodes in _group_by_tools(tree)]


def _group_by_tools(tree: Tree) -> list[list[Node]]:
    """The members of the outermost list; those that share tools are in one group."""
    found: list[tuple[set[str], list[Node]]] = []
    for node in _members(tree.root):
        names = {slot.name for slot in tree.slots[node.first : node.last]}
        nodes: list[Node] = []
        separate: list[tuple[set[str], list[Node]]] = []
        for others, competitors in found:
            if names.isdisjoint(others):
                separate.append((others, competitors))
            else:
                names |= others
                nodes += competitors
        if names:
            separate.append((names, [*nodes, node]))
        found = separate
    return [sorted(nodes, key=lambda node: node.first) for _, nodes in found]


def _members(node: Node) -> Iterator[Node]:
    """The members of a group without order, and those of such groups in it."""
    for member in node.members:
        if member.kind == "any_order":
            yield from _members(member)
        else:
            yield member


def _make_subproblem(nodes: list[Node], tree: Tree) -> Subproblem:
    slots = tree.slots
    builder = _SubproblemBuilder(nodes, slots)
    path = _shared_path([node.path for node in nodes])
    part = builder.joined("any_order", path, [builder.part(node) for node in nodes])
    used = [slots[number] for node in nodes for number in range(node.first, node.last)]
    columns = sorted({position for slot in used for position in slot.grades})
    has_choice = next(builder.numbers) or any(slot.is_extra for slot in used)
    is_fixed = not (has_choice or is_mixed(tree.free, columns))
    scale = lcm(*{grade[3] for slot in used for grade in slot.grades.values()})
    alike = _first_alike(builder.rows, slots)
    return Subproblem(
        part, builder.rows, alike, columns, tree.free, scale, builder.choices, is_fixed
    )


def _shared_path(paths: list[str]) -> str:
    """The path of the smallest group that contains all of these."""
    first, last = min(paths), max(paths)
    same = 0
    while first[same : same + 1] == last[same : same + 1] != "":
        same += 1
    return first[:same].rpartition("[")[0]


def _first_alike(rows: list[tuple[Option, ...]], slots: Sequence[Slot]) -> list[int]:
    """For each row the first with the same options; equal slots are one object."""
    firsts: dict[object, int] = {}
    found: list[int] = []
    for number, options in enumerate(rows):
        ways = tuple([(slot != NO_SLOT and id(slots[slot]), *rest) for slot, *rest in options])
        found.append(firsts.setdefault(ways, number))
    return found


def _alternative_counts(nodes: Sequence[Node]) -> Iterator[int]:
    """How many members each `one_of` has."""
    for node in nodes:
        if node.kind == "one_of" and node.members:
            yield len(node.members)
        yield from _alternative_counts(node.members)


class _SubproblemBuilder:
    """Makes parts out of nodes, and rows out of slots."""

    def __init__(self, nodes: list[Node], slots: Sequence[Slot]) -> None:
        self.slots = slots
        self.rows: list[tuple[Option, ...]] = []
        self.choices = prod(_alternative_counts(nodes))
        self.place = self.choices  # the greatest weight of the alternatives of the next group
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
        kind: _FullGroup = "in_order" if node.kind == "in_order" else "any_order"
        return self.joined(kind, node.path, parts)

    def joined(self, kind: _FullGroup, path: str, parts: list[Part], owed: int = 0) -> Part:
        """Parts as one group; groups of the same kind are merged, and a single part stays itself."""
        owed += sum([part.owed for part in parts])
        made = [part for part in parts if part.first < part.last]
        if len(made) == 1:
            return structs.replace(made[0], owed=owed)
        members: list[Part] = []
        for part in made:
            members += part.members if part.kind == kind else [structs.replace(part, owed=0)]
        first = members[0].first if members else len(self.rows)
        if not members:
            kind = "any_order"
        return Part(kind, path, first, len(self.rows), owed, tuple(members))

    def _call(self, node: Node) -> Part:
        parts: list[Part] = []
        owed = node.owed
        for number in range(node.first, node.last):
            required = not self.slots[number].is_extra
            owed -= required
            parts.append(self._row(node.path, (Option(number, int(required), 0),)))
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
        """The options of the only row of a part, if it has one, as options of another row."""
        rows = self.rows[part.first : part.last] or [(Option(NO_SLOT, 0, 0),)]
        return [
            Option(option.slot, option.owed + part.owed, option.rank + rank) for option in rows[0]
        ]


# The worth of pairs, as integers that add up at a rate (`rates`). Each integer holds the whole order of
# preference, like digits: the sum at the rate, then correct pairs, equal pairs, overlap, the number of
# pairs, and the first alternatives.


class Worth(NamedTuple):
    """The worth of the pairs of a subproblem at a rate.

    Attributes:
        alone: the worth of each row without a column; never positive.
        gains: for each row, how much more it is worth with each column; always positive.
        slots: for each row that can be several slots, which one it is with each column.
        debt: the worth of an expected call that was not made.
    """

    alone: list[int]
    gains: list[dict[int, int]]
    slots: list[dict[int, int]]
    debt: int

    def base(self, part: Part) -> int:
        """The worth of a part with nothing paired, without the choices inside it."""
        own = part.owed * self.debt
        if part.kind == "row":
            return self.alone[part.first] + own
        if part.kind in ("one_of", "optional"):
            return own
        return own + sum([self.base(member) for member in part.members])


def weigh_subproblem(subproblem: Subproblem, slots: Sequence[Slot], rate: Rate) -> Worth:
    """The worth of every possible pair of a subproblem at a rate."""
    values = _SlotValues(subproblem, slots, rate)
    worth = Worth([], [], [], values.debt)
    taken: dict[int, int]
    for options in subproblem.rows:
        if len(options) == 1:  # most rows, and equal ones share their gains
            alone, gains, taken = values.alone(options[0]), values.gains(options[0]), {}
        else:
            alone, gains, taken = values.best(options)
        worth.alone.append(alone)
        worth.gains.append(gains)
        worth.slots.append(taken)
    return worth


class _SlotValues:
    """The worth of a slot with each column, in units of which one outweighs all smaller ones."""

    def __init__(self, subproblem: Subproblem, slots: Sequence[Slot], rate: Rate) -> None:
        most = min(len(subproblem.rows), len(subproblem.columns)) + 1
        self.slots = slots
        self.rate = rate
        self.free = subproblem.free
        self.scale = subproblem.scale
        self.pair = subproblem.choices
        self.overlap = self.pair * most
        self.equal = self.overlap * (self.scale * most + 1)
        self.correct = self.equal * most
        self.first = self.correct * most
        self.debt = -rate.part * self.first
        self.column_of = {position: column for column, position in enumerate(subproblem.columns)}
        self.known: dict[int, dict[int, int]] = {}  # by identity: repeats share their slots

    def best(self, options: Sequence[Option]) -> tuple[int, dict[int, int], dict[int, int]]:
        """For a row that can be several slots: its worth alone, its gains, its slot per column."""
        alone = max([self.alone(option) for option in options])
        gains: dict[int, int] = {}
        taken: dict[int, int] = {}
        for option in options:
            more = self.alone(option) - alone
            for column, value in self.gains(option).items():
                if value + more > gains.get(column, 0):
                    gains[column] = value + more
                    taken[column] = option.slot
        return alone, gains, taken

    def alone(self, option: Option) -> int:
        """The worth of a row without a column, with this option."""
        return self.debt * option.owed + option.rank

    def gains(self, option: Option) -> dict[int, int]:
        """How much more the row is worth with each column that may take its slot."""
        if option.slot == NO_SLOT:
            return {}
        slot = self.slots[option.slot]
        if slot.is_in_optional and not self.rate.allows_optional:
            return {}
        found = self.known.get(id(slot))
        if found is None:
            extra = self.debt if slot.is_extra else 0  # it counts as expected only once it is taken
            by_grade = {grade: self._worth_of(grade) + extra for grade in set(slot.grades.values())}
            found = {self.column_of[place]: by_grade[grade] for place, grade in slot.grades.items()}
            for place, grade in slot.grades.items() if self.free else ():
                if grade[0] and self.free >> place & 1:  # and so does a free call
                    found[self.column_of[place]] += self.debt
            self.known[id(slot)] = found
        return found

    def _worth_of(self, grade: Grade) -> int:
        is_correct, is_equal, part, whole = grade
        value = part * (self.scale // whole) * self.overlap + self.pair
        if is_correct:
            value += 2 * self.rate.whole * self.first + self.correct
        return value + self.equal if is_equal else value
