"""Which expected call is paired with which actual call.

A pairing is one to one and joins equal names only. Of all pairings that the order allows, the best
has the most correct pairs, then the most equal pairs, then the greatest total overlap, then the
most pairs. Of several best ones it is the first: each expected call, in order, has the earliest
actual call that it can have.
"""

from __future__ import annotations

from itertools import pairwise
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from callscore.core.arguments import Grade, grade_calls, is_close_enough, overlap_ratio
from callscore.core.assignment import assign, columns_in
from callscore.core.call import NOT_CAPTURED
from callscore.core.equality import equal_objects, fingerprint
from callscore.core.rules import contains_matchers

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from callscore.core.arguments import ExpectedArguments
    from callscore.core.assignment import Levels
    from callscore.core.call import ToolCall
    from callscore.core.settings import Settings

__all__ = [
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
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], settings: Settings
) -> list[PairWeights]:
    """What every possible pair is worth, as integers that add up.

    One correct pair outweighs all equal pairs, and one equal pair all overlaps, so that the
    heaviest pairing is the one that the module docstring describes.
    """
    is_few = len(expected) * len(actual) <= _MAX_UNINDEXED_PAIRS
    graded = (_grade_one_by_one if is_few else _grade_by_index)(expected, actual, settings)
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


def _grade_by_index(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], settings: Settings
) -> list[_Graded]:
    by_tool: dict[str, _Columns] = {}
    for column, call in enumerate(actual):
        by_tool.setdefault(call.name, []).append((1 << column, call))
    tools: dict[str, _ToolCalls] = {}
    rows: list[_Graded] = []
    for call in expected:
        if call.name not in tools:
            tools[call.name] = _ToolCalls(by_tool.get(call.name, []))
        rows.append(tools[call.name].graded(call, settings))
    return rows


# Some actual calls, each with its bit.
_Columns = list[tuple[int, "ToolCall"]]


class _ToolCalls:
    """The actual calls of one tool, indexed for comparison with expected calls."""

    def __init__(self, columns: _Columns) -> None:
        self.columns = columns
        self.same_tool = sum(bit for bit, _ in columns)
        self.indexes: dict[frozenset[str] | None, _Index] = {}

    def graded(self, call: ToolCall, settings: Settings) -> _Graded:
        """The grades of an expected call with each of them."""
        expected = call.arguments
        demands = None if expected.__class__ in _PLAIN else cast("ExpectedArguments", expected)
        # Which arguments of the actual calls count depends on nothing else.
        kind = None if demands is None else demands.kept
        if kind not in self.indexes:
            index = self.indexes[kind] = _Index()
            for bit, actual in self.columns:
                given = actual.arguments or {}
                index.add(bit, actual, given if demands is None else demands.counted(given))
        return self.same_tool, self.indexes[kind].grades(expected, demands, settings)


class _Index:
    """The actual calls of one tool by what they have in common."""

    def __init__(self) -> None:
        self.readable = 0  # those whose arguments could be parsed
        self.acceptable = 0  # and those that are accepted where any arguments are
        self.by_value: dict[str, dict[Hashable, int]] = {}
        self.by_keys: dict[frozenset[str], int] = {}
        self.values: dict[tuple[str, Hashable], Any] = {}
        self.answers: dict[tuple[str, str], int] = {}  # by argument and demand

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
        for matched, columns in self._matches(arguments, demands):
            for (expected, actual, shared), alike in self._splits(arguments, demands, columns):
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

    def _splits(
        self, arguments: dict[str, Any], demands: ExpectedArguments | None, columns: int
    ) -> list[tuple[tuple[int, int, int], int]]:
        """The columns grouped by how many arguments are expected, given, and both."""
        omittable = frozenset() if demands is None else demands.omittable
        found: dict[tuple[int, int, int], int] = {}
        for keys, having in self.by_keys.items():
            both = having & columns
            if both:
                shared = sum(key in arguments for key in keys)
                split = len(arguments) - len(omittable - keys), len(keys), shared
                found[split] = found.get(split, 0) | both
        return list(found.items())


def _hashable(value: Any) -> Hashable:
    """A hashable key: two are equal exactly when the values are the same JSON value."""
    kind = value.__class__
    is_own = kind is str or kind is int or value is None
    is_own = is_own or (kind is float and value == value)  # noqa: PLR0124  (all but NaN)
    return value if is_own else (fingerprint(value),)


# --- pairings in which no two pairs cross: the calls were made in the expected order -----------

_TAKE = 1  # this pair is in a best pairing of what follows
_PASS = 2  # so is every pairing that leaves this actual call out


def match_in_order(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], start: int, settings: Settings
) -> list[Match]:
    """The best pairing without crossings of the calls from `start` on, the first of several."""
    rows = weigh_pairs(expected[start:], actual[start:], settings)
    choices = _choices(rows, len(actual) - start)
    found: list[Match] = []
    free = 0
    for position, (row, choice) in enumerate(zip(rows, choices, strict=True), start):
        column = free
        while choice[column] == _PASS:
            column += 1
        if choice[column] & _TAKE:
            found.append((position, start + column, bool(row.correct >> column & 1)))
            free = column + 1
    return found


def _choices(rows: list[PairWeights], width: int) -> list[bytearray]:
    """For each expected call and each column: what a best pairing does there."""
    choices: list[bytearray] = []
    below = [0] * (width + 1)  # the worth of the best pairing of all that follows, by column
    more_pairs = len(rows) + 1  # so that the number of pairs decides last
    for row in reversed(rows):
        worths = dict.fromkeys(columns_in(row.same_tool), 1)
        for worth, columns in row.levels:
            for column in columns_in(columns):
                worths[column] = worth * more_pairs + 1
        here = [0] * (width + 1)
        choice = bytearray(width + 1)
        best = 0
        for column in range(width - 1, -1, -1):
            right = best
            best = max(best, below[column])
            worth = worths.get(column, 0)
            taken = worth and worth + below[column + 1]
            if taken >= best and worth:
                best = taken
                choice[column] = _TAKE
            if best == right:
                choice[column] |= _PASS
            here[column] = best
        choices.append(choice)
        below = here
    choices.reverse()
    return choices


# Positions of calls of one tool: on the expected and on the actual side.
_Group = tuple[list[int], list[int]]
# Up to this many pairs of one tool, weighing them all is faster than computing fingerprints.
_MAX_COMPARED_PAIRS = 64
# In place of arguments that could not be parsed: equal to no others.
_UNREADABLE: dict[str, Any] = {"": object()}


def match_calls(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], start: int, settings: Settings
) -> list[Match]:
    """The best pairing of the calls from position `start` on, in the order of the expected ones."""
    if settings.order == "any":
        return _match_any(expected, actual, start, settings)
    if settings.order == "in_order":
        return match_in_order(expected, actual, start, settings)
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
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], start: int, settings: Settings
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
            matches += _match_tool(expected, actual, (group, others), settings)
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
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], group: _Group, settings: Settings
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
            [expected[row] for row in rows], [actual[c] for c in columns], settings
        )
        assigned = assign([found.levels for found in closeness], len(columns))
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
