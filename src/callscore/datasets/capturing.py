"""Recorded traces as cases whose expectation is what the agent did, for somebody to review."""

from __future__ import annotations

from itertools import chain, count
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.core.call import ToolCall
from callscore.core.equality import fingerprint
from callscore.engines.inputs import TRACES, read_cases
from callscore.errors import UnreadableInput
from callscore.formats.case_fields import name_from_input
from callscore.formats.cases import expected_records
from callscore.sources import BadRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from callscore.core.case import Case
    from callscore.engines.inputs import InputOptions

__all__ = ["TraceCapture"]

_MAX_OTHERS = 10  # different trials listed for one case
_UNREADABLE_NOTE = (
    "the arguments could not be read; only the name is expected, and the call as it was made never"
    " counts as correct"
)

_Record = dict[str, Any]


class _Counts(Struct):
    """What is worth telling of the cases that were captured."""

    cases: int = 0
    repeated: int = 0
    trials: int = 0
    differing: int = 0
    nameless: int = 0
    without_input: int = 0
    to_review: int = 0
    skipped: int = 0


class _CapturedCase(Struct):
    """A case, and what further trials of it did."""

    record: _Record
    content: str
    path: str
    same: int = 0
    different: int = 0
    others: dict[str, _Record] = {}

    def add(self, trial: _Record, content: str) -> bool:
        """Count a further trial; whether it differs from the first."""
        if content == self.content:
            self.same += 1
            return False
        self.different += 1
        if len(self.others) < _MAX_OTHERS:
            self.others.setdefault(content, trial)
        return True

    def finished(self) -> _Record:
        """The case as a file has it."""
        if self.same or self.different:
            told = {"same": self.same, "different": self.different}
            others = {"others": list(self.others.values())} if self.others else {}
            self.record["metadata"]["captured"]["trials"] = told | others
        return self.record


class TraceCapture:
    """Turns traces into cases.

    Args:
        inputs: what the user says about the traces.
        on_bad: is told the place and the problem of what cannot be read.
    """

    def __init__(self, inputs: InputOptions, on_bad: Callable[[str, str], None]) -> None:
        self.counts = _Counts()
        self._inputs = inputs
        self._on_bad = on_bad
        self._seen: set[str] = set()
        self._named: dict[str, _CapturedCase] = {}
        self._found: list[_CapturedCase] = []

    def take(
        self, paths: Iterable[str], *, on_bytes: Callable[[int], None] | None = None
    ) -> list[_Record]:
        """The cases in some files, as the lines of a file have them.

        There is one case an id: it is the first trace of that id, and what the others did differently
        is told with it. What is asked and done just as in an earlier trace is one case with it.

        Raises:
            UnreadableInput: a file cannot be read, or there is no trace in it.
        """
        for path in paths:
            found = 0
            for item in read_cases(path, TRACES, self._inputs, on_bytes=on_bytes):
                found += 1
                if isinstance(item, BadRecord):
                    self.counts.skipped += 1
                    self._on_bad(item.place, item.problem)
                else:
                    self._capture(*item, path)
            if not found:
                raise UnreadableInput(path, "there is no trace in it.")
        return self._finished()

    def _capture(self, place: str, case: Case, path: str) -> None:
        if case.actual is None:
            self.counts.skipped += 1
            self._on_bad(place, "it does not say what was called.")
            return
        self.counts.nameless += not case.id
        expected = expected_records(map(_expected_call, case.actual))
        first = self._named.get(case.id) if case.id else None
        if first is None:
            self._add(place, case, expected, path)
            return
        self.counts.trials += 1
        trial = {"place": place, "trial": case.trial, "expected": expected}
        said = {field: value for field, value in trial.items() if value is not None}
        self.counts.differing += first.add(said, fingerprint(expected))

    def _add(self, place: str, case: Case, expected: list[Any], path: str) -> None:
        notes = _review_notes(case.actual or ())
        content = fingerprint([case.input, expected])
        if case.input is not None and content in self._seen:
            self.counts.repeated += 1
            return
        self._seen.add(content)
        record = {
            "id": case.id,
            "input": case.input,
            "expected": expected,
            "tags": list(case.tags),
            "metadata": _metadata(case, place, notes),
        }
        captured = _CapturedCase(record, fingerprint(expected), path)
        self._found.append(captured)
        if case.id:
            self._named[case.id] = captured
        self.counts.cases += 1
        self.counts.without_input += case.input is None
        self.counts.to_review += bool(notes)

    def _finished(self) -> list[_Record]:
        """The cases, of which those without an id are named after all others, so as to be unlike them."""
        taken = set(self._named)
        for captured in self._found:
            if not captured.record["id"]:
                captured.record["id"] = _new_name(captured.record["input"], captured.path, taken)
                taken.add(captured.record["id"])
        return [captured.finished() for captured in self._found]


def _new_name(question: Any, path: str, taken: set[str]) -> str:
    """A name that nothing else has: the first words of the question, or else the name of the file."""
    name = name_from_input(question) or PurePath(path).name.partition(".")[0] or "trace"
    numbered = (f"{name}-{number}" for number in count(2))
    return next(each for each in chain((name,), numbered) if each not in taken)


def _expected_call(call: ToolCall) -> ToolCall:
    """What to expect after a call: the call, without what only this one run knows of it."""
    return ToolCall(call.name, None if call.error else call.arguments or {})


def _review_notes(calls: Iterable[ToolCall]) -> list[str]:
    """Notes for the reviewer of the case."""
    found: list[str] = []
    for position, call in enumerate(calls):
        if call.error:
            found.append(f"expected[{position}]: {_UNREADABLE_NOTE}")
        if call.failed:
            found.append(f"expected[{position}]: this call failed")
    return found


def _metadata(case: Case, place: str, notes: list[str]) -> dict[str, Any]:
    captured = {"place": place, "id": case.id or None, "trial": case.trial, "review": notes or None}
    known = {field: value for field, value in captured.items() if value is not None}
    given = case.metadata
    if given is None:
        return {"captured": known}
    return (
        {**given, "captured": known}
        if isinstance(given, dict)
        else {"given": given, "captured": known}
    )
