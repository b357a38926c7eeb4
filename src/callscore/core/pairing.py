"""Which expected call is paired with which actual call.

A pairing is one to one and joins equal names only. Of all pairings that the order allows, the best
has the most correct pairs, then the most equal pairs, then the greatest total overlap, then the
most pairs. Of several best ones it is the first: each expected call, in order, has the earliest
actual call that it can have.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import islice, pairwise
from math import lcm
from operator import sub
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from callscore.core.arguments import (
    UNREADABLE,
    Grade,
    grade_calls,
    is_close_enough,
    overlap_ratio,
)
from callscore.core.assignment import assign, columns_in
from callscore.core.call import NOT_CAPTURED
from callscore.core.equality import equal_objects, fingerprint
from callscore.core.rules import contains_matchers

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from callscore.core.arguments import ExpectedArguments
    from callscore.core.assignment import Levels
    from callscore.core.budget import Budget
    from callscore.core.call import ToolCall
    from callscore.core.settings import Settings

__all__ = [
    "CallIndex",
    "Match",
    "PairWeights",
    "is_correct_pair",
    "match_calls",
    "match_in_order",
    "weigh_pairs",
]


# Positions of an expected and of an actual call, and whether they make a correct pair.
Match = tuple[int, int, bool]


class PairWeights(NamedTuple):
    """What pairing one expected call with each actual call is worth.

    Attributes:
        levels: each worth above zero, and the columns that have it.
        correct: the columns that would make a correct pair.
    """

    levels: Levels
    correct: int
    same_tool: int


# Up to this many pairs, comparing them one by one is faster than building an index.
_MAX_UNINDEXED_PAIRS = 16
_PLAIN = (dict, type(None))


def weigh_pairs(
    expected: Sequence[ToolCall],
    actual: Sequence[ToolCall],
    settings: Settings,
    budget: Budget,
) -> list[PairWeights]:
    """What every possible pair is worth, as integers that add up.

    One correct pair outweighs all equal pairs, and one equal pair all overlaps, so that the
    heaviest pairing is the one that the module docstring describes.
    """
    if len(expected) * len(actual) <= _MAX_UNINDEXED_PAIRS:
        graded = _grade_one_by_one(expected, actual, settings)
    else:
        index = CallIndex(actual, settings, budget)
        graded = [index.graded(call) for call in expected]
    scale = lcm(*{whole for _, grades in graded for _, _, _, whole in grades})
    most_pairs = min(len(expected), len(actual))
    equal_worth = scale * most_pairs + 1
    correct_worth = equal_worth * (most_pairs + 1)
    rows: list[PairWeights] = []
    for same_tool, grades in graded:
        levels: dict[int, int] = {}
        correct = 0
        for (is_correct, is_equal, part, whole), columns in grades.items():
            worth = is_correct * correct_worth + is_equal * equal_worth + part * (scale // whole)
            if worth:
                levels[worth] = levels.get(worth, 0) | columns
            if is_correct:
                correct |= columns
        rows.append(PairWeights(sorted(levels.items(), reverse=True), correct, same_tool))
    return rows


# Of one expected call: the columns of the same tool, and the columns of each grade.
_Graded = tuple[int, dict[Grade, int]]


def _grade_one_by_one(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], settings: Settings
) -> list[_Graded]:
    rows: list[_Graded] = []
    for wanted in expected:
        same_tool = 0
        grades: dict[Grade, int] = {}
        for column, given in enumerate(actual):
            if wanted.name == given.name:
                same_tool |= 1 << column
                found = grade_calls(wanted, given, settings)
                grades[found] = grades.get(found, 0) | 1 << column
        rows.append((same_tool, grades))
    return rows


# Some actual calls, each with its bit.
_Columns = list[tuple[int, "ToolCall"]]


class CallIndex:
    """Actual calls, indexed for comparison with expected calls."""

    def __init__(self, actual: Sequence[ToolCall], settings: Settings, budget: Budget) -> None:
        self.settings = settings
        self.budget = budget
        self.columns: dict[str, _Columns] = {}
        for column, call in enumerate(actual):
            self.columns.setdefault(call.name, []).append((1 << column, call))
        self.same_tool = {name: sum(bit for bit, _ in made) for name, made in self.columns.items()}
        self.indexes: dict[tuple[str, frozenset[str] | None], _Index] = {}

    def grades(self, call: ToolCall) -> dict[Grade, int]:
        """The grades of an expected call with each actual call of the same tool."""
        rest, grades = self.graded(call)
        for columns in grades.values():
            rest &= ~columns
        return {**grades, UNREADABLE: grades.get(UNREADABLE, 0) | rest} if rest else grades

    def graded(self, call: ToolCall) -> _Graded:
        """The actual calls of the same tool, and the grades of an expected call with each of them."""
        name, expected = call.name, call.arguments
        demands = None if expected.__class__ in _PLAIN else cast("ExpectedArguments", expected)
        # Which arguments of the actual calls count depends on nothing else.
        kind = name, None if demands is None else demands.kept
        if kind not in self.indexes:
            index = self.indexes[kind] = _Index(self.budget)
            for bit, actual in self.columns.get(name, ()):
                given = actual.arguments or {}
                index.add(bit, actual, given if demands is None else demands.counted(given))
        grades = self.indexes[kind].grades(expected, demands, self.settings)
        return self.same_tool.get(name, 0), grades


class _Index:
    """The actual calls of one tool by what they have in common."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.readable = 0  # those whose arguments could be parsed
        self.acceptable = 0  # and those that are accepted where any arguments are
        self.by_value: dict[str, dict[Hashable, int]] = {}
        self.by_keys: dict[frozenset[str], int] = {}
        self.values: dict[tuple[str, Hashable], Any] = {}
        self.answers: dict[tuple[str, str], int] = {}  # by argument and demand
        self.splits: dict[tuple[frozenset[str], frozenset[str]], _Splits] = {}

    def add(self, bit: int, call: ToolCall, arguments: dict[str, Any]) -> None:
        """Add one actual call, and those of its arguments that count."""
        if call.error is not None:
            self.acceptable |= bit if call.error == NOT_CAPTURED else 0
            return
        self.acceptable |= bit
        self.readable |= bit
        for key, value in arguments.items():
            holders = self.by_value.setdefault(key, {})
            token = _hashable(value)
            holders[token] = holders.get(token, 0) | bit
            self.values[key, token] = value
        keys = frozenset(arguments)
        self.by_keys[keys] = self.by_keys.get(keys, 0) | bit

    def grades(
        self,
        arguments: dict[str, Any] | None,
        demands: ExpectedArguments | None,
        settings: Settings,
    ) -> dict[Grade, int]:
        """The grades of these expected arguments, each with the columns that have it."""
        if arguments is None:
            return {(True, False, 1, 1): self.acceptable} if self.acceptable else {}
        found: dict[Grade, int] = {}
        splits = self._splits(arguments, demands)
        groups = self._matches(arguments, demands)
        unit = 1 + (self.readable.bit_length() >> 11)  # one operation on so many columns
        self.budget.spend((len(arguments) ** 2 + len(groups) * len(splits)) * unit, _PAIRING)
        for matched, columns in groups:
            for (expected, actual, shared), having in splits.items():
                alike = having & columns
                if not alike:
                    continue
                part, whole = overlap_ratio(
                    matched,
                    expected=expected,
                    actual=actual,
                    shared=shared,
                    extra_arguments=settings.extra_arguments,
                )
                is_equal = matched == expected == shared == actual
                is_correct = is_equal or is_close_enough(part, whole, settings)
                # As `grade_calls` does: calls with different numbers of arguments may be equal.
                result = (True, True, 1, 1) if is_equal else (is_correct, False, part, whole)
                found[result] = found.get(result, 0) | alike
        return found

    def _matches(
        self, arguments: dict[str, Any], demands: ExpectedArguments | None
    ) -> list[tuple[int, int]]:
        """For each number of matched arguments, the columns that match as many."""
        at_least = [self.readable] + [0] * (len(arguments) + 1)
        for seen, (key, value) in enumerate(arguments.items()):
            holders = self.by_value.get(key)
            if not holders:
                continue
            if demands is None or not contains_matchers(value):
                columns = holders.get(_hashable(value), 0)
            else:
                columns = self._accepted(key, demands)
            if columns:
                for matched in range(seen, -1, -1):
                    at_least[matched + 1] |= at_least[matched] & columns
        return [
            (matched, more ^ enough)
            for matched, (more, enough) in enumerate(pairwise(at_least))
            if more != enough
        ]

    def _accepted(self, key: str, demands: ExpectedArguments) -> int:
        """The columns with a value that a rule accepts; each value is compared once."""
        asked = key, fingerprint(demands[key])
        if asked not in self.answers:
            columns = 0
            for token, having in self.by_value[key].items():
                if demands.accepts(key, self.values[key, token]):
                    columns |= having
            self.answers[asked] = columns
        return self.answers[asked]

    def _splits(self, arguments: dict[str, Any], demands: ExpectedArguments | None) -> _Splits:
        """The columns grouped by how many arguments are expected, given, and both."""
        omittable = frozenset() if demands is None else demands.omittable
        kind = frozenset(arguments), omittable
        found = self.splits.get(kind)
        if found is None:
            found = self.splits[kind] = {}
            self.budget.spend(5 * len(self.by_keys), _PAIRING)
            for keys, having in self.by_keys.items():
                shared = len(kind[0] & keys)
                split = len(arguments) - len(omittable - keys), len(keys), shared
                found[split] = found.get(split, 0) | having
        return found


