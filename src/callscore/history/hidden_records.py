"""Records without secrets and data of customers, as a history saves and exports them."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.hiding.hider import Hider, contains_marker, numbered
from callscore.history.records import (
    AnswerRecord,
    EvaluationRecord,
    ResultRecord,
    asked_digest,
    expectation_digest,
)
from callscore.history.saved_scores import SavedScore, plain_score, read_saved


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
            # A summary may have the names of tools and cases, see `saved_totals`.
            tools, summary = self._hider.data(record.tools), self._hider.counts(record.summary)
            if tools is record.tools and summary is record.summary:
                return record
            return replace(record, tools=tools, summary=summary)
        return self._result(record)

    def _result(self, record: ResultRecord) -> ResultRecord:
        kind, problem = record.failure or ("", None)
        messages = _Messages((problem, *[each.reason for each in record.values]))
        answer = None if record.answer is record.calls else record.answer
        found: Any = [record.payload, answer, record.calls, messages]
        # One look at everything: in most records there is nothing to hide.
        if not self._hider.occurs_in([record.case, record.tools, record.comparison, *found]):
            return record
        case, tools = (
            self._hider.text(record.case),
            self._hider.counts(record.tools, has_names=True),
        )
        # With its types, which say what in it is data.
        found.append(read_saved(record.comparison) or record.comparison)
        hidden = self._hider.data(found)
        if hidden is found and case == record.case and tools is record.tools:
            return record
        payload, answer, calls, messages, compared = hidden
        answer = calls if record.answer is record.calls else answer
        problem, *reasons = messages.reason
        values = zip(record.values, reasons, strict=True)
        return replace(
            record,
            case=self._saved_id(record.case, case),
            tools=tools,
            payload=payload,
            answer=answer,
            calls=calls,
            comparison=plain_score(compared) if isinstance(compared, SavedScore) else compared,
            failure=None if record.failure is None else (kind, problem or ""),
            values=tuple([replace(each, reason=reason) for each, reason in values]),
            expectation=record.expectation and expectation_digest(payload),
            asked=record.asked and asked_digest(payload),
        )

    def _saved_id(self, case: str, hidden: str) -> str:
        """The id of a case as it is saved: two that differ only in what is hidden stay two."""
        if not contains_marker(hidden):
            return hidden
        if case not in self._ids:
            self._ids[case] = numbered(hidden, self._saved)
        return self._ids[case]
