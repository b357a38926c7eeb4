"""Records without secrets and data of customers, as a history saves and exports them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.arguments import Difference
from callscore.core.score import Fault
from callscore.hiding.hider import Hider, contains_marker, numbered
from callscore.history.records import (
    AnswerRecord,
    EvaluationRecord,
    ResultRecord,
    asked_digest,
    expectation_digest,
)


class _Messages(Struct, frozen=True):
    """Messages of a record, which may have markers already."""

    reason: tuple[str | None, ...]


# The fields of a saved score that have data: all of a field, its fields, or those of a type. The others are
# positions, counts and kinds.
_PAIR = {"differences": Difference, "differing": None}
_GROUP: dict[str, Any] = {"call": None, "pattern": None}
_GROUP["members"] = _GROUP
_COMPARED: dict[str, Any] = {
    "incorrect": _PAIR,
    "accepted": _PAIR,
    "faults": Fault,
    "ignored": {"call": None},
    "assumed_writes": None,
    "expectation": _GROUP,
    "expected": None,
    "actual": None,
}


def _with_values(saved: Any, fields: Any, change: Callable[[Any], Any]) -> Any:
    """A saved score in which each value is what `change` returns for it, in order."""
    is_list = isinstance(saved, list | tuple)
    if fields is None or not (is_list or isinstance(saved, dict)) or _is_call(saved, fields):
        return change(saved)
    if is_list:
        return [_with_values(each, fields, change) for each in saved]
    if isinstance(fields, dict):
        return {
            key: _with_values(each, fields[key], change) if key in fields else each
            for key, each in saved.items()
        }
    try:
        typed = fields(**saved)
    except TypeError:  # of a damaged file
        typed = saved
    hidden = change(typed)
    return {name: getattr(hidden, name) for name in saved} if isinstance(hidden, fields) else hidden


def _is_call(saved: Any, fields: Any) -> bool:
    is_item = fields is _GROUP and isinstance(saved, dict)
    return is_item and _GROUP.keys().isdisjoint(saved)


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
        names = ("payload", "answer", "calls")
        kind, problem = record.failure or ("", None)
        messages = _Messages((problem, *[each.reason for each in record.values]))
        found = [*[getattr(record, name) for name in names], messages]
        # One look at everything: in most records there is nothing to hide.
        if not self._hider.occurs_in([record.case, record.tools, record.comparison, *found]):
            return record
        case, tools = self._hider.text(record.case), self._hider.tools(record.tools)
        compared: list[Any] = []  # the values of the comparison
        _with_values(record.comparison, _COMPARED, compared.append)
        found.insert(len(names), compared)
        hidden = self._hider.data(found)
        if hidden is found and case == record.case and tools is record.tools:
            return record
        *fields, compared, messages = hidden
        values = iter(compared)
        problem, *reasons = messages.reason
        record = replace(
            record,
            case=self._saved_id(record.case, case),
            tools=tools,
            comparison=_with_values(record.comparison, _COMPARED, lambda _: next(values)),
            **dict(zip(names, fields, strict=True)),
            failure=None if record.failure is None else (kind, problem or ""),
            values=tuple(
                [
                    replace(each, reason=reason)
                    for each, reason in zip(record.values, reasons, strict=True)
                ]
            ),
        )
        return replace(
            record,
            expectation=record.expectation and expectation_digest(record.payload),
            asked=record.asked and asked_digest(record.payload),
        )

    def _saved_id(self, case: str, hidden: str) -> str:
        """The id of a case as it is saved: two that differ only in what is hidden stay two."""
        if not contains_marker(hidden):
            return hidden
        if case not in self._ids:
            self._ids[case] = numbered(hidden, self._saved)
        return self._ids[case]