# The columns by how many arguments are expected, given, and both.
_Splits = dict[tuple[int, int, int], int]
_PAIRING = "order 'any'"


def _hashable(value: Any) -> Hashable:
    """A hashable key: two are equal exactly when the values are the same JSON value."""
    kind = value.__class__
    is_own = kind is str or kind is int or value is None
    is_own = is_own or (kind is float and value == value)  # noqa: PLR0124  (all but NaN)
    return value if is_own else (fingerprint(value),)


# --- pairings in which no two pairs cross: the calls were made in the expected order -----------

# Up to this share of the columns, handling them one by one is faster than all of them at once.
_SPARSE = 8
_MAX_UNESTIMATED_PAIRS = 1_000_000
_IN_ORDER = "order 'in_order'"


def match_in_order(
    expected: Sequence[ToolCall],
    actual: Sequence[ToolCall],
    start: int,
    settings: Settings,
    budget: Budget,
) -> list[Match]:
    """The best pairing without crossings of the calls from `start` on, the first of several."""
    if len(expected) * len(actual) > _MAX_UNESTIMATED_PAIRS:
        _require_budget(expected[start:], actual[start:], budget)
    rows = weigh_pairs(expected[start:], actual[start:], settings, budget)
    more_pairs = len(rows) + 1  # so that the number of pairs decides last
    weights = [_pair_weights(row, more_pairs) for row in rows]
    worths = _best_worths(weights, len(actual) - start, budget)
    found: list[Match] = []
    free = 0
    for position, row in enumerate(rows):
        column = _first_taken(weights[position], worths[position], worths[position + 1], free)
        if column is not None:
            is_correct = bool(row.correct >> column & 1)
            found.append((start + position, start + column, is_correct))
            free = column + 1
    return found


