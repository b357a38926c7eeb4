"""Recorded traces as cases that expect what the agent did; a person should review them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain, count
from pathlib import PurePath
from typing import Any

from msgspec import Struct, field

from callscore.core.call import ToolCall
from callscore.core.case import Case, is_state
from callscore.core.equality import fingerprint
from callscore.core.expectation_json import matchers_to_json
from callscore.core.totals import NameCounter
from callscore.engines.inputs import TRACES, CaseLimit, InputOptions, read_cases
from callscore.errors import UnreadableInput
from callscore.formats.case_fields import name_from_input
from callscore.formats.cases import expected_records
from callscore.sources import BadRecord
from callscore.words.value_text import json_safe

_MAX_OTHERS = 10  # different trials listed for one case
_UNREADABLE_NOTE = (
    "the arguments could not be read; only the name is expected, and the call as it was made never"
    " counts as correct"
)

_Record = dict[str, Any]


class _Counts(Struct):
    cases: int = 0
    repeated: int = 0
    trials: int = 0
    differing: int = 0
    nameless: int = 0
    without_input: int = 0
    to_review: int = 0
    skipped: int = 0
    unread: NameCounter = field(default_factory=NameCounter)


class _CapturedCase(Struct):
    """A case, and how further trials of it differ."""

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
        """The record, with the counts of the further trials."""
        if self.same or self.different:
            counts = {"same": self.same, "different": self.different}
            others = {"others": list(self.others.values())} if self.others else {}
            self.record["metadata"]["captured"]["trials"] = counts | others
        return self.record


class TraceCapture:
    """Turns traces into cases; `on_bad` gets the place and the problem of unreadable records."""

    def __init__(self, inputs: InputOptions, on_bad: Callable[[str, str], None]) -> None:
        self.counts = _Counts()
        self._inputs = inputs
        self._on_bad = on_bad
        self._seen: set[str] = set()
        self._named: dict[str, _CapturedCase] = {}
        self._found: list[_CapturedCase] = []

    def take(
        self,
        paths: Iterable[str],
        *,
        limit: int | None = None,
        on_bytes: Callable[[int], None] | None = None,
    ) -> list[_Record]:
        """The cases in some files, as records of a file.

        Only the first `limit` cases are used. There is one case per id: the first trace with that
        id, with a list of how the others differ. Traces without a new question or new calls are left out.

        Raises:
            UnreadableInput: a file cannot be read, or there is no trace in it.
        """
        cases = CaseLimit(limit)
        for path in paths:
            found = 0
            for item in cases.until_end(read_cases(path, TRACES, self._inputs, on_bytes=on_bytes)):
                found += 1
                if isinstance(item, BadRecord):
                    self.counts.skipped += 1
                    self._on_bad(item.place, item.problem)
                    continue
                if item[1].unread is not None:
                    self.counts.unread.add(f"{item[0]}: {item[1].unread}")
                if cases.takes(item[1]):
                    self._capture(*item, path)
            if not found:
                raise UnreadableInput(path, "the file contains no trace.")
        return self._finished()

    def _capture(self, place: str, case: Case, path: str) -> None:
        if case.actual is None:
            self.counts.skipped += 1
            self._on_bad(place, "the trace contains no calls.")
            return
        self.counts.nameless += not case.id
        # Without what belongs to this one run: ids, results, errors.
        expected = expected_records(
            ToolCall(call.name, None if call.error else call.arguments or {})
            for call in case.actual
            if not is_state(call)
        )
        first = self._named.get(case.id) if case.id else None
        if first is None:
            self._add(place, case, expected, path)
            return
        self.counts.trials += 1
        trial = {"place": place, "trial": case.trial, "expected": expected}
        known = {field: value for field, value in trial.items() if value is not None}
        self.counts.differing += first.add(known, fingerprint(expected))

    def _add(self, place: str, case: Case, expected: list[Any], path: str) -> None:
        notes = _review_notes(case.actual or ())
        content = fingerprint([case.input, expected])
        if case.input is not None and content in self._seen:
            self.counts.repeated += 1
            return
        self._seen.add(content)
        state = [matchers_to_json(call.arguments) for call in case.actual or () if is_state(call)]
        record = {
            "id": case.id,
            "input": case.input,
            "expected": expected,
            **({"expected_state": json_safe(state[-1])} if state else {}),
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
        """The cases; those without an id get a name that no other has."""
        taken = set(self._named)
        for captured in self._found:
            if not captured.record["id"]:
                file_name = PurePath(captured.path).name.partition(".")[0]
                name = name_from_input(captured.record["input"]) or file_name or "trace"
                names = chain((name,), (f"{name}-{number}" for number in count(2)))
                captured.record["id"] = next(each for each in names if each not in taken)
                taken.add(captured.record["id"])
        return [captured.finished() for captured in self._found]


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
    if given is not None and not isinstance(given, dict):
        given = {"given": given}
    return {**(given or {}), "captured": known}
