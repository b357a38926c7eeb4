"""Autoevals: its scorers of JSON values, over the list of calls.

Autoevals has no scorer for tool calls. These scorers are applied to the list of calls, each an
object with its `name` and its `arguments`.
"""

from __future__ import annotations

import json  # noqa: TID251  (texts that hold JSON are read as autoevals reads them: NaN, doubled keys)
import sys
from collections.abc import Callable, Sequence
from functools import cache
from math import inf, isnan
from operator import eq
from typing import Any, Literal, TypeVar

from msgspec import MsgspecError
from msgspec.json import encode

from callscore.errors import NotScorable
from callscore.parity.parameters import Arguments, Calls, option_value, pairs_of
from callscore.parity.value_comparison import python_json_text

__all__ = ["METRICS", "TITLE", "VERSION", "exact_match", "json_diff", "list_contains"]


def _linear_sum_assignment(costs: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """As SciPy's function of this name, including ties and rounding: pairs of row and column.

    The pairs have the least total cost. All costs must be finite.
    """
    if len(costs) <= len(costs[0]):
        return list(enumerate(_columns_of_rows(costs)))
    turned = list(zip(*costs, strict=True))
    return sorted((row, column) for column, row in enumerate(_columns_of_rows(turned)))


def _columns_of_rows(costs: Sequence[Sequence[float]]) -> list[int]:
    """The column of each row, where there are at least as many columns as rows."""
    height, width = len(costs), len(costs[0])
    row_prices, column_prices = [0.0] * height, [0.0] * width
    column_of, row_of = [-1] * height, [-1] * width
    for row in range(height):
        way = _ShortestPath(costs, row_prices, column_prices, row_of)
        goal = way.search(row)
        _update_prices(way, row, column_of)
        while True:  # each row on the path moves on by one column
            owner = way.reached_from[goal]
            row_of[goal] = owner
            column_of[owner], goal = goal, column_of[owner]
            if owner == row:
                break
    return column_of


class _ShortestPath:
    """The shortest path from a row without a column to a column without a row."""

    def __init__(
        self,
        costs: Sequence[Sequence[float]],
        row_prices: list[float],
        column_prices: list[float],
        row_of: list[int],
    ) -> None:
        self.costs = costs
        self.row_prices = row_prices
        self.column_prices = column_prices
        self.row_of = row_of
        width = len(column_prices)
        self.lengths = [inf] * width
        self.reached_from = [-1] * width
        self.length = 0.0
        self.visited: list[int] = []

    def search(self, row: int) -> int:
        """Go to the nearest column until one has no row, as in Dijkstra's algorithm."""
        # From the last column to the first, and the later of equals: if all costs are equal, the
        # first row gets the first column.
        open_columns = list(range(len(self.lengths) - 1, -1, -1))
        while True:
            place = self._nearest(row, open_columns)
            column = open_columns[place]
            self.length = self.lengths[column]
            self.visited.append(column)
            if self.row_of[column] < 0:
                return column
            row = self.row_of[column]
            # The last one fills the gap: the order of the open columns decides ties.
            last = open_columns.pop()
            if place < len(open_columns):
                open_columns[place] = last

    def _nearest(self, row: int, open_columns: list[int]) -> int:
        nearest, least = -1, inf
        lengths, row_costs, row_price = self.lengths, self.costs[row], self.row_prices[row]
        for place, column in enumerate(open_columns):
            length = self.length + row_costs[column] - row_price - self.column_prices[column]
            if length < lengths[column]:
                lengths[column] = length
                self.reached_from[column] = row
            known = lengths[column]
            if known < least or (known == least and self.row_of[column] < 0):
                nearest, least = place, known
        return nearest


def _update_prices(way: _ShortestPath, row: int, column_of: list[int]) -> None:
    """Make every pair on the path cost exactly its two prices."""
    row_prices, lengths = way.row_prices, way.lengths
    row_prices[row] += way.length
    for column in way.visited[:-1]:
        owner = way.row_of[column]
        row_prices[owner] += way.length - lengths[column_of[owner]]
    for column in way.visited:
        way.column_prices[column] -= way.length - lengths[column]


TITLE = "Autoevals"
VERSION = "0.4.1"

Pairwise = Literal["json_diff", "levenshtein", "exact_match"]
_Pair = tuple[str, "Arguments"]
_Reader = Callable[[str], Any] | None  # reads a text that may hold JSON
_Result = TypeVar("_Result")

# The first characters of a text that holds a JSON object or array, or a number of too many digits.
_BRACKETS = frozenset("{[")
_DIGITS = frozenset("-0123456789")
_BEGINNINGS = _BRACKETS | _DIGITS | frozenset(" \t\n\r")
# A shorter number is never refused for its length.
_MAX_DIGITS = sys.int_info.str_digits_check_threshold
_NUMBERS = (int, float)


def json_diff(expected: Calls, actual: Calls, *, preserve_strings: bool = False) -> float:
    """`JSONDiff`: how similar the two lists are, call by call and value by value.

    Calls are compared by position and objects by key, and each level is the mean of the level below.
    Texts count by their edit distance, numbers by their difference relative to their size, and
    values of different kinds by the edit distance of their JSON texts.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        preserve_strings: whether a text that holds a JSON object or array stays a text.

    Defects:
        An argument that is null and one that is missing are the same. `true` is 1. Calls that merely
        share letters are similar, and one extra call in front shifts all others out of place. The
        keys of an object are added up in the order of a Python set, so that, with three keys or
        more, the last bit depends on the hash seed of the process; here they are taken in sorted
        order, which is one of those orders.

    Raises:
        NotScorable: an integer is too large to be subtracted from a float, a text holds an integer
            of too many digits, or a value is nested too deeply.
    """
    read = None if preserve_strings else _as_json
    return _guarded(_array_diff, pairs_of(actual), pairs_of(expected), read, _call_diff)


def exact_match(expected: Calls, actual: Calls) -> float:
    """`ExactMatch`: 1 if the two lists have the same JSON text.

    Defects:
        The keys are not sorted: the same arguments in another order are a mismatch. So are 1 and
        1.0.

    Raises:
        NotScorable: a value cannot be written as JSON.
    """
    wanted, made = pairs_of(expected), pairs_of(actual)
    try:
        text = encode(wanted)
        if text != encode(made):
            return 0.0
        if b"null" not in text:
            return 1.0
    except (MsgspecError, TypeError, ValueError, OverflowError, RecursionError):
        pass  # an integer beyond 64 bits, half a character: what only Python's encoder writes
    # Where the fast encoder writes `null`, Python's may write NaN.
    return float(python_json_text(wanted) == python_json_text(made))


def list_contains(
    expected: Calls,
    actual: Calls,
    *,
    pairwise_scorer: Pairwise = "levenshtein",
    allow_extra_entities: bool = False,
) -> float:
    """`ListContains`: the similarity of the best pairing of calls, per call of the longer list.

    Args:
        expected: the expected calls.
        actual: the actual calls.
        pairwise_scorer: what says how similar two calls are: `levenshtein`, by the edit distance
            of the texts that Python makes of the two objects, `json_diff` or `exact_match`.
        allow_extra_entities: whether only expected calls are counted, so that extra ones are free.

    Defects:
        Those of the pairwise scorer. By `levenshtein`, calls of different tools are nearly the same,
        as the text of every call has the same words around its name. Without any expected call, `allow_extra_entities` does not keep
        an extra call from costing everything.

    Raises:
        InvalidSettings: the pairwise scorer is unknown.
        NotScorable: the pairwise scorer raises, or finds what is not a number.
    """
    prepared, similarity = option_value("pairwise_scorer", pairwise_scorer, _SIMILARITIES)
    wanted, made = pairs_of(expected), pairs_of(actual)
    if not wanted or not made:
        return float(not wanted and not made)
    columns = [prepared(call) for call in wanted]
    rows = [
        [_guarded(similarity, row, column) for column in columns] for row in map(prepared, made)
    ]
    if any(isnan(value) for row in rows for value in row):
        raise NotScorable("autoevals cannot pair calls whose similarity is not a number.")
    total = 0.0  # added one by one: `sum` would round less than autoevals does
    for row, column in _linear_sum_assignment([[-value for value in row] for row in rows]):
        total += rows[row][column]
    return total / (len(wanted) if allow_extra_entities else max(len(wanted), len(made)))


def _guarded(score: Callable[..., _Result], *values: Any) -> _Result:
    try:
        return score(*values)
    except OverflowError as error:
        problem = "autoevals subtracts an integer from a float that cannot hold it."
        raise NotScorable(problem) from error
    except RecursionError as error:
        raise NotScorable("autoevals cannot compare values that are nested so deeply.") from error


def _as_json(text: str) -> Any:
    """The JSON object or array in a text; the text itself if there is none."""
    if text[:1] not in _BEGINNINGS:
        return text
    start = text.lstrip(" \t\n\r")[:1]
    if start not in _BRACKETS and (start not in _DIGITS or len(text) < _MAX_DIGITS):
        return text
    try:
        held = json.loads(text)
    except json.JSONDecodeError:
        return text
    except ValueError as error:  # too many digits, which autoevals does not expect
        raise NotScorable(f"autoevals cannot read a text that holds JSON: {error}.") from error
    return held if isinstance(held, dict | list) else text


def _call_diff(actual: _Pair, expected: _Pair, read: _Reader = _as_json) -> float:
    (name, arguments), (wanted_name, wanted_arguments) = actual, expected
    return (_diff(name, wanted_name, read) + _diff(arguments, wanted_arguments, read)) / 2


def _diff(actual: Any, expected: Any, read: _Reader) -> float:
    if read is not None:
        if isinstance(actual, str):
            actual = read(actual)
        if isinstance(expected, str):
            expected = read(expected)
    if isinstance(actual, dict) and isinstance(expected, dict):
        keys = sorted(actual.keys() | expected.keys())
        total = sum([_diff(actual.get(key), expected.get(key), read) for key in keys])
        return total / len(keys) if keys else 1.0
    if isinstance(actual, list) and isinstance(expected, list):
        return _array_diff(actual, expected, read)
    return _plain_diff(actual, expected)


def _array_diff(
    actual: list[Any],
    expected: list[Any],
    read: _Reader,
    diff: Callable[[Any, Any, _Reader], float] = _diff,
) -> float:
    if not actual and not expected:
        return 1.0
    scores = [diff(value, other, read) for value, other in zip(actual, expected, strict=False)]
    return sum(scores) / max(len(actual), len(expected))


def _plain_diff(actual: Any, expected: Any) -> float:
    """The similarity of two values that are not both objects or both arrays."""
    if isinstance(actual, str) and isinstance(expected, str):
        return _text_diff(actual, expected)
    if isinstance(actual, _NUMBERS) and isinstance(expected, _NUMBERS):
        size = abs(expected) + abs(actual)
        return 1.0 if size == 0 else 1 - abs(expected - actual) / size
    if actual is None or expected is None:
        return float(actual is expected)
    return _text_diff(_compact(actual), _compact(expected))


def _compact(value: Any) -> str:
    return python_json_text(value, sort_keys=True, separators=(",", ":"))


def _text_diff(actual: str, expected: str) -> float:
    if actual == expected:
        return 1.0
    return 1 - (_distance()(actual, expected) / max(len(actual), len(expected)))


@cache
def _distance() -> Callable[[str, str], int]:
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance


def _python_text(call: _Pair) -> str:
    name, arguments = call
    return _guarded(str, {"name": name, "arguments": arguments})


# A conversion of each call, and the comparison of two converted calls.
_SIMILARITIES: dict[str, tuple[Callable[[_Pair], Any], Callable[[Any, Any], float]]] = {
    "json_diff": (lambda call: call, _call_diff),
    "levenshtein": (_python_text, _text_diff),
    "exact_match": (python_json_text, eq),
}

METRICS = (json_diff, list_contains, exact_match)
