"""What each pair of an expected and an actual call is worth.

The actual calls are indexed by their arguments, so that an expected call is compared with all of
them at once. A set of actual calls is an integer used as a bit set: `columns`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from callscore.core.arguments import (
    UNREADABLE,
    ExpectedArguments,
    Grade,
    grade_calls,
    is_close_enough,
    overlap_ratio,
)
from callscore.core.assignment import Levels, set_of
from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.core.equality import fingerprint
from callscore.core.rates import HIGHEST, FreeAt
from callscore.core.rules import contains_matchers

if TYPE_CHECKING:
    from callscore.core.budget import Budget
    from callscore.core.settings import ExtraArguments, Settings


class PairWeights(NamedTuple):
    """What pairing one expected call with each actual call is worth.

    Attributes:
        levels: each worth above zero, and the columns that have it.
        correct: the columns that would make a correct pair.
        same_tool: the columns that can make a pair at all.
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
    at: FreeAt | None = None,
) -> list[PairWeights]:
    """What every possible pair is worth, as integers that add up."""
    weigher = Weigher(expected, actual, settings, budget, at)
    return [weigher.row(position) for position in range(len(expected))]


# Of one expected call: the columns of the same tool, and the columns of each grade.
_Graded = tuple[int, dict[Grade, int]]


