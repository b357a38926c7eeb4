"""The weight of every possible pair of an expected and an actual call of the same tool.

The actual calls are the columns, and a set of columns is an integer used as a bit set: an index
from (argument, value) to the columns that have it answers for all of them in one operation.
"""

from __future__ import annotations

from itertools import pairwise
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from callscore.core.arguments import Grade, grade_calls, is_close_enough, overlap_ratio
from callscore.core.call import NOT_CAPTURED
from callscore.core.equality import fingerprint
from callscore.core.rules import contains_matchers

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from callscore.core.arguments import ExpectedArguments
    from callscore.core.assignment import Levels
    from callscore.core.call import ToolCall
    from callscore.core.settings import Settings

__all__ = ["PairWeights", "weigh_pairs"]


class PairWeights(NamedTuple):
    """What pairing one expected call with each actual call is worth.

    Attributes:
        levels: the worth, where it is above zero, and the columns that have it.
        correct: the columns that would make a correct pair.
        same_tool: all columns of the same tool.
    """

    levels: Levels
    correct: int
    same_tool: int


# Up to this many pairs, comparing them one by one is quicker than building an index.
_MAX_UNINDEXED_PAIRS = 16
_PLAIN = (dict, type(None))


def weigh_pairs(
    expected: Sequence[ToolCall], actual: Sequence[ToolCall], settings: Settings
) -> list[PairWeights]:
    """What every possible pair is worth, as integers that add up.

    The heaviest pairing has the most correct pairs, then the most equal pairs, then the greatest
    total overlap: a single correct pair outweighs all equal ones, and one of those all overlaps.
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


# Of one expected call: the columns of the same tool, and which of them make pairs of which grade.
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
        """What an expected call makes with each of them."""
        expected = call.arguments
        demands = None if expected.__class__ in _PLAIN else cast("ExpectedArguments", expected)
        # Which arguments of the actual calls count does not depend on anything else.
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
        self.acceptable = 0  # and those that will do where any arguments will
        self.by_value: dict[str, dict[Hashable, int]] = {}
        self.by_keys: dict[frozenset[str], int] = {}
        self.values: dict[tuple[str, Hashable], Any] = {}
        self.answers: dict[tuple[str, str], int] = {}  # by argument and demand

    def add(self, bit: int, call: ToolCall, arguments: dict[str, Any]) -> None:
        """Enter one actual call, and those of its arguments that count."""
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
        """What these expected arguments make with each of the actual calls that can be read."""
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
                # As one by one: equal calls may be so with other numbers of arguments.
                result = (True, True, 1, 1) if is_equal else (is_correct, False, part, whole)
                found[result] = found.get(result, 0) | alike
        return found

    def _matches(
        self, arguments: dict[str, Any], demands: ExpectedArguments | None
    ) -> list[tuple[int, int]]:
        """How many of the arguments are matched, and by which columns."""
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
        """The columns that have a value that a rule accepts, which is asked once about each."""
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
        """The columns apart by how many arguments are wanted of them, given, and both."""
        may_lack = frozenset() if demands is None else demands.may_lack
        found: dict[tuple[int, int, int], int] = {}
        for keys, having in self.by_keys.items():
            both = having & columns
            if both:
                shared = sum(key in arguments for key in keys)
                split = len(arguments) - len(may_lack - keys), len(keys), shared
                found[split] = found.get(split, 0) | both
        return list(found.items())


def _hashable(value: Any) -> Hashable:
    """A hashable stand-in: two are equal exactly when the values are the same JSON value."""
    kind = value.__class__
    is_own = kind is str or kind is int or value is None
    is_own = is_own or (kind is float and value == value)  # noqa: PLR0124  (all but NaN)
    return value if is_own else (fingerprint(value),)
