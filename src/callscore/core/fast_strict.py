"""The fast strict scorer: counts from JSON text, where equal bytes are equal values.

Most calls of a log never need to be decoded. The counts are those that `score_calls` gives for the
same calls in any order; a property test keeps the two equal.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, compress, repeat, zip_longest
from math import lcm
from operator import ne
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from callscore.core.assignment import MOST_TRIED, assign_few
from callscore.core.budget import Budget, OverBudget
from callscore.core.call import ToolCall
from callscore.core.equality import differing_keys, equal
from callscore.core.pairing import match_calls
from callscore.core.settings import DEFAULT

if TYPE_CHECKING:
    from callscore.core.score import Outcome

_read = msgspec.json.Decoder().decode
_decode = msgspec.json.Decoder(dict[str, Any]).decode
_split = msgspec.json.Decoder(dict[str, Raw]).decode
# What decoding raises for arguments that are not an object, exceed a float, or are too deep.
_DECODE_ERRORS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
# And what leaves a case to the full scorer, which says what is wrong with it.
_UNDECIDED = (*_DECODE_ERRORS, OverBudget)
_find_no_object = re.compile(rb"\0[^{]").search
# Beyond this many pairs, looking every call up among the others takes too long.
_MAX_LOOKUPS = 4096


class PlainCall(Struct, frozen=True, gc=False):
    """A call as case files spell it, with its arguments as JSON text.

    Other fields of a call (an id, a result) do not count in strict mode and are not read.
    """

    name: Annotated[str, Meta(min_length=1)]
    arguments: Raw
    times: UnsetType = UNSET  # a repeat count: slow path
    optional: UnsetType = UNSET  # errors to report: slow path
    forbid: UnsetType = UNSET
    # A state, and who makes the call in which turn: slow path. Both sides have the same type, so that
    # calls are compared as a whole.
    kind: UnsetType = UNSET
    caller: UnsetType = UNSET
    turn: UnsetType = UNSET


class StrictCounter:
    """Counts the outcomes and the mistakes of cases from their JSON text.

    The counts of many batches are added up here, and `add_strict_counts` adds them to a summary.

    Attributes:
        outcomes: how many cases have each outcome.
        expected: how many calls of each tool were expected.
        incorrect: how many calls of each tool were incorrect.
        wrong_arguments: in how many calls each argument of a tool was wrong.
        unpaired: missed calls with the extra calls that they are set against.
    """

    def __init__(self) -> None:
        self.outcomes: Counter[Outcome] = Counter()
        self.expected: Counter[str] = Counter()  # tools
        self.incorrect: Counter[str] = Counter()
        self.wrong_arguments: Counter[tuple[str, str]] = Counter()
        self.unpaired: Counter[tuple[str | None, str | None]] = Counter()
        # Of the cases that were examined last: tools with the arguments that differ, and missed and
        # extra calls.
        self._wrong: list[tuple[str, list[str]]] = []
        self._set_against: list[tuple[str | None, str | None]] = []

    def examine(
        self, expected: Sequence[tuple[PlainCall, ...]], actual: Sequence[tuple[PlainCall, ...]]
    ) -> list[Outcome | None]:
        """The outcomes of cases, given the expected and the actual calls of each.

        None for a case that cannot be decided here, because some of its arguments are not a readable
        object. Large batches are faster.
        """
        self._wrong, self._set_against = [], []
        sizes = list(map(len, expected))
        # No case of a plain file forbids anything.
        forbidden = repeat(0, len(sizes))
        outcomes: list[Outcome | None] = list(
            zip(sizes, sizes, map(len, actual), forbidden, strict=True)
        )
        if not _are_objects(chain.from_iterable(expected)):
            for index, calls in enumerate(expected):
                if not _are_objects(calls):
                    outcomes[index] = None
        # Cases that are equal as text, often most of them, are skipped in C.
        for index in compress(range(len(sizes)), map(ne, expected, actual)):
            if outcomes[index] is not None:
                wanted, given = expected[index], actual[index]
                try:
                    outcomes[index] = (self._correct(wanted, given), len(wanted), len(given), 0)
                except _UNDECIDED:
                    outcomes[index] = None
        return outcomes

    def count(
        self, expected: Sequence[tuple[PlainCall, ...]], outcomes: Sequence[Outcome | None]
    ) -> None:
        """Count the cases that were examined last and have an outcome."""
        counted = compress(expected, outcomes)
        self.expected.update([call.name for calls in counted for call in calls])
        self.outcomes.update(filter(None, outcomes))
        self.incorrect.update([tool for tool, _ in self._wrong])
        self.wrong_arguments.update([(tool, key) for tool, keys in self._wrong for key in keys])
        self.unpaired.update(self._set_against)

    def _correct(self, expected: Sequence[PlainCall], actual: Sequence[PlainCall]) -> int:
        """Note the mistakes of one case, and return its number of correct calls."""
        if len(expected) * len(actual) > _MAX_LOOKUPS:
            return self._correct_of_any(expected, actual)
        taken: list[PlainCall] = []
        left: list[PlainCall] = []
        rest = list(actual)
        for call in expected:
            if call in rest:
                rest.remove(call)
                taken.append(call)
            else:
                left.append(call)
        correct: int | None = 0
        if not left or not rest:
            self._set_against += [(call.name, None) for call in left]
            self._set_against += [(None, call.name) for call in rest]
        elif len(left) == len(rest) == 1:
            correct = self._correct_of_two(left[0], rest[0])
        else:
            correct = self._correct_of_several(left, rest, taken)
        if correct is None:
            return self._correct_of_any(expected, actual)
        return len(taken) + correct

    def _correct_of_two(self, expected: PlainCall, actual: PlainCall) -> int:
        """`_correct` for one call on each side."""
        if expected.name != actual.name:
            self._set_against.append((expected.name, actual.name))
            return 0
        differing = _differing_keys(_split(expected.arguments), _split(actual.arguments))
        if not differing:
            return 1
        self._wrong.append((expected.name, differing))
        return 0

    def _correct_of_several(
        self, left: list[PlainCall], rest: list[PlainCall], taken: list[PlainCall]
    ) -> int | None:
        """`_correct` for the calls that are not taken.

        None, and nothing noted, if one of them may be the same as one that is taken: then it depends
        on the order of the calls which of the two is.
        """
        pairs = _pairs_of_several(left, rest, taken)
        if pairs is None:
            return None
        # The names of the calls; None for those that are paired.
        missed: list[str | None] = [call.name for call in left]
        extra: list[str | None] = [call.name for call in rest]
        wrong: list[tuple[str, list[str]]] = []
        for row, column, differing in pairs:
            missed[row] = extra[column] = None
            if differing:
                wrong.append((left[row].name, differing))
        unpaired = list(zip_longest(filter(None, missed), filter(None, extra)))
        # Which missed call is set against which extra call depends on their order, and of two
        # spellings of one call, the wrong one may have been taken.
        if len(unpaired) > 1 and None not in unpaired[0]:
            calls = [*compress(left, missed), *compress(rest, extra)]
            if _are_respelled(calls, taken):
                return None
        self._wrong += wrong
        self._set_against += unpaired
        return len(pairs) - len(wrong)

    def _correct_of_any(self, expected: Sequence[PlainCall], actual: Sequence[PlainCall]) -> int:
        """`_correct` for any calls, by the pairing of a score."""
        names = {call.name for call in expected}.intersection([call.name for call in actual])
        wanted, given = _tool_calls(expected, names), _tool_calls(actual, names)
        matches = match_calls(wanted, given, 0, DEFAULT, Budget())
        wrong = [
            (
                wanted[row].name,
                differing_keys(wanted[row].arguments or {}, given[column].arguments or {}),
            )
            for row, column, is_correct in matches
            if not is_correct
        ]
        rows = {row for row, _, _ in matches}
        columns = {column for _, column, _ in matches}
        missed = [call.name for row, call in enumerate(expected) if row not in rows]
        extra = [call.name for column, call in enumerate(actual) if column not in columns]
        self._wrong += wrong
        self._set_against += zip_longest(missed, extra)
        return len(matches) - len(wrong)


def _are_objects(calls: Iterable[PlainCall]) -> bool:
    """Whether the arguments of all these calls are objects."""
    # JSON contains no NUL, so each one here is followed by the beginning of a text.
    texts = b"\0".join([call.arguments for call in calls])
    return _find_no_object(b"\0" + texts) is None


# The positions of a missed and of an extra call of one tool, and the arguments that differ.
_Pair = tuple[int, int, list[str]]


def _pairs_of_several(
    left: list[PlainCall], rest: list[PlainCall], taken: list[PlainCall]
) -> list[_Pair] | None:
    """The best pairing of the calls that are not taken; None if one may be the same as a taken one."""
    expected = [call.name for call in left]
    actual = [call.name for call in rest]
    repeated: list[str] = []  # tools with several calls to choose from
    pairs: list[_Pair] = []
    for row, name in enumerate(expected):
        times = actual.count(name)
        if times == 1 == expected.count(name):
            column = actual.index(name)
            wanted, given = _split(left[row].arguments), _split(rest[column].arguments)
            pairs.append((row, column, _differing_keys(wanted, given)))
        elif times and name not in repeated:
            repeated.append(name)
    for name in repeated:
        if _may_be_taken(name, left + rest, taken):
            return None
        rows = [row for row, other in enumerate(expected) if other == name]
        columns = [column for column, other in enumerate(actual) if other == name]
        pairs += _best_pairs(left, rest, rows, columns)
    return pairs


def _best_pairs(
    left: list[PlainCall], rest: list[PlainCall], rows: list[int], columns: list[int]
) -> list[_Pair]:
    """The best pairing of the calls of one tool, as `match_calls` finds it."""
    if len(rows) > MOST_TRIED or len(columns) > MOST_TRIED:
        return _matched_pairs(left, rest, rows, columns)
    wanted = [_split(left[row].arguments) for row in rows]
    given = [_split(rest[column].arguments) for column in columns]
    differing = [[_differing_keys(each, other) for other in given] for each in wanted]
    # One equal pair outweighs all overlaps. If no arguments are expected, unexpected ones are half of
    # an overlap.
    scale = lcm(*[len(each) or 2 for each in wanted])
    equal_worth = scale * (len(rows) + 1)
    weights: list[list[int]] = []
    for each, found in zip(wanted, differing, strict=True):
        part = scale // (len(each) or 2)
        weights.append(
            [
                part * (sum([key not in keys for key in each]) if each else 1)
                if keys
                else equal_worth
                for keys in found
            ]
        )
    assigned = enumerate(assign_few(weights, len(columns)))
    return [(rows[row], columns[at], differing[row][at]) for row, at in assigned if at is not None]


def _matched_pairs(
    left: list[PlainCall], rest: list[PlainCall], rows: list[int], columns: list[int]
) -> list[_Pair]:
    wanted, given = (
        _tool_calls([left[row] for row in rows]),
        _tool_calls([rest[at] for at in columns]),
    )
    return [
        (
            rows[row],
            columns[column],
            differing_keys(wanted[row].arguments or {}, given[column].arguments or {}),
        )
        for row, column, _ in match_calls(wanted, given, 0, DEFAULT, Budget())
    ]


def _may_be_taken(name: str, calls: list[PlainCall], taken: list[PlainCall]) -> bool:
    """Whether one of the calls of a tool may be the same as one that is taken."""
    same = [call for call in taken if call.name == name]
    if not same:
        return False
    calls = [call for call in calls if call.name == name]
    return any(call in same for call in calls) or _are_respelled(calls, same)


def _are_respelled(calls: list[PlainCall], taken: list[PlainCall]) -> bool:
    """Whether one of the calls may have the value of one that is taken, but not its text."""
    names = {call.name for call in taken}
    for call in calls:
        if call.name in names:
            for other in taken:
                # Python takes true for 1 here, which only makes it more careful than necessary.
                if (
                    other.name == call.name
                    and other != call
                    and _decode(other.arguments) == _decode(call.arguments)
                ):
                    return True
    return False


def _differing_keys(expected: dict[str, Raw], actual: dict[str, Raw]) -> list[str]:
    """The arguments that differ; only values that differ as text are decoded."""
    found: list[str] = []
    shared = 0
    for key, text in expected.items():
        if key in actual:
            shared += 1
            other = actual[key]
            if text == other:
                continue
            wanted, given = _read(text), _read(other)
            # What is different to Python is different; but to Python, true is 1.
            if wanted == given and equal(wanted, given):
                continue
        found.append(key)
    if shared < len(actual):
        found += [key for key in actual if key not in expected]
    return found


def _tool_calls(calls: Iterable[PlainCall], names: set[str] | None = None) -> list[ToolCall]:
    """The calls; if names are given, the arguments of other calls are not decoded."""
    return [
        ToolCall(call.name, _decode(call.arguments) if names is None or call.name in names else {})
        for call in calls
    ]
