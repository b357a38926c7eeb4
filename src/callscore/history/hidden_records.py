"""Records without secrets and data of customers, as a history saves and exports them."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.hiding.hider import Hider, contains_marker
from callscore.history.records import (
    AnswerRecord,
    EvaluationRecord,
    ResultRecord,
    asked_digest,
    expectation_digest,
)

__all__ = ["RecordHider"]


class _Messages(Struct, frozen=True):
    """Messages of a record, which may have markers already."""

    reason: tuple[str | None, ...]


class RecordHider:
    """Hides what is not saved in the records of a run: nothing gets into a history but through this.

    Args:
        is_live: whether the records are new, and not read from a history, see `Hider`.
    """

    def __init__(self, *, is_live: bool) -> None:
        self._hider = Hider(is_live=is_live)
        self._ids: dict[str, str] = {}  # of cases, as they are and as they are saved
        self._saved: dict[str, int] = {}  # how many cases have an id that begins like this

    def refresh(self) -> None:
        """Read the environment again: an agent may have changed it."""
        self._hider.refresh()

    def record(self, record: AnswerRecord | ResultRecord | EvaluationRecord) -> Any:
        """The record as it is saved; the same object if nothing in it is hidden."""
        if isinstance(record, AnswerRecord):
            answer = self._hider.data(record.answer)
            return record if answer is record.answer else replace(record, answer=answer)
        if isinstance(record, EvaluationRecord):
            # A summary may have the names of tools and cases, see `SavedCounts`.
            found = [record.tools, record.summary]
            hidden = self._hider.data(found)
            if hidden is found:
                return record
            return replace(record, tools=hidden[0], summary=hidden[1])
        return self._result(record)

    def _result(self, record: ResultRecord) -> ResultRecord:
        names = ("case", "payload", "answer", "calls", "comparison", "tools")
        kind, problem = record.failure or ("", None)
        messages = _Messages((problem, *[each.reason for each in record.values]))
        found = [*[getattr(record, name) for name in names], messages]
        hidden = self._hider.data(found)
        if hidden is found:
            return record
        *fields, messages = hidden
        problem, *reasons = messages.reason
        values = zip(record.values, reasons, strict=True)
        record = replace(
            record,
            **dict(zip(names, fields, strict=True)),
            failure=None if record.failure is None else (kind, problem or ""),
            values=tuple([replace(each, reason=reason) for each, reason in values]),
        )
        return replace(
            record,
            case=self._saved_id(found[0], record.case),
            expectation=record.expectation and expectation_digest(record.payload),
            asked=record.asked and asked_digest(record.payload),
        )

    def _saved_id(self, case: str, hidden: str) -> str:
        """The id of a case as it is saved: two that differ only in what is hidden stay two."""
        if not contains_marker(hidden):
            return hidden
        if case not in self._ids:
            saved = hidden
            while saved in self._saved:
                self._saved[hidden] += 1
                saved = f"{hidden} {self._saved[hidden]}"
            self._saved[saved] = 1
            self._ids[case] = saved
        return self._ids[case]
