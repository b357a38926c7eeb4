"""Which actual call stands for which expected one, where several of them are the same.

Scoring pairs calls; of calls that are the same, any may be in a pair. Here those are chosen that
stand in the expected order, so that a call is out of order only if no choice would avoid it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.equality import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from callscore.core.call import ToolCall
    from callscore.core.model import Score

__all__ = ["Alignment", "aligned", "are_alike"]

# Of a case with more places where the same calls stand, the pairs are taken as they are.
_MOST_MATCHES = 1_000_000


class Alignment(NamedTuple):
    """Which calls of a case belong together.

    Attributes:
        partners: for each actual position that is paired, in order, the expected position.
        wrong: the expected positions whose partner has other arguments.
        repeated: the expected positions whose call was expected and made before, each time just so.
    """

    partners: dict[int, int]
    wrong: frozenset[int]
    repeated: frozenset[int]


class _Kinds(NamedTuple):
    """For each call of either side a number that it shares with the same calls of its side."""

    expected: list[int]
    actual: list[int]

    def of(self, column: int, row: int) -> tuple[int, int]:
        """What kind of pair an actual and an expected position make."""
        return self.expected[row], self.actual[column]


class _Link(NamedTuple):
    """The last pair of a sequence of pairs that do not cross, and those before it."""

    expected: int
    actual: int
    before: _Link | None


def aligned(score: Score) -> Alignment:
    """The pairs of a case, as few of them out of order as calls that are the same allow."""
    wrong = {pair.actual_index: pair.expected_index for pair in score.incorrect}
    right = {pair.actual_index: pair.expected_index for pair in score.correct}
    pairs = _preferring_alike(right, wrong, score) | wrong
    if _is_sorted(pairs) and _has_each_once(score.expected):
        return _alignment(pairs, wrong.values(), ())
    kinds = _Kinds(_numbered(score.expected), _numbered(score.actual))
    wrong_kinds = {kinds.of(*pair) for pair in wrong.items()}
    if not _is_sorted(pairs):
        pairs = min(pairs, _reordered(pairs, kinds), key=_descents)
    wrong_rows = {row for column, row in pairs.items() if kinds.of(column, row) in wrong_kinds}
    return _alignment(pairs, wrong_rows, _repeated(pairs, kinds) - wrong_rows)


def _preferring_alike(right: dict[int, int], wrong: dict[int, int], score: Score) -> dict[int, int]:
    """The correct pairs, with calls that are written as expected where there are such calls.

    `b(2.0)` and `b(2)` are equal, and scoring takes the first of them for `b(2)`.
    """
    otherwise = [
        (column, row)
        for column, row in right.items()
        if not are_alike(score.expected[row].arguments, score.actual[column].arguments)
    ]
    free: dict[str, list[int]] = defaultdict(list)
    for column, call in enumerate(score.actual if otherwise else ()):
        if column not in right and column not in wrong and call.error is None:
            free[call.name].append(column)
    if sum(len(free[score.expected[row].name]) for _, row in otherwise) > _MOST_MATCHES:
        return right
    pairs = dict(right)
    for column, row in otherwise:
        wanted = score.expected[row]
        others = free[wanted.name]
        for other in others:
            if are_alike(wanted.arguments, score.actual[other].arguments):
                del pairs[column]
                pairs[other] = row
                others.remove(other)
                break
    # Not at the price of the order, though.
    return min(pairs, right, key=_descents)


def _repeated(pairs: dict[int, int], kinds: _Kinds) -> set[int]:
    """The expected positions in pairs that were there before."""
    first: dict[tuple[int, int], int] = {}
    for column, row in sorted(pairs.items(), key=lambda pair: pair[1]):
        first.setdefault(kinds.of(column, row), row)
    repeated = set(pairs.values()) - set(first.values())
    others = {column: row for column, row in pairs.items() if row not in repeated}
    # Where all is in order but for the repeats, it is the order that is at fault.
    return set() if _is_sorted(others) and not _is_sorted(pairs) else repeated


def _alignment(pairs: dict[int, int], wrong: Iterable[int], repeated: Iterable[int]) -> Alignment:
    return Alignment(dict(sorted(pairs.items())), frozenset(wrong), frozenset(repeated))


def _has_each_once(calls: Sequence[ToolCall]) -> bool:
    return len({call.name for call in calls}) == len(calls)


def _is_sorted(pairs: dict[int, int]) -> bool:
    rows = [row for _, row in sorted(pairs.items())]
    return rows == sorted(rows)


def _descents(pairs: dict[int, int]) -> int:
    """How many pairs stand right before one that should come first; 0 where all are in order."""
    rows = [row for _, row in sorted(pairs.items())]
    return sum(left > right for left, right in pairwise(rows))


def _numbered(calls: Sequence[ToolCall]) -> list[int]:
    numbers = []
    known: dict[str, list[tuple[int, ToolCall]]] = defaultdict(list)
    for place, call in enumerate(calls):
        alike = known[fingerprint([call.name, call.arguments, *_outside(call)])]
        number = next(
            (number for number, other in alike if are_alike(call.arguments, other.arguments)), None
        )
        if number is None:
            alike.append((place, call))
        numbers.append(place if number is None else number)
    return numbers


def _outside(call: ToolCall) -> tuple[Any, ...]:
    """What else a metric may look at."""
    return call.raw, call.error, call.failed, call.caller


def _reordered(pairs: dict[int, int], kinds: _Kinds) -> dict[int, int]:
    """As many pairs of each kind, of which as many as can be stand in the expected order."""
    left = Counter([kinds.of(*pair) for pair in pairs.items()])
    chosen = {}
    for row, column in _longest_in_order(kinds, left):
        kind = kinds.of(column, row)
        if left[kind]:
            left[kind] -= 1
            chosen[column] = row
    rows, columns = _free(kinds.expected, chosen.values()), _free(kinds.actual, chosen)
    for expected, actual in left.elements():
        chosen[next(columns[actual])] = next(rows[expected])
    return chosen


def _longest_in_order(
    kinds: _Kinds, wanted: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """The most pairs of these kinds that do not cross, from the last to the first."""
    places: dict[int, list[int]] = defaultdict(list)
    for column, kind in enumerate(kinds.actual):
        places[kind].append(column)
    partners: dict[int, list[int]] = defaultdict(list)
    for expected, actual in wanted:
        partners[expected] += places[actual]
    if sum(len(partners[kind]) for kind in kinds.expected) > _MOST_MATCHES:
        return
    # The longest increasing sequence of columns; from right to left, so that none has a row twice.
    ends: list[int] = []
    links: list[_Link] = []
    for row, kind in enumerate(kinds.expected):
        for column in sorted(partners[kind], reverse=True):
            length = bisect_left(ends, column)
            ends[length : length + 1] = [column]
            links[length : length + 1] = [_Link(row, column, links[length - 1] if length else None)]
    link = links[-1] if links else None
    while link is not None:
        yield link.expected, link.actual
        link = link.before


def _free(kinds: list[int], taken: Iterable[int]) -> dict[int, Iterator[int]]:
    """For each kind of call the places where it stands that are not taken, in order."""
    used = set(taken)
    places: dict[int, list[int]] = defaultdict(list)
    for place, kind in enumerate(kinds):
        if place not in used:
            places[kind].append(place)
    return {kind: iter(found) for kind, found in places.items()}


def are_alike(left: Any, right: Any) -> bool:
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