def _pair_weights(row: PairWeights, more_pairs: int) -> Levels:
    """The worth of the pairs of a row, the number of pairs included, and their columns."""
    levels = [(worth * more_pairs + 1, columns) for worth, columns in row.levels]
    rest = row.same_tool
    for _, columns in levels:
        rest &= ~columns
    return [*levels, (1, rest)] if rest else levels


def _best_worths(rows: list[Levels], width: int, budget: Budget) -> list[list[int]]:
    """For each row and each column: the worth of the best pairing of all that follows both.

    It is negative, so that it never falls from one column to the next, and can be bisected.
    """
    counts = [sum([columns.bit_count() for _, columns in levels]) for levels in rows]
    budget.spend(sum([_row_steps(pairs, width) for pairs in counts]), _IN_ORDER)
    below = [0] * (width + 1)
    found = [below]
    for levels, pairs in zip(reversed(rows), reversed(counts), strict=True):
        if pairs:  # else the same list, so that it takes no memory
            is_sparse = pairs * _SPARSE < width
            below = (_with_few_pairs if is_sparse else _with_many_pairs)(levels, below)
        found.append(below)
    found.reverse()
    return found


def _row_steps(pairs: int, width: int) -> int:
    """The steps for a row with this number of pairs; the width is also for its memory."""
    if not pairs:
        return 1
    return 10 * pairs + width // 3 if pairs * _SPARSE < width else width


def _require_budget(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], budget: Budget
) -> None:
    """Refuse too many calls before any of them are compared.

    Raises:
        OverBudget: more steps are needed than are left.
    """
    made = Counter([call.name for call in actual])
    steps = sum([_row_steps(made[call.name], len(actual)) for call in expected])
    if steps > budget.left:
        budget.spend(steps, _IN_ORDER)