class Weigher:
    """Weighs the pairs of one expected call after the other, as integers that add up.

    One correct pair outweighs all equal pairs, and one equal pair all overlaps, so that the
    heaviest pairing is the one that `core/pairing.py` describes. If some columns are free, what the
    pairs add to F1 outweighs all of these.
    """

    def __init__(
        self,
        expected: Sequence[ToolCall],
        actual: Sequence[ToolCall],
        settings: Settings,
        budget: Budget,
        at: FreeAt | None = None,
    ) -> None:
        self._graded: list[_Graded] = []
        self._rows: list[_Row] = []
        denominators: set[int]
        if len(expected) * len(actual) <= _MAX_UNINDEXED_PAIRS:
            self._graded = _grade_one_by_one(expected, actual, settings)
            denominators = {whole for _, grades in self._graded for *_, whole in grades}
        else:
            index = CallIndex(actual, settings, budget)
            self._rows = [index.row(call) for call in expected]
            denominators = _denominators(self._rows, settings)
        self._scale = lcm(*denominators)
        most_pairs = min(len(expected), len(actual))
        self._equal_worth = self._scale * most_pairs + 1
        self._correct_worth = self._equal_worth * (most_pairs + 1)
        self._free, rate = at or (0, HIGHEST)
        unit = self._correct_worth * (most_pairs + 1) if at is not None else 0
        self._free_worth = self._correct_worth + (2 * rate.whole - rate.part) * unit
        self._correct_worth += 2 * rate.whole * unit

    def row(self, position: int, *, is_first: bool = True) -> PairWeights:
        """What the pairs of the expected call at this position are worth.

        Weighing them again, with `is_first` unset, takes nothing from the budget.
        """
        if self._graded:
            same_tool, grades = self._graded[position]
        else:
            same_tool, grades = self._rows[position].graded(is_counted=is_first)
        levels: dict[int, int] = {}
        correct = 0
        for (is_correct, is_equal, part, whole), columns in grades.items():
            worth = part * (self._scale // whole)
            counted = columns
            if is_equal:
                worth += self._equal_worth
            if is_correct:
                correct |= columns
                counted &= ~self._free
                if counted != columns:
                    value = worth + self._free_worth
                    levels[value] = levels.get(value, 0) | columns ^ counted
                worth += self._correct_worth
            if worth and counted:
                levels[worth] = levels.get(worth, 0) | counted
        return PairWeights(sorted(levels.items(), reverse=True), correct, same_tool)


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


def _denominators(rows: Iterable[_Row], settings: Settings) -> set[int]:
    """Every denominator that an overlap may have; most rows share their splits."""
    splits = {id(row.splits): row.splits for row in rows}
    return {
        _overlap(0, split, settings.extra_arguments)[1]
        for found in splits.values()
        for split in found
    }


# How many arguments are expected, given, and both; and the columns for which that is so.
_Split = tuple[int, int, int]
_Splits = dict[_Split, int]


def _overlap(matched: int, split: _Split, extra_arguments: ExtraArguments) -> tuple[int, int]:
    expected, actual, shared = split
    return overlap_ratio(
        matched, expected=expected, actual=actual, shared=shared, extra_arguments=extra_arguments
    )


class CallIndex:
    """Actual calls, indexed for comparison with expected calls."""

    def __init__(self, actual: Sequence[ToolCall], settings: Settings, budget: Budget) -> None:
        self.settings = settings
        self.budget = budget
        self.columns: dict[str, list[tuple[int, ToolCall]]] = {}
        for column, call in enumerate(actual):
            self.columns.setdefault(call.name, []).append((column, call))
        self.same_tool = {
            name: set_of([column for column, _ in made]) for name, made in self.columns.items()
        }
        self.width = len(actual)
        self.indexes: dict[tuple[str, tuple[frozenset[str], ...] | None], _Index] = {}

    def grades(self, call: ToolCall) -> dict[Grade, int]:
        """The grades of an expected call with each actual call of the same tool."""
        rest, grades = self.graded(call)
        for columns in grades.values():
            rest &= ~columns
        return {**grades, UNREADABLE: grades.get(UNREADABLE, 0) | rest} if rest else grades

    def graded(self, call: ToolCall) -> _Graded:
        """The actual calls of the same tool, and the grades of an expected call with each of them."""
        return self.row(call).graded(is_counted=True)

    def row(self, call: ToolCall) -> _Row:
        """An expected call, ready for comparison with each actual call of the same tool."""
        name, expected = call.name, call.arguments
        demands = None if expected.__class__ in _PLAIN else cast("ExpectedArguments", expected)
        # Which arguments of the actual calls count depends on nothing else.
        kind = name, None if demands is None else demands.selection
        index = self.indexes.get(kind)
        if index is None:
            index = self.indexes[kind] = _Index(self.width, self.settings, self.budget)
            for column, actual in self.columns.get(name, ()):
                given = actual.arguments or {}
                index.add(column, actual, given if demands is None else demands.counted(given))
        splits = {} if expected is None else index.splits_of(expected, demands)
        return _Row(index, self.same_tool.get(name, 0), expected, demands, splits)


class _Row(NamedTuple):
    """One expected call, ready for comparison with the actual calls of an index."""

    calls: _Index
    same_tool: int
    arguments: dict[str, Any] | None
    demands: ExpectedArguments | None
    splits: _Splits

    def graded(self, *, is_counted: bool) -> _Graded:
        """The columns of the same tool, and those of each grade; the budget counts the work."""
        calls, same_tool, arguments, demands, splits = self
        if arguments is None:
            accepted = calls.acceptable
            return same_tool, {(True, False, 1, 1): accepted} if accepted else {}
        groups = calls.matches(arguments, demands)
        if is_counted:
            unit = 1 + (calls.readable.bit_length() >> 11)  # one operation on so many columns
            steps = (len(arguments) ** 2 + len(groups) * len(splits)) * unit
            calls.budget.spend(steps, _PAIRING)
        found: dict[Grade, int] = {}
        for matched, columns in groups:
            for split, having in splits.items():
                alike = having & columns
                if alike:
                    grade = calls.grade(matched, split)
                    found[grade] = found.get(grade, 0) | alike
        return same_tool, found


# Columns: a set of them, or a list where they are few of very many, to save memory.
_Columns = Any
_MANY_COLUMNS = 512
_FEW = 16
_PAIRING = "order 'any'"


class _Index:
    """The actual calls of one tool by what they have in common."""

    def __init__(self, width: int, settings: Settings, budget: Budget) -> None:
        self.settings = settings
        self.budget = budget
        self.readable = 0  # those whose arguments could be parsed
        self.acceptable = 0  # and those that are accepted where any arguments are
        self._are_many = width > _MANY_COLUMNS
        self._by_value: dict[str, dict[Hashable, _Columns]] = {}
        self._by_keys: dict[frozenset[str], int] = {}
        self._values: dict[tuple[str, Hashable], Any] = {}
        self._answers: dict[tuple[str, str], int] = {}  # by argument and demand
        self._splits: dict[tuple[frozenset[str], frozenset[str]], _Splits] = {}
        self._grades: dict[tuple[int, _Split], Grade] = {}

    def add(self, column: int, call: ToolCall, arguments: dict[str, Any]) -> None:
        """Add one actual call, and those of its arguments that count."""
        bit = 1 << column
        if call.error is not None:
            self.acceptable |= bit if call.error == NOT_CAPTURED else 0
            return
        self.acceptable |= bit
        self.readable |= bit
        for key, value in arguments.items():
            holders = self._by_value.setdefault(key, {})
            token = _hashable(value)
            holders.setdefault(token, []).append(column)
            self._values[key, token] = value
        keys = frozenset(arguments)
        self._by_keys[keys] = self._by_keys.get(keys, 0) | bit

    def grade(self, matched: int, split: _Split) -> Grade:
        """The grade of a pair with this number of matched arguments."""
        known = self._grades.get((matched, split))
        if known is None:
            part, whole = _overlap(matched, split, self.settings.extra_arguments)
            expected, actual, shared = split
            # As `grade_calls` does: calls with different numbers of arguments may be equal.
            if matched == expected == shared == actual:
                known = True, True, 1, 1
            else:
                known = is_close_enough(part, whole, self.settings), False, part, whole
            self._grades[matched, split] = known
        return known

    def matches(
        self, arguments: dict[str, Any], demands: ExpectedArguments | None
    ) -> list[tuple[int, int]]:
        """For each number of matched arguments, the columns that match as many."""
        at_least = [self.readable]
        for key, value in arguments.items():
            holders = self._by_value.get(key)
            if not holders:
                continue
            if demands is None or not contains_matchers(value):
                columns = self._columns(holders, _hashable(value))
            else:
                columns = self._accepted(key, demands)
            if columns:
                more = at_least[-1] & columns
                for matched in range(len(at_least) - 1, 0, -1):
                    at_least[matched] |= at_least[matched - 1] & columns
                if more:
                    at_least.append(more)
        at_least.append(0)
        return [
            (matched, more ^ enough)
            for matched, (more, enough) in enumerate(pairwise(at_least))
            if more != enough
        ]

    def _columns(self, holders: dict[Hashable, _Columns], token: Hashable) -> int:
        """The columns that have a value."""
        found: int | list[int] = holders.get(token, 0)
        if not isinstance(found, list):
            return found
        columns = set_of(found)
        if not self._are_many or len(found) > _FEW:
            holders[token] = columns
        return columns

    def _accepted(self, key: str, demands: ExpectedArguments) -> int:
        """The columns with a value that a rule accepts; each value is compared once."""
        asked = key, fingerprint(demands[key])
        known = self._answers.get(asked)
        if known is None:
            columns = 0
            holders = self._by_value[key]
            for token in holders:
                if demands.accepts(key, self._values[key, token]):
                    columns |= self._columns(holders, token)
            known = self._answers[asked] = columns
        return known

    def splits_of(self, arguments: dict[str, Any], demands: ExpectedArguments | None) -> _Splits:
        """The columns grouped by how many arguments are expected, given, and both."""
        omittable = frozenset() if demands is None else demands.omittable
        kind = frozenset(arguments), omittable
        found = self._splits.get(kind)
        if found is None:
            found = self._splits[kind] = {}
            self.budget.spend(5 * len(self._by_keys), _PAIRING)
            for keys, having in self._by_keys.items():
                shared = len(kind[0] & keys)
                split = len(arguments) - len(omittable - keys), len(keys), shared
                found[split] = found.get(split, 0) | having
        return found


def _hashable(value: Any) -> Hashable:
    """A hashable key: two are equal exactly when the values are the same JSON value."""
    kind = value.__class__
    is_own = kind is str or kind is int or value is None
    is_own = is_own or (kind is float and value == value)  # noqa: PLR0124  (all but NaN)
    return value if is_own else (fingerprint(value),)
