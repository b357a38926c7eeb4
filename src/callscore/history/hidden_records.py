"""Records without the secrets of the environment, as a history saves and exports them."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from msgspec.structs import replace

from callscore.hiding.hider import Hider
from callscore.history.records import (
    AnswerRecord,
    EvaluationRecord,
    ResultRecord,
    asked_digest,
    expectation_digest,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.hiding.markers import Markers

__all__ = ["RecordHider"]


class RecordHider:
    """Hides secrets in records, with the markers of the history that saves them.

    Args:
        is_live: whether the records are new, and not read from a history, see `Hider`.
    """

    def __init__(self, markers: Callable[[], Markers], *, is_live: bool) -> None:
        self._data = Hider(markers, is_live=is_live)
        # Messages are hidden as they are made, and may have markers already.
        self._messages = Hider(markers)

    def refresh(self) -> None:
        """Read the environment again: an agent may have changed it."""
        self._data.refresh()
        self._messages.refresh()

    @overload
    def record(self, record: AnswerRecord) -> AnswerRecord: ...
    @overload
    def record(self, record: ResultRecord) -> ResultRecord: ...
    @overload
    def record(self, record: EvaluationRecord) -> EvaluationRecord: ...
    def record(
        self, record: AnswerRecord | ResultRecord | EvaluationRecord
    ) -> AnswerRecord | ResultRecord | EvaluationRecord:
        """The record without secrets; the same object if there are none in it."""
        if not self._data.has_any:
            return record
        if isinstance(record, AnswerRecord):
            answer = self._data.data(record.answer)
            return record if answer is record.answer else replace(record, answer=answer)
        if isinstance(record, EvaluationRecord):
            return self._evaluation(record)
        return self._result(record)

    def _evaluation(self, record: EvaluationRecord) -> EvaluationRecord:
        # A summary may have the names of tools and cases, see `counts_of`.
        found = [record.tools, record.summary]
        hidden = self._data.data(found)
        if hidden is found:
            return record
        return replace(record, tools=hidden[0], summary=hidden[1])

    def _result(self, record: ResultRecord) -> ResultRecord:
        names = ("case", "payload", "answer", "calls", "comparison", "tools")
        found = [getattr(record, name) for name in names]
        hidden = self._data.data(found)
        if hidden is not found:
            payload = dict(zip(names, hidden, strict=True))["payload"]
            record = replace(record, **dict(zip(names, hidden, strict=True)))
            if record.expectation:
                record = replace(record, expectation=expectation_digest(payload))
            if record.asked:
                record = replace(record, asked=asked_digest(payload))
        if record.failure is None and not any(each.reason for each in record.values):
            return record
        kind, problem = record.failure or ("", "")
        hide = self._messages.text
        return replace(
            record,
            failure=None if record.failure is None else (kind, hide(problem)),
            values=tuple(
                [
                    each if each.reason is None else replace(each, reason=hide(each.reason))
                    for each in record.values
                ]
            ),
        )
