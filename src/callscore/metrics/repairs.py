"""A case with some of its faults repaired, to see how a metric reacts.

A kind of fault is what callscore's own pairing of the calls shows, under the default settings:

- `order`: calls that were made, but not in the expected order,
- `extra`: calls that were not expected,
- `missed`: expected calls that were not made,
- `arguments`: calls of the right tool with other arguments,
- `form`: calls that are as expected, but written differently: 1.0 for 1, keys in another order,
  arguments where none were asked for,
- `repeats`: a call that is expected several times and made several times, each time the same; the
  repair makes one of them on both sides.

Except for `order`, a call is of one kind only: a call that is made once too often is extra, not a
repeat. With every kind repaired, the actual calls are exactly the expected ones. Scoring may pair
any of several equal calls; here those in the expected order are chosen, so that a call is out of
order only if no choice would avoid it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from msgspec import structs

from callscore.core.equality import fingerprint

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.core.score import Score

# With more positions of equal calls than this, the pairs of a case are taken as they are.
_MAX_MATCHES = 1_000_000


class Alignment(NamedTuple):
    """Which calls of a case belong together.

    Attributes:
        partners: for each actual position that is paired, in order, the expected position.
        wrong: the expected positions whose partner has other arguments.
        repeated: the expected positions of calls that were expected and made before, unchanged.
    """

    partners: dict[int, int]
    wrong: frozenset[int]
    repeated: frozenset[int]


class _CallKinds(NamedTuple):
    """For each call of each side, a number that equal calls of that side share."""

    expected: list[int]
    actual: list[int]

    def of(self, column: int, row: int) -> tuple[int, int]:
        """The kind of the pair of an actual and an expected position."""
        return self.expected[row], self.actual[column]


class _Link(NamedTuple):
    """The last pair of a sequence of pairs that do not cross, and those before it."""

    expected: int
    actual: int
    before: _Link | None


def align(score: Score) -> Alignment:
    """The pairs of a case, with equal calls chosen so that few pairs are out of order."""
    wrong = {pair.actual_index: pair.expected_index for pair in score.incorrect}
    right = {pair.actual_index: pair.expected_index for pair in score.correct}
    pairs = _prefer_alike(right, wrong, score) | wrong
    is_each_tool_called_once = len({call.name for call in score.expected}) == len(score.expected)
    if _is_sorted(pairs) and is_each_tool_called_once:
        return _alignment(pairs, wrong.values(), ())
    kinds = _CallKinds(_number_calls(score.expected), _number_calls(score.actual))
    wrong_kinds = {kinds.of(*pair) for pair in wrong.items()}
    if not _is_sorted(pairs):
        pairs = min(pairs, _reordered(pairs, kinds), key=_count_descents)
    wrong_rows = {row for column, row in pairs.items() if kinds.of(column, row) in wrong_kinds}
    return _alignment(pairs, wrong_rows, _repeated(pairs, kinds) - wrong_rows)


def _prefer_alike(right: dict[int, int], wrong: dict[int, int], score: Score) -> dict[int, int]:
    """The correct pairs, preferring calls that are written as expected.

    `b(2.0)` and `b(2)` are equal, and scoring takes the first of them for `b(2)`.
    """
    otherwise = [
        (column, row)
        for column, row in right.items()
        if not is_written_alike(score.expected[row].arguments, score.actual[column].arguments)
    ]
    free: dict[str, list[int]] = defaultdict(list)
    for column, call in enumerate(score.actual if otherwise else ()):
        if column not in right and column not in wrong and call.error is None:
            free[call.name].append(column)
    if sum(len(free[score.expected[row].name]) for _, row in otherwise) > _MAX_MATCHES:
        return right
    pairs = dict(right)
    for column, row in otherwise:
        wanted = score.expected[row]
        others = free[wanted.name]
        for other in others:
            if is_written_alike(wanted.arguments, score.actual[other].arguments):
                del pairs[column]
                pairs[other] = row
                others.remove(other)
                break
    # The order has precedence.
    return min(pairs, right, key=_count_descents)


def _repeated(pairs: dict[int, int], kinds: _CallKinds) -> set[int]:
    """The expected positions in pairs that repeat an earlier pair."""
    first: dict[tuple[int, int], int] = {}
    for column, row in sorted(pairs.items(), key=lambda pair: pair[1]):
        first.setdefault(kinds.of(column, row), row)
    repeated = set(pairs.values()) - set(first.values())
    others = {column: row for column, row in pairs.items() if row not in repeated}
    # If only the repeats are out of order, the fault is the order.
    return set() if _is_sorted(others) and not _is_sorted(pairs) else repeated


def _alignment(pairs: dict[int, int], wrong: Iterable[int], repeated: Iterable[int]) -> Alignment:
    return Alignment(dict(sorted(pairs.items())), frozenset(wrong), frozenset(repeated))


def _is_sorted(pairs: dict[int, int]) -> bool:
    rows = [row for _, row in sorted(pairs.items())]
    return rows == sorted(rows)


def _count_descents(pairs: dict[int, int]) -> int:
    """The number of pairs directly before one that should come first; 0 if all are in order."""
    rows = [row for _, row in sorted(pairs.items())]
    return sum(left > right for left, right in pairwise(rows))


def _number_calls(calls: Sequence[ToolCall]) -> list[int]:
    numbers = []
    known: dict[str, list[tuple[int, ToolCall]]] = defaultdict(list)
    for place, call in enumerate(calls):
        # All fields that a metric may look at.
        fields = [call.name, call.arguments, call.raw, call.error, call.failed, call.caller]
        alike = known[fingerprint(fields)]
        for number, other in alike:
            if is_written_alike(call.arguments, other.arguments):
                numbers.append(number)
                break
        else:
            alike.append((place, call))
            numbers.append(place)
    return numbers


def _reordered(pairs: dict[int, int], kinds: _CallKinds) -> dict[int, int]:
    """The same number of pairs of each kind, as many as possible in the expected order."""
    left = Counter([kinds.of(*pair) for pair in pairs.items()])
    chosen = {}
    for row, column in _longest_in_order(kinds, left):
        kind = kinds.of(column, row)
        if left[kind]:
            left[kind] -= 1
            chosen[column] = row
    rows = _free_positions(kinds.expected, chosen.values())
    columns = _free_positions(kinds.actual, chosen)
    for expected, actual in left.elements():
        chosen[next(columns[actual])] = next(rows[expected])
    return chosen


def _longest_in_order(
    kinds: _CallKinds, kinds_to_match: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """The largest set of pairs of these kinds that do not cross, from the last to the first."""
    places: dict[int, list[int]] = defaultdict(list)
    for column, kind in enumerate(kinds.actual):
        places[kind].append(column)
    partners: dict[int, list[int]] = defaultdict(list)
    for expected, actual in kinds_to_match:
        partners[expected] += places[actual]
    if sum(len(partners[kind]) for kind in kinds.expected) > _MAX_MATCHES:
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


def _free_positions(kinds: list[int], taken: Iterable[int]) -> dict[int, Iterator[int]]:
    """For each kind of call its positions that are not taken, in order."""
    used = set(taken)
    places: dict[int, list[int]] = defaultdict(list)
    for place, kind in enumerate(kinds):
        if place not in used:
            places[kind].append(place)
    return {kind: iter(found) for kind, found in places.items()}


def is_written_alike(left: Any, right: Any) -> bool:
    """Whether two values are written the same way, which is stricter than equality.

    It is not recursive, so that any depth of nesting is possible.
    """
    pending = [(left, right)]
    while pending:
        one, other = pending.pop()
        if one is other:
            continue
        if type(one) is not type(other) or not _is_same_outer(one, other):
            return False
        if isinstance(one, dict):
            pending += zip(one.values(), other.values(), strict=True)
        elif isinstance(one, list | tuple):
            pending += zip(one, other, strict=True)
    return True


def _is_same_outer(one: Any, other: Any) -> bool:
    """Whether two values of one type are written the same way, without what is inside them."""
    if isinstance(one, dict):
        return list(one) == list(other)
    if isinstance(one, list | tuple):
        return len(one) == len(other)
    if isinstance(one, float):  # 0.0 == -0.0, and NaN != NaN
        return repr(one) == repr(other)
    return bool(one == other)


RepairKind = Literal["order", "extra", "missed", "arguments", "form", "repeats"]
REPAIR_KINDS: tuple[RepairKind, ...] = get_args(RepairKind)


class CaseCalls(NamedTuple):
    """The two sides of a case."""

    expected: tuple[ToolCall, ...]
    actual: tuple[ToolCall, ...]


class _Slot(NamedTuple):
    """An actual call, and the position of the expected call that it is paired with."""

    call: ToolCall
    expected: int | None


def fault_kinds_of(score: Score) -> tuple[RepairKind, ...]:
    """The kinds of fault that a case has, in the order of `REPAIR_KINDS`."""
    found = align(score)
    rows = list(found.partners.values())
    has = {
        "order": rows != sorted(rows),
        "extra": len(rows) < len(score.actual),
        "missed": len(rows) < len(score.expected),
        "arguments": bool(found.wrong),
        "form": any(
            not is_written_alike(score.expected[row].arguments, score.actual[column].arguments)
            for column, row in found.partners.items()
            if row not in found.wrong
        ),
        "repeats": bool(found.repeated),
    }
    return tuple([kind for kind in REPAIR_KINDS if has[kind]])


def repair_case(score: Score, kinds: Collection[RepairKind]) -> CaseCalls:
    """The calls of a case, scored under the default settings, without faults of these kinds."""
    found = align(score)
    slots = [_slot(column, score, found, kinds) for column in range(len(score.actual))]
    if "extra" in kinds:
        slots = [slot for slot in slots if slot.expected is not None]
    if "order" in kinds:
        slots = _in_order(slots)
    if "missed" in kinds:
        slots = _insert_missed(slots, score.expected)
    repeated = found.repeated if "repeats" in kinds else frozenset()
    return CaseCalls(
        tuple([call for row, call in enumerate(score.expected) if row not in repeated]),
        tuple([slot.call for slot in slots if slot.expected not in repeated]),
    )


def _slot(column: int, score: Score, found: Alignment, kinds: Collection[RepairKind]) -> _Slot:
    """An actual call, with the expected arguments if its own are repaired."""
    call, row = score.actual[column], found.partners.get(column)
    kind: RepairKind = "arguments" if row in found.wrong else "form"
    if row is not None and kind in kinds:
        arguments = score.expected[row].arguments
        call = structs.replace(call, arguments=arguments, raw=None, error=None)
    return _Slot(call, row)


def _in_order(slots: list[_Slot]) -> list[_Slot]:
    """Sort the paired calls into the expected order; the others keep their places."""
    paired = [slot for slot in slots if slot.expected is not None]
    in_order = iter(sorted(paired, key=lambda slot: slot.expected or 0))
    found = []
    for slot in slots:
        moved = slot if slot.expected is None else next(in_order)
        # The message of a call belongs to the place, not to the call.
        if moved.call.step != slot.call.step:
            moved = moved._replace(call=structs.replace(moved.call, step=slot.call.step))
        found.append(moved)
    return found


def _insert_missed(slots: list[_Slot], expected: Sequence[ToolCall]) -> list[_Slot]:
    """Insert each missed call right after the one that is expected before it."""
    places = {slot.expected for slot in slots}
    found = list(slots)
    for position, call in enumerate(expected):
        if position not in places:
            before = [place for place, slot in enumerate(found) if slot.expected == position - 1]
            step = found[before[0]].call.step if before else call.step
            place = before[0] + 1 if before else 0
            found.insert(place, _Slot(structs.replace(call, step=step), position))
    return found
