"""Counts strict scores straight from JSON text: equal bytes are equal values.

Most calls of a log never need to be decoded. What is counted here is what `score_calls` says of the
same calls in any order; a property test holds the two together.
"""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw, Struct

from callscore.core.equality import differing_members
from callscore.core.model import ToolCall
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT

if TYPE_CHECKING:
    from callscore.core.summary import Outcome, Summary

__all__ = ["PlainCall", "Tally"]

_decode = msgspec.json.Decoder(dict[str, Any]).decode
_OPEN_BRACE = ord("{")
_name = attrgetter("name")


class PlainCall(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A call as case files spell it, with its arguments still as JSON text."""

    name: str
    arguments: Raw
    id: Raw = Raw()
    step: Raw = Raw()
    result: Raw = Raw()
    failed: Raw = Raw()


class Tally:
    """Counts many cases into a summary; the last counts are there after `flush`."""

    def __init__(self, summary: Summary) -> None:
        self._summary = summary
        self._correct: list[str] = []  # names of tools: many are counted quicker at once
        self._incorrect: list[str] = []
        self._unpaired: list[tuple[str | None, str | None]] = []

    def count(self, expected: list[PlainCall], actual: list[PlainCall]) -> Outcome | None:
        """Count one case; None, and nothing counted, where it needs to be read with more care."""
        same: list[str] = []
        left: list[PlainCall] = []
        rest: list[PlainCall] = []
        for wanted, given in zip(expected, actual):  # noqa: B905  (hot, and the tails follow)
            if wanted != given:
                left.append(wanted)
                rest.append(given)
            elif bytes(wanted.arguments)[0] == _OPEN_BRACE:
                same.append(wanted.name)
            else:
                return None
        size, made = len(expected), len(actual)
        if size != made:
            left += expected[made:]
            rest += actual[size:]
        correct = len(same)
        if left or rest:
            try:
                correct += self._count_unequal(left, rest)
            except msgspec.DecodeError:  # arguments that are no object, or out of a float's range
                return None
        self._correct += same
        outcome = (correct, size, made)
        outcomes = self._summary.outcomes
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        return outcome

    def _count_unequal(self, left: list[PlainCall], rest: list[PlainCall]) -> int:
        """Count calls that are not equal one by one; how many are correct all the same."""
        if len(left) == len(rest) == 1:
            expected, actual = left[0], rest[0]
            name = expected.name
            wanted = _decode(expected.arguments)
            if name != actual.name:
                self._unpaired.append((name, actual.name))
                return 0
            differing = differing_members(wanted, _decode(actual.arguments))
            if differing:
                self._count_wrong(name, differing)
                return 0
            self._correct.append(name)
            return 1
        moved: list[str] = []
        if left and rest:
            left = [call for call in left if not _take(call, rest, moved)]
        wanted = {call.name: call for call in left}
        given = {call.name: call for call in rest}
        if len(wanted) == len(left) and len(given) == len(rest):
            correct = self._count_distinct(wanted, given)
        else:
            correct = self._count_choice(left, rest)
        self._correct += moved
        return correct + len(moved)

    def _count_distinct(self, expected: dict[str, PlainCall], actual: dict[str, PlainCall]) -> int:
        """The same for calls of which no two are of one tool."""
        correct: list[str] = []
        missed: list[str] = []
        wrong: list[tuple[str, list[str]]] = []
        for name, call in expected.items():
            wanted = _decode(call.arguments)
            other = actual.pop(name, None)
            if other is None:
                missed.append(name)
                continue
            differing = differing_members(wanted, _decode(other.arguments))
            if differing:
                wrong.append((name, differing))
            else:
                correct.append(name)
        for name, arguments in wrong:
            self._count_wrong(name, arguments)
        if missed or actual:
            self._unpaired += zip_longest(missed, actual)
        self._correct += correct
        return len(correct)

    def _count_choice(self, left: list[PlainCall], rest: list[PlainCall]) -> int:
        """The same where a tool is called more than once, so that there is a choice of pairs."""
        expected = tuple([ToolCall(call.name, _decode(call.arguments)) for call in left])
        actual = tuple([ToolCall(call.name, _decode(call.arguments)) for call in rest])
        score = score_calls(expected, actual, DEFAULT)
        for pair in score.incorrect:
            self._count_wrong(pair.expected.name, pair.differing_arguments)
        self._correct += [pair.expected.name for pair in score.correct]
        missed = [call.name for call in score.missed]
        extra = [call.name for call in score.extra]
        self._unpaired += zip_longest(missed, extra)
        return len(score.correct)

    def _count_wrong(self, name: str, arguments: list[str]) -> None:
        self._incorrect.append(name)
        counts = self._summary.wrong_arguments
        for argument in arguments:
            key = (name, argument)
            counts[key] = counts.get(key, 0) + 1

    def flush(self) -> None:
        """Hand everything counted so far to the summary."""
        summary = self._summary
        for name, times in Counter(self._correct).items():
            summary.tool(name).correct += times
        for name, times in Counter(self._incorrect).items():
            summary.tool(name).incorrect += times
        summary.add_unpaired(Counter(self._unpaired))
        self._correct.clear()
        self._incorrect.clear()
        self._unpaired.clear()


def _take(call: PlainCall, rest: list[PlainCall], moved: list[str]) -> bool:
    """Take a call off the other side that is equal as text, if there is one."""
    if call not in rest:
        return False
    if bytes(call.arguments)[0] != _OPEN_BRACE:
        raise msgspec.DecodeError
    rest.remove(call)
    moved.append(call.name)
    return True
