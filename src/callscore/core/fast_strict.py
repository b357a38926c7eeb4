"""The fast strict scorer: counts from JSON text, where equal bytes are equal values.

Most calls of a log never need to be decoded. The counts are those that `score_calls` gives for the
same calls in any order; a property test keeps the two equal.
"""

from __future__ import annotations

import re
from itertools import chain, compress, repeat, zip_longest
from operator import ne
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from callscore.core.budget import Budget, OverBudget
from callscore.core.call import ToolCall
from callscore.core.equality import differing_keys, equal
from callscore.core.pairing import match_calls
from callscore.core.settings import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from callscore.core.score import Outcome

__all__ = ["Examined", "PlainCall", "examine_cases"]

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
# One missed and one extra call make one pair in the confusion table; with more calls, the pairs
# depend on their order.
_IN_ANY_ORDER = 2


class PlainCall(Struct, frozen=True, gc=False):
    """A call as case files spell it, with its arguments as JSON text.

    Other fields of a call (an id, a result) do not count in strict mode and are not read.
    """

    name: Annotated[str, Meta(min_length=1)]
    arguments: Raw
    times: UnsetType = UNSET  # a repeat count: slow path
    optional: UnsetType = UNSET  # errors to report: slow path
    forbid: UnsetType = UNSET


class Examined(NamedTuple):
    """The outcomes of some cases, before they are counted.

    Attributes:
        outcomes: None for a case that this scorer cannot decide, because some arguments are not a
            readable object.
        mistakes: what went wrong in the cases that have an outcome.
    """

    expected: Sequence[tuple[PlainCall, ...]]
    outcomes: list[Outcome | None]
    mistakes: _Mistakes


def examine_cases(
    expected: Sequence[tuple[PlainCall, ...]], actual: Sequence[tuple[PlainCall, ...]]
) -> Examined:
    """Examine cases, given the expected and the actual calls of each; large batches are faster."""
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
    mistakes = _Mistakes()
    # Cases that are equal as text, often most of them, are skipped in C.
    for index in compress(range(len(sizes)), map(ne, expected, actual)):
        if outcomes[index] is not None:
            wanted, given = expected[index], actual[index]
            try:
                outcomes[index] = (mistakes.count(wanted, given), len(wanted), len(given), 0)
            except _UNDECIDED:
                outcomes[index] = None
    return Examined(expected, outcomes, mistakes)


def _are_objects(calls: Iterable[PlainCall]) -> bool:
    """Whether the arguments of all these calls are objects."""
    # JSON contains no NUL, so each one here is followed by the beginning of a text.
    texts = b"\0".join([call.arguments for call in calls])
    return _find_no_object(b"\0" + texts) is None


class _Mistakes:
    """What went wrong in some cases; every other expected call is correct."""

    def __init__(self) -> None:
        self.wrong: list[tuple[str, list[str]]] = []  # tools, and the arguments that differ
        self.unpaired: list[tuple[str | None, str | None]] = []

    def count(self, expected: Sequence[PlainCall], actual: Sequence[PlainCall]) -> int:
        """Count the mistakes of one case, and return its number of correct calls."""
        if len(expected) * len(actual) > _MAX_LOOKUPS:
            return self._count_any(expected, actual)
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
            self.unpaired += [(call.name, None) for call in left]
            self.unpaired += [(None, call.name) for call in rest]
        elif len(left) == len(rest) == 1:
            correct = self._count_two(left[0], rest[0])
        else:
            correct = self._count_several(left, rest, taken)
        return self._count_any(expected, actual) if correct is None else len(taken) + correct

    def _count_two(self, expected: PlainCall, actual: PlainCall) -> int:
        """`count` for one call on each side."""
        name = expected.name
        if name != actual.name:
            self.unpaired.append((name, actual.name))
            return 0
        differing = _differing_keys(expected, actual)
        if not differing:
            return 1
        self.wrong.append((name, differing))
        return 0

    def _count_several(
        self, left: list[PlainCall], rest: list[PlainCall], taken: list[PlainCall]
    ) -> int | None:
        """`count` for the other calls; None, and nothing counted, if some may equal taken ones."""
        correct = self._count_distinct(left, rest, taken)
        if correct is None:
            calls = left + rest  # one of them may be the same as one that is taken
            if not any(call in taken for call in calls) and not _are_respelled(calls, taken):
                return self._count_any(left, rest)
        return correct

    def _count_distinct(
        self, left: list[PlainCall], rest: list[PlainCall], taken: list[PlainCall]
    ) -> int | None:
        """`count` for the other calls; None, and nothing counted, if there are several pairings."""
        expected = [call.name for call in left]
        actual = [call.name for call in rest]
        missed: list[str] = []
        wrong: list[tuple[str, list[str]]] = []
        for call in left:
            name = call.name
            times = actual.count(name)
            if not times:
                missed.append(name)
            elif times > 1 or expected.count(name) > 1:
                return None
            else:
                differing = _differing_keys(call, rest[actual.index(name)])
                if differing:
                    wrong.append((name, differing))
        extra = [name for name in actual if name not in expected]
        is_ordered = missed and extra and len(missed) + len(extra) > _IN_ANY_ORDER
        # Of two spellings of one call, the wrong one may have been taken.
        if is_ordered and _are_respelled(left + rest, taken):
            return None
        self.wrong += wrong
        self.unpaired += zip_longest(missed, extra)
        return len(left) - len(missed) - len(wrong)

    def _count_any(self, expected: Sequence[PlainCall], actual: Sequence[PlainCall]) -> int:
        """`count` for any calls, by the pairing of a score."""
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
        self.wrong += wrong
        self.unpaired += zip_longest(missed, extra)
        return len(matches) - len(wrong)


def _are_respelled(calls: list[PlainCall], taken: list[PlainCall]) -> bool:
    """Whether one of the calls may have the value of one that is taken, but not its text."""
    for call in calls:
        for other in taken:
            # Python takes true for 1 here, which only makes it more careful than necessary.
            if (
                other.name == call.name
                and other != call
                and _decode(other.arguments) == _decode(call.arguments)
            ):
                return True
    return False


def _differing_keys(expected: PlainCall, actual: PlainCall) -> list[str]:
    """The arguments that differ; only values that differ as text are decoded."""
    wanted, given = _split(expected.arguments), _split(actual.arguments)
    found: list[str] = []
    shared = 0
    for key, value in wanted.items():
        if key in given:
            shared += 1
            other = given[key]
            if value == other or equal(_read(value), _read(other)):
                continue
        found.append(key)
    if shared < len(given):
        found += [key for key in given if key not in wanted]
    return found


def _tool_calls(calls: Iterable[PlainCall], names: set[str]) -> list[ToolCall]:
    """The calls; only the arguments of those with one of the names are decoded."""
    return [
        ToolCall(call.name, _decode(call.arguments) if call.name in names else {}) for call in calls
    ]
