"""Solves a subproblem by dynamic programming: one pass over the actual calls, all states at once.

A state says how far each group has come. Groups that may interleave have a state for every
combination of their states, so their number is limited; the states of groups in order only add up.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from callscore.core.groups.tree import Part, Subproblem, Worth

_MANY_STATES = 1_000_000  # from here on, a path that says where they come from is useful
_STEPS_PER_ADVANCE = 2
_BITS_PER_STEP = 500


class Extent(NamedTuple):
    """The number of states of a part and of steps between them.

    Attributes:
        path: the path of the interleaving group with the most states.
    """

    states: int
    steps: int
    path: str


class _StateGraph(NamedTuple):
    """The states of a part, numbered so that every step leads to a higher one.

    Attributes:
        states: their number; the first is the start and the last the end.
        takes: the steps that give a column to a row.
        passes: the other steps, in an order in which one can follow another.
    """

    states: int
    takes: list[_Step]
    passes: list[_Step]


class _Step(NamedTuple):
    """Equal steps of one group, for several states of the other groups.

    Attributes:
        places: added to the start and to the end, they give the states.
        row: the row that is given a column.
        choices: the choices that the steps make.
    """

    places: list[int]
    start: int
    end: int
    row: int = -1
    choices: tuple[_Choice, ...] = ()

    def moved(self, states: int) -> _Step:
        """The same step, shifted by this number of states."""
        return self._replace(start=self.start + states, end=self.end + states)


class _Choice(NamedTuple):
    """A chosen part, and what choosing it adds."""

    part: Part
    rank: int


_HERE = [0]


def count_states(part: Part, subproblem: Subproblem) -> Extent:
    """Compute the extent of a part without building its states."""
    if part.kind == "row":
        return Extent(2, 2, part.path)
    if part.kind == "any_order":
        return _count_any_order(part, subproblem)
    extents = [count_states(member, subproblem) for member in part.members]
    path = max(extents, key=lambda extent: extent.states).path
    shared = 1 if part.kind == "in_order" else 2  # the end is the next start; or all share both
    states = sum([max(extent.states - shared, 0) for extent in extents]) + shared
    return Extent(states, sum([extent.steps + 1 for extent in extents]), path)


def _count_any_order(part: Part, subproblem: Subproblem) -> Extent:
    interchangeable = [len(rows) for rows in _interchangeable_rows(part, subproblem)]
    extents = [Extent(size + 1, 2 * size, part.path) for size in interchangeable]
    extents += [count_states(member, subproblem) for member in part.members if member.kind != "row"]
    states = prod([extent.states for extent in extents])
    steps = sum([extent.steps * (states // extent.states) for extent in extents])
    inner = max(extents, key=lambda extent: extent.states, default=Extent(1, 0, part.path))
    return Extent(states, steps, inner.path if inner.states > _MANY_STATES else part.path)


def count_steps(extent: Extent, subproblem: Subproblem) -> int:
    """The number of steps that `solve_by_states` takes, as a budget counts them."""
    base, height = len(subproblem.columns) + 1, len(subproblem.rows)
    bits = (height + 1) * base.bit_length() + subproblem.choices.bit_length()
    advances = (extent.steps + extent.states) * (len(subproblem.columns) + 1)
    return _STEPS_PER_ADVANCE * advances * (1 + bits // _BITS_PER_STEP)


def solve_by_states(subproblem: Subproblem, worth: Worth) -> list[int | None]:
    """The column of each row, or None, in the best pairing.

    Of several it is the first: row 0 has the lowest column that it has in any of them, and so on.
    The column of every row is a digit of the worth, below everything else, so that the worth of the
    last state says which pairing it is.
    """
    graph = _build_graph(subproblem.part, subproblem)
    base, height = len(subproblem.columns) + 1, len(subproblem.rows)
    digits = [base ** (height - row) for row in range(height + 1)]
    passes = [_priced(step, worth, digits[0]) for step in graph.passes]
    takes = [_priced(step, worth, digits[0]) for step in graph.takes]
    # The worth of a state that was not reached: too low for any gain to make up for it.
    gains = sum([max(gains.values(), default=0) + 1 for gains in worth.gains])
    unreached = -2 * digits[0] * gains + 2 * sum([price for *_, price in passes + takes]) - 1
    best = [unreached] * graph.states
    best[0] = 0
    _advance(best, best, passes)
    for column in range(len(subproblem.columns)):
        possible: list[_Priced] = []
        for step, (places, start, end, price) in zip(graph.takes, takes, strict=True):
            gain = worth.gains[step.row].get(column)
            if gain is not None:
                gain = gain * digits[0] + (base - 1 - column) * digits[step.row + 1]
                possible.append((places, start, end, price + gain))
        _advance(best[:], best, possible)
        _advance(best, best, passes)
    value, found = best[-1], []
    for _ in range(height):
        value, digit = divmod(value, base)
        found.append(base - 1 - digit if digit else None)
    return found[::-1]


_Priced = tuple[list[int], int, int, int]


def _priced(step: _Step, worth: Worth, unit: int) -> _Priced:
    price = sum([worth.base(part) + rank for part, rank in step.choices])
    return step.places, step.start, step.end, price * unit


def _advance(before: list[int], best: list[int], steps: list[_Priced]) -> None:
    """Update every state that a step reaches with a greater worth."""
    for places, start, end, price in steps:
        for place in places:
            value = before[place + start] + price
            if value > best[place + end]:  # noqa: PLR1730  (hot, and max() is slow)
                best[place + end] = value


def _build_graph(part: Part, subproblem: Subproblem) -> _StateGraph:
    if part.kind == "row":
        return _graph_of_rows([part.first])
    if part.kind == "any_order":
        graphs = [_graph_of_rows(rows) for rows in _interchangeable_rows(part, subproblem)]
        graphs += [
            _build_graph(member, subproblem) for member in part.members if member.kind != "row"
        ]
        return _graph_product(graphs)
    graphs = [_build_graph(member, subproblem) for member in part.members]
    if part.kind == "in_order":
        return _graph_in_sequence(graphs)
    ranks = part.ranks or (0,)
    choices = [_Choice(member, rank) for member, rank in zip(part.members, ranks, strict=True)]
    graph = _graph_of_alternatives(graphs, choices)
    if part.kind == "optional":
        graph.passes.append(_Step(_HERE, 0, graph.states - 1))
    return graph


def _interchangeable_rows(part: Part, subproblem: Subproblem) -> list[list[int]]:
    """The rows that are members of a part, in groups of interchangeable ones."""
    interchangeable: dict[int, list[int]] = {}
    for member in part.members:
        if member.kind == "row":
            interchangeable.setdefault(subproblem.alike[member.first], []).append(member.first)
    return list(interchangeable.values())


def _graph_of_rows(rows: list[int]) -> _StateGraph:
    """Interchangeable rows: all that matters is how many of them have a column."""
    takes = [_Step(_HERE, taken, taken + 1, row) for taken, row in enumerate(rows)]
    passes = [_Step(_HERE, taken, len(rows)) for taken in range(len(rows))]
    return _StateGraph(len(rows) + 1, takes, passes)


def _graph_in_sequence(graphs: list[_StateGraph]) -> _StateGraph:
    """One graph after the other: the end of one is the start of the next."""
    takes: list[_Step] = []
    passes: list[_Step] = []
    end = 0
    for graph in graphs:
        takes += [step.moved(end) for step in graph.takes]
        passes += [step.moved(end) for step in graph.passes]
        end += graph.states - 1
    return _StateGraph(end + 1, takes, passes)


def _graph_of_alternatives(graphs: list[_StateGraph], choices: list[_Choice]) -> _StateGraph:
    """One of the graphs, chosen by the first step: they share their start and their end."""
    takes: list[_Step] = []
    passes: list[_Step] = []
    end = sum([max(graph.states - 2, 0) for graph in graphs]) + 1
    inner = 0  # how many states between start and end are taken already
    for graph, choice in zip(graphs, choices, strict=True):
        for step in graph.takes:
            takes += _embedded(step, graph.states - 1, (inner, end), choice)
        for step in graph.passes or [_Step(_HERE, 0, 0)]:  # a graph of one state has no step
            passes += _embedded(step, graph.states - 1, (inner, end), choice)
        inner += max(graph.states - 2, 0)
    return _StateGraph(end + 1, takes, passes)


def _embedded(step: _Step, last: int, place: tuple[int, int], choice: _Choice) -> Iterator[_Step]:
    """The step of one graph among alternatives: some begin at the start, or lead to the end."""
    inner, end = place
    between: list[int] = []
    for at in step.places:
        start = at + step.start
        if start and at + step.end != last:
            between.append(at)
            continue
        yield step._replace(
            places=_HERE,
            start=start + inner if start else 0,
            end=end if at + step.end == last else at + step.end + inner,
            choices=step.choices if start else (*step.choices, choice),
        )
    if between:
        yield step.moved(inner)._replace(places=between)


def _graph_product(graphs: list[_StateGraph]) -> _StateGraph:
    """All graphs at the same time, in every combination of their states."""
    takes: list[_Step] = []
    passes: list[_Step] = []
    stride = states = prod([graph.states for graph in graphs])
    for number, graph in enumerate(graphs):
        stride //= graph.states
        elsewhere = [0]  # every combination of the states of the others, with this one at its start
        for position, other in enumerate(graphs):
            reached = range(other.states if position != number else 1)
            elsewhere = [place * other.states + state for place in elsewhere for state in reached]
        known: dict[int, list[int]] = {}
        takes += [_spread(step, elsewhere, stride, known) for step in graph.takes]
        passes += [_spread(step, elsewhere, stride, known) for step in graph.passes]
    return _StateGraph(states, takes, passes)


def _spread(step: _Step, elsewhere: list[int], stride: int, known: dict[int, list[int]]) -> _Step:
    """A step of one graph, at every combination of the states of the other graphs.

    `stride` is the distance between its states in the product. `known` has the new places by the
    identity of the old ones: most steps have the same.
    """
    places, start, end, row, choices = step
    found = known.get(id(places))
    if found is None:
        found = [other + place * stride for other in elsewhere for place in places]
        known[id(places)] = found
    return _Step(found, start * stride, end * stride, row, choices)
