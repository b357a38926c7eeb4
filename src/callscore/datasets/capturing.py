"""Recorded traces as cases whose expectation is what the agent did, for somebody to review."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.core.call import ToolCall
from callscore.core.equality import fingerprint
from callscore.datasets.records import expected_records
from callscore.engines.inputs import TRACES, cases_in
from callscore.errors import UnreadableInput
from callscore.formats.case_names import name_from
from callscore.sources import BadRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from callscore.core.model import Case
    from callscore.engines.inputs import Inputs

__all__ = ["Captures"]


class _Counts(Struct):
    """What is worth telling of the cases that were captured."""

    cases: int = 0
    repeated: int = 0
    without_input: int = 0
    to_review: int = 0
    skipped: int = 0


class Captures:
    """Turns traces into cases, one after the other.

    Args:
        inputs: what the user says about the traces.
        on_bad: is told the place and the problem of what cannot be read.
    """

    def __init__(self, inputs: Inputs, on_bad: Callable[[str, str], None]) -> None:
        self.counts = _Counts()
        self._inputs = inputs
        self._on_bad = on_bad
        self._seen: set[str] = set()
        self._names: Counter[str] = Counter()

    def take(
        self, paths: Iterable[str], *, on_bytes: Callable[[int], None] | None = None
    ) -> Iterator[dict[str, Any]]:
        """The cases in some files, as the lines of a file have them.

        What is asked and done just as in an earlier trace is one case with it.

        Raises:
            UnreadableInput: a file cannot be read, or there is no trace in it.
        """
        for path in paths:
            found = 0
            for item in cases_in(path, TRACES, self._inputs, on_bytes=on_bytes):
                found += 1
                if isinstance(item, BadRecord):
                    self.counts.skipped += 1
                    self._on_bad(item.place, item.problem)
                else:
                    yield from self._captured(*item, path)
            if not found:
                raise UnreadableInput(path, "there is no trace in it.")

    def _captured(self, place: str, case: Case, path: str) -> Iterator[dict[str, Any]]:
        if case.actual is None:
            self.counts.skipped += 1
            self._on_bad(place, "it does not say what was called.")
            return
        notes = _notes(case.actual)
        expected = expected_records(map(_expectation, case.actual))
        content = fingerprint([case.input, expected])
        if case.input is not None and content in self._seen:
            self.counts.repeated += 1
            return
        self._seen.add(content)
        self.counts.cases += 1
        self.counts.without_input += case.input is None
        self.counts.to_review += bool(notes)
        record = {
            "id": self._name(case, path),
            "input": case.input,
            "expected": expected,
            "tags": list(case.tags),
            "metadata": _metadata(case, place, notes),
        }
        yield record

    def _name(self, case: Case, path: str) -> str:
        name = case.id or name_from(case.input) or PurePath(path).name.partition(".")[0] or "trace"
        self._names[name] += 1
        number = self._names[name]
        while number > 1 and self._names[f"{name}-{number}"]:
            number += 1
        if number == 1:
            return name
        self._names[f"{name}-{number}"] += 1
        return f"{name}-{number}"


def _expectation(call: ToolCall) -> ToolCall:
    """What to expect after a call: the call, without what only this one run knows of it."""
    return ToolCall(call.name, None if call.error else call.arguments or {})


def _notes(calls: Iterable[ToolCall]) -> list[str]:
    """What whoever reviews the case should look at."""
    found: list[str] = []
    for position, call in enumerate(calls):
        if call.error:
            found.append(f"expected[{position}]: the arguments could not be read; any are accepted")
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