def _with_few_pairs(levels: Levels, below: list[int]) -> list[int]:
    here = below[:]
    for worth, columns in levels:
        for column in columns_in(columns):
            value = below[column + 1] - worth
            if value < here[column]:
                first = bisect_right(here, value, 0, column + 1)
                here[first : column + 1] = [value] * (column + 1 - first)
    return here


def _with_many_pairs(levels: Levels, below: list[int]) -> list[int]:
    width = len(below) - 1
    others = (1 << width) - 1
    for _, columns in levels:
        others &= ~columns
    # The worth of most columns is set at once; a negative one is never taken.
    levels = [*levels, (-1, others)] if others else levels
    common, most = max(levels, key=_number_of_columns) if len(levels) > 1 else levels[0]
    worths = [common] * width
    for worth, columns in levels:
        if columns != most:
            for column in columns_in(columns):
                worths[column] = worth
    worths.reverse()
    best = 0
    here = [0]
    here += [
        best := (min(best, rest)) if pair >= rest or pair >= best else pair
        for pair, rest in zip(
            map(sub, reversed(below), worths), islice(reversed(below), 1, None), strict=True
        )
    ]
    here.reverse()
    return here


def _number_of_columns(level: tuple[int, int]) -> int:
    return level[1].bit_count()


def _first_taken(levels: Levels, here: list[int], below: list[int], free: int) -> int | None:
    """The first free column that a row has in a best pairing; None if it has none."""
    value = here[free]
    # Up to the end, the best pairing may leave columns out.
    end = bisect_right(here, value, free)
    found = end
    for worth, columns in levels:
        first = bisect_left(below, value + worth, free + 1)
        last = bisect_right(below, value + worth, first)
        # One column to the left of where the rest is worth as much as it has to be.
        possible = columns >> first - 1 & ((1 << max(last - first, 0)) - 1)
        if possible:
            column = first - 1 + (possible & -possible).bit_length() - 1
            found = min(found, column)
    return found if found < min(end, len(here) - 1) else None


# Positions of calls of one tool: on the expected and on the actual side.
_Group = tuple[list[int], list[int]]
# Up to this many pairs of one tool, weighing them all is faster than computing fingerprints.
_MAX_COMPARED_PAIRS = 64
# In place of arguments that could not be parsed: equal to no others.
_UNREADABLE: dict[str, Any] = {"": object()}


def match_calls(
    expected: Sequence[ToolCall],
    actual: Sequence[ToolCall],
    start: int,
    settings: Settings,
    budget: Budget,
) -> list[Match]:
    """The best pairing of the calls from position `start` on, in the order of the expected ones.

    Raises:
        OverBudget: that takes too many steps.
    """
    budget.calls = len(expected), len(actual)
    if settings.order == "any":
        return _match_any(expected, actual, start, settings, budget)
    if settings.order == "in_order":
        return match_in_order(expected, actual, start, settings, budget)
    return [
        (position, position, is_correct_pair(expected[position], actual[position], settings))
        for position in range(start, min(len(expected), len(actual)))
        if expected[position].name == actual[position].name
    ]


def is_correct_pair(expected: ToolCall, actual: ToolCall, settings: Settings) -> bool:
    """Whether two calls of one tool make a correct pair."""
    wanted = expected.arguments
    if settings.mode != "strict" or wanted.__class__ is not dict or actual.error is not None:
        return grade_calls(expected, actual, settings)[0]
    return equal_objects(wanted, actual.arguments or {})


def _match_any(
    expected: Sequence[ToolCall],
    actual: Sequence[ToolCall],
    start: int,
    settings: Settings,
    budget: Budget,
) -> list[Match]:
    rows = _positions(expected, start)
    columns = _positions(actual, start)
    matches: list[Match] = []
    for name, group in rows.items():
        others = columns.get(name, [])
        if len(group) == len(others) == 1:
            row, column = group[0], others[0]
            matches.append((row, column, is_correct_pair(expected[row], actual[column], settings)))
        elif others:
            matches += _match_tool(expected, actual, (group, others), settings, budget)
    matches.sort()
    return matches


def _positions(calls: Sequence[ToolCall], start: int) -> dict[str, list[int]]:
    """Where each tool is called, from position `start` on."""
    found: dict[str, list[int]] = {}
    for position in range(start, len(calls)):
        name = calls[position].name
        if name in found:
            found[name].append(position)
        else:
            found[name] = [position]
    return found


