"""An array with these items in any order, each of which may be a matcher."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from callscore.core.assignment import BipartiteMatching, columns_in
from callscore.core.equality import fingerprint
from callscore.core.rules import (
    ABSENT,
    Context,
    FailedPart,
    Matcher,
    Verdict,
    contains_matchers,
    operand_problem,
    unwrap_matchers,
)
from callscore.core.value_comparison import is_accepted

if TYPE_CHECKING:
    from callscore.core.budget import Budget

KEYS = ("$unordered",)
NESTS = True
RULE = True
SCHEMA: dict[str, Any] = {
    "value": {
        "description": "The items of the array, in any order; each may be a matcher.",
        "type": "array",
        "items": {"$ref": "#/definitions/value"},
    },
    "options": {},
}
EXAMPLES = (
    ({"$unordered": [1, 2, 2]}, [2, 1, 2], [1, 2]),
    ({"$unordered": [{"$gt": 0}, 5]}, [5, 7], [5, 0]),
)

_MAX_PAIRS = 100  # pairs; beyond that, similar items are not searched for
_STEPS = 100
_STEPS_PER_ITEM = 15
_MAX_SORTED_DEPTH = 150
_MAX_DEPTH = 20  # levels down to which structural rules are looked for
_STRUCTURAL = ("$subset", "$unordered", "$optional")


def check(matcher: Matcher) -> str | None:
    """The value is a list."""
    is_list = isinstance(matcher.value, list | tuple)
    return None if is_list else operand_problem(matcher, "a list")


def compare(matcher: Matcher, actual: Any, context: Context) -> Verdict:
    """Whether each item has its own partner; the failed parts are the items without one.

    Raises:
        OverBudget: too many items have to be compared with each other.
    """
    if not isinstance(actual, list | tuple):
        return Verdict(matched=False, value=0.0)
    expected = matcher.value
    unmatched, rows_with_rules, places = _pair_equal_items(matcher, actual, context.budget)
    accepted = _AcceptedItems(expected, actual, places, context)
    unpaired, free = _unpaired_items(rows_with_rules, accepted)
    skipped = [row for row in unpaired if is_accepted(expected[row], ABSENT, context)]
    unmatched = sorted({*unmatched, *unpaired}.difference(skipped))
    if not unmatched and not free:
        return Verdict(matched=True)
    total = len(expected) + len(actual) - len(skipped)
    value = (total - len(unmatched) - len(free)) / total
    # Two similar objects are one difference; every other item without a partner is one.
    near = _closest_objects(expected, actual, unmatched, free, context)
    parts = [
        FailedPart(row, expected[row], actual[near[row]] if row in near else ABSENT)
        for row in unmatched
    ]
    alone = [column for column in free if column not in near.values()]
    parts += [FailedPart(column, ABSENT, actual[column]) for column in alone]
    return Verdict(matched=False, value=value, parts=tuple(parts))


def _closest_objects(
    expected: Sequence[Any],
    actual: Sequence[Any],
    unmatched: list[int],
    free: list[int],
    context: Context,
) -> dict[int, int]:
    """For expected objects without a partner: the most similar given object, if there is one."""
    if len(unmatched) * len(free) > _MAX_PAIRS:
        return {}
    found: dict[int, int] = {}
    candidates = [
        (-closeness, row, column)
        for row in unmatched
        for column in free
        if (closeness := _closeness(expected[row], actual[column], context))
    ]
    for _, row, column in sorted(candidates):
        if row not in found and column not in found.values():
            found[row] = column
    return found


def _closeness(expected: Any, actual: Any, context: Context) -> float:
    """The share of the members of an object that are as wanted; 0 for anything else."""
    members = (
        expected.value if isinstance(expected, Matcher) and expected.key == "$subset" else expected
    )
    if not isinstance(members, dict) or not isinstance(actual, dict):
        return 0.0
    alike = [
        key in actual and is_accepted(value, actual[key], context) for key, value in members.items()
    ]
    return sum(alike) / max(len(alike), len(actual), 1)


def _pair_equal_items(
    matcher: Matcher, actual: Sequence[Any], budget: Budget
) -> tuple[list[int], list[int], _Places]:
    """Pair plain items with equal ones, and return the rest: unmatched items, rules, given items.

    A plain item can only be paired with an equal one, and equal items are interchangeable for the
    rules, so that pairing these first takes no partner from a rule. If all arrays inside the
    items are unordered and there are no other rules, items are equal if they are when sorted.
    """
    budget.has_unordered = True
    budget.spend(_STEPS + _STEPS_PER_ITEM * (len(matcher.value) + len(actual)), KEYS[0])
    kinds = budget.about(matcher, _expected_kinds)
    find_kind = _kind_in_any_order if None not in kinds else fingerprint
    places: _Places = defaultdict(list)
    for column in reversed(range(len(actual))):
        item = actual[column]
        is_nested = isinstance(item, list | tuple | dict)
        places[budget.about(item, find_kind) if is_nested else fingerprint(item)].append(column)
    unmatched: list[int] = []
    rows_with_rules: list[int] = []
    for row, kind in enumerate(kinds):
        if kind is None:
            kind = budget.about(matcher.value[row], _plain_kind)  # noqa: PLW2901  (of other items)
        if kind is None:
            rows_with_rules.append(row)
        elif columns := places.get(kind):
            columns.pop()
        else:
            unmatched.append(row)
    left = {kind: columns for kind, columns in places.items() if columns}
    return unmatched, rows_with_rules, left


def _expected_kinds(matcher: Matcher) -> list[str | None]:
    """The kind of each item by `_kind_in_any_order`; None for all if any has another rule."""
    kinds = [_unordered_kind(item) for item in matcher.value]
    return [None] * len(kinds) if None in kinds else kinds


def _plain_kind(item: Any) -> str | None:
    """The fingerprint of an item; None if it contains rules."""
    return None if contains_matchers(item) else fingerprint(item)


def _unordered_kind(item: Any) -> str | None:
    """As `_kind_in_any_order` for an expected item; None if it has other rules, or ordered arrays."""
    if isinstance(item, Matcher):
        is_array = item.key == KEYS[0] and isinstance(item.value, list | tuple)
        return _joined(map(_unordered_kind, item.value), "[]") if is_array else None
    if isinstance(item, dict):
        kinds = [(key, _unordered_kind(member)) for key, member in item.items()]
        return _joined([kind and f"{fingerprint(key)}:{kind}" for key, kind in kinds], "{}")
    return None if isinstance(item, list | tuple) else fingerprint(item)


def _kind_in_any_order(item: Any, depth: int = 0) -> str:
    """A text that two values share exactly when they are equal apart from the order in arrays."""
    if depth == _MAX_SORTED_DEPTH:  # deeper than arrays can be unordered
        return fingerprint(item)
    if isinstance(item, dict):
        members = [
            f"{fingerprint(key)}:{_kind_in_any_order(member, depth + 1)}"
            for key, member in item.items()
        ]
        return _joined(members, "{}") or ""
    if isinstance(item, list | tuple):
        return _joined([_kind_in_any_order(member, depth + 1) for member in item], "[]") or ""
    return fingerprint(item)


def _joined(kinds: Iterable[str | None], brackets: str) -> str | None:
    """Kinds in an order that does not depend on theirs; None if one of them is."""
    found = list(kinds)
    if None in found:
        return None
    return brackets[0] + ",".join(sorted(filter(None, found))) + brackets[1]


# The positions of the given items of each kind, last first.
_Places = dict[str, list[int]]


class _AcceptedItems:
    """Which given items each rule accepts; equal items are compared once."""

    def __init__(
        self, expected: Sequence[Any], actual: Sequence[Any], places: _Places, context: Context
    ) -> None:
        self.wanted, self.actual, self.context = expected, actual, context
        self.places = places
        self.kinds = {columns[0]: _bits(columns) for columns in places.values()}
        self.firsts = _bits(list(self.kinds))
        self.columns = sum(self.kinds.values())
        self.known: dict[str, int] = {}

    def accepts(self, row: int, column: int) -> bool:
        """Whether a rule accepts an item."""
        return self.context.compare(self.wanted[row], self.actual[column]).matched

    def accepted_columns(self, row: int) -> int:
        """All items that a rule accepts."""
        kind = self.context.budget.about(self.wanted[row], fingerprint)
        if kind not in self.known:
            possible = columns_in(self._possible(self.wanted[row]))
            self.known[kind] = sum(
                self.kinds[first] for first in possible if self.accepts(row, first)
            )
        return self.known[kind]

    def _possible(self, item: Any) -> int:
        """The first item of each kind, without objects that lack a plain member of the rule."""
        possible = self.firsts
        item = item.value if isinstance(item, Matcher) and item.key == "$subset" else item
        for key, member in item.items() if isinstance(item, dict) else ():
            if not contains_matchers(member):
                possible &= self._by_member.get((key, fingerprint(member)), 0)
        return possible

    @cached_property
    def _by_member(self) -> dict[tuple[str, str], int]:
        """The first object of each kind, by its members."""
        found: dict[tuple[str, str], int] = defaultdict(int)
        for first in self.kinds:
            item = self.actual[first]
            for key, member in item.items() if isinstance(item, dict) else ():
                found[key, fingerprint(member)] |= 1 << first
        return found

    def likely_columns(self, row: int, free: int) -> Iterator[int]:
        """The free items that a rule most likely accepts: an equal, the first, and the last."""
        equals = self.places.get(self.context.budget.about(self.wanted[row], _likely_kind), ())
        yield from [column for column in equals if free >> column & 1][-1:]
        if free:
            yield (free & -free).bit_length() - 1
            yield free.bit_length() - 1


def _likely_kind(item: Any) -> str:
    """The fingerprint of the value that a rule most likely stands for."""
    return fingerprint(unwrap_matchers(item, keys=_STRUCTURAL, depth=_MAX_DEPTH))


def _bits(columns: list[int]) -> int:
    return sum(1 << column for column in columns)


def _unpaired_items(rows: list[int], fitting: _AcceptedItems) -> tuple[list[int], list[int]]:
    """The rows and the columns without a partner in the largest pairing.

    Rows that need a partner come first, and never lose it to one that does not.
    """
    partners = BipartiteMatching(
        fitting.columns, fitting.accepted_columns, fitting.context.budget, KEYS[0]
    )
    optional = [row for row in rows if is_accepted(fitting.wanted[row], ABSENT, fitting.context)]
    required = sorted(set(rows).difference(optional))
    unpaired: list[int] = []
    for group in (required, optional):
        for row in group:  # a good guess saves most comparisons, and a bad one costs nothing
            for column in fitting.likely_columns(row, partners.free):
                if fitting.accepts(row, column):
                    partners.take(row, column)
                    break
        unpaired += partners.grow(group)
    return unpaired, columns_in(partners.free)