def _match_tool(
    expected: Sequence[ToolCall],
    actual: Sequence[ToolCall],
    group: _Group,
    settings: Settings,
    budget: Budget,
) -> list[Match]:
    """The best pairing of the calls of one tool."""
    rows, columns = group
    matches: list[Match] = []
    if settings.mode == "strict" and len(rows) > 1 and len(columns) > 1:
        matches, (rows, columns) = _pair_equal_calls(expected, actual, group)
    if min(len(rows), len(columns)) == 1:
        matches.append(_closest(expected, actual, (rows, columns), settings))
    elif rows and columns:
        closeness = weigh_pairs(
            [expected[row] for row in rows], [actual[c] for c in columns], settings, budget
        )
        assigned = assign([found.levels for found in closeness], len(columns), budget)
        for row, found, column in zip(rows, closeness, assigned, strict=True):
            if column is not None:
                matches.append((row, columns[column], bool(found.correct >> column & 1)))
    return matches


def _closest(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], group: _Group, settings: Settings
) -> Match:
    """The best pair if one side has only one call; the first of several."""
    candidates = [(row, column) for row in group[0] for column in group[1]]
    row, column = candidates[0]
    best = grade_calls(expected[row], actual[column], settings)
    for next_row, next_column in candidates[1:]:
        found = grade_calls(expected[next_row], actual[next_column], settings)
        has_more_overlap = found[2] * best[3] > best[2] * found[3]
        if found[:2] > best[:2] or (found[:2] == best[:2] and has_more_overlap):
            row, column, best = next_row, next_column, found
    return row, column, best[0]


def _pair_equal_calls(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], group: _Group
) -> tuple[list[Match], _Group]:
    """Strict mode: the equal pairs that every best pairing has, and the calls that are left.

    Where one side has no calls left over, these are all pairs. Otherwise calls that both sides have
    equally often are paired in order; calls that one side has more often are all left, because it
    is still open which of the copies are paired.
    """
    if any(expected[row].arguments.__class__ is not dict for row in group[0]):
        return [], group  # calls that accept any arguments, or have rules, may take others
    is_few = len(group[0]) * len(group[1]) <= _MAX_COMPARED_PAIRS
    kinds = (_group_equal_by_comparing if is_few else _group_equal_by_fingerprint)(
        expected, actual, group
    )
    spare_rows = spare_columns = False
    for rows, columns in kinds:
        spare_rows = spare_rows or len(rows) > len(columns)
        spare_columns = spare_columns or len(rows) < len(columns)
    matches: list[Match] = []
    left: _Group = ([], [])
    for rows, columns in kinds:
        if spare_rows and spare_columns and len(rows) != len(columns):
            left[0].extend(rows)
            left[1].extend(columns)
        else:
            matches += [(row, column, True) for row, column in zip(rows, columns, strict=False)]
    left[0].sort()
    left[1].sort()
    return matches, left


def _group_equal_by_comparing(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], group: _Group
) -> list[_Group]:
    """Group equal calls of one tool by comparing each with each."""
    seen: list[tuple[dict[str, Any], _Group]] = []
    for side, calls in enumerate((expected, actual)):
        for position in group[side]:
            _equal_calls_of(calls[position], seen)[side].append(position)
    return [kind for _, kind in seen]


def _equal_calls_of(call: ToolCall, seen: list[tuple[dict[str, Any], _Group]]) -> _Group:
    """The group of calls that are equal to this one, possibly a new one."""
    arguments = call.arguments or {}
    if call.error is None:
        for known, kind in seen:
            if equal_objects(known, arguments):
                return kind
    else:
        arguments = _UNREADABLE
    kind = ([], [])
    seen.append((arguments, kind))
    return kind


def _group_equal_by_fingerprint(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], group: _Group
) -> list[_Group]:
    """The same by fingerprints: linear in the number of calls."""
    seen: dict[str, _Group] = {}
    for side, calls in enumerate((expected, actual)):
        for position in group[side]:
            call = calls[position]
            # No fingerprint of an object is a number, so each unreadable call is its own kind.
            kind = str(position) if call.error is not None else fingerprint(call.arguments or {})
            seen.setdefault(kind, ([], []))[side].append(position)
    return list(seen.values())
