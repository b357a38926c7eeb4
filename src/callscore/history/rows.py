"""How the records of a history become the rows of its tables, and come back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.results import MetricValue
from callscore.core.run import Usage
from callscore.history.digests import calls_digest
from callscore.history.packing import (
    clean_text,
    digest_of,
    json_bytes,
    json_text,
    pack_digest,
    unpack,
    unpack_digest,
)
from callscore.history.records import AnswerRecord, EvaluationRecord, ResultRecord, RunRecord
from callscore.history.tables import COUNTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Row

__all__ = [
    "Bodies",
    "answer_record",
    "answer_row",
    "evaluation_record",
    "evaluation_row",
    "kept_once",
    "result_record",
    "result_row",
    "run_record",
    "run_records",
    "run_row",
]

# What is to be kept once: texts by their digests.
Bodies = dict[bytes, bytes]

_NO_COUNTS = (None,) * len(COUNTS)
_MOST = 2**31 - 1


class _Value(msgspec.Struct, array_like=True):
    """What a scorer says, as it stands in a column."""

    name: str
    value: float | None
    reason: str | None
    is_broken: bool = False


_values = msgspec.json.Decoder(tuple[_Value, ...])
_tools = msgspec.json.Decoder(dict[str, tuple[int, int, int, int, int]])


def kept_once(value: object, bodies: Bodies) -> bytes | None:
    """The digest of a value that is added to what is to be kept; None for nothing."""
    if value is None:
        return None
    body = json_bytes(value)
    digest = digest_of(body)
    bodies[digest] = body
    return digest


def _clean(text: str | None) -> str | None:
    return None if text is None else clean_text(text)


def _read(text: str | None) -> Any:
    return {} if text is None else msgspec.json.decode(text)


def run_row(run: RunRecord) -> dict[str, Any]:
    """A run as a row."""
    return {
        "id": clean_text(run.id),
        "command": run.command,
        "status": run.status,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "name": _clean(run.name),
        "arguments": json_text(run.arguments),
        "versions": json_text(run.versions),
        "git_commit": run.git_commit,
        "git_dirty": run.git_dirty,
        "parent": run.parent,
        "totals": json_text(run.totals),
    }


def run_record(row: Sequence[Any]) -> RunRecord:
    """A row as a run."""
    [record] = run_records([row])
    return record


def run_records(rows: Iterable[Sequence[Any]]) -> list[RunRecord]:
    """Rows, with the columns of `runs` in their order, as runs.

    Most runs of a project are asked for the same things by the same versions, which is read once.
    """
    known: dict[str | None, Any] = {}
    found: list[RunRecord] = []
    for row in rows:
        _, name, command, status, started_at, finished_at, called, *others = row
        arguments, versions, git_commit, git_dirty, parent, totals = others
        for text in (arguments, versions):
            if text not in known:
                known[text] = _read(text)
        found.append(
            RunRecord(
                id=name,
                command=command,
                status=status,
                started_at=started_at,
                finished_at=finished_at,
                name=called,
                arguments=known[arguments],
                versions=known[versions],
                git_commit=git_commit,
                git_dirty=None if git_dirty is None else bool(git_dirty),
                parent=parent,
                totals=_read(totals),
            )
        )
    return found


def evaluation_row(record: EvaluationRecord, number: int, bodies: Bodies) -> dict[str, Any]:
    """An evaluation of the run of this number as a row."""
    return {
        "run": number,
        "number": record.number,
        "name": clean_text(record.name),
        "variant": _clean(record.variant),
        "place": clean_text(record.place),
        "settings": json_text(record.settings),
        "scorers": json_text(record.scorers),
        "thresholds": json_text(record.thresholds),
        "tools": kept_once(record.tools, bodies),
        "summary": json_text(record.summary),
    }


def evaluation_record(row: Row[Any], run: str) -> EvaluationRecord:
    """A row as an evaluation of this run."""
    return EvaluationRecord(
        run=run,
        number=row.number,
        name=row.name,
        variant=row.variant,
        place=row.place,
        settings=_read(row.settings),
        scorers=tuple(_read(row.scorers)),
        thresholds=_read(row.thresholds),
        tools=None if row.tools_body is None else unpack(row.tools_body),
        summary=_read(row.summary),
    )


def result_row(record: ResultRecord, number: int, bodies: Bodies) -> dict[str, Any]:
    """A result of the run of this number as a row."""
    kind, failure = record.failure or (None, None)
    row = {
        "run": number,
        "evaluation": record.evaluation,
        "case_id": clean_text(record.case),
        "trial": record.trial,
        "status": record.status,
        "passed": record.passed,
        "f1": record.f1,
        "scores": _scores_text(record.values),
        "tags": json_text(record.payload.get("tags")),
        "payload": kept_once(record.payload or None, bodies),
        "question": pack_digest(record.question),
        "answer": kept_once(record.answer, bodies),
        "calls": kept_once(record.calls, bodies),
        "failure_kind": kind,
        "failure": _clean(failure),
        "seconds": record.seconds,
        "attempts": record.attempts,
        "is_reused": record.is_reused,
        "finished_at": record.finished_at,
        "expectation": _digest_bytes(record.expectation),
        "asked": _digest_bytes(record.asked),
        "faults": None if record.faults is None else min(record.faults, _MOST),
        "tools": None if record.tools is None else json_bytes(record.tools).decode(),
        "comparison": kept_once(record.comparison, bodies),
        "made": _digest_bytes(calls_digest(record.calls)),
        **_usage_row(record.usage),
    }
    row.update(zip(COUNTS, record.counts or _NO_COUNTS, strict=False))
    return row


def _digest_bytes(text: str) -> bytes | None:
    """A digest as it is kept; what is none, for somebody has made it up, is known by its own."""
    if not text:
        return None
    try:
        return bytes.fromhex(text)
    except ValueError:
        return digest_of(clean_text(text).encode())


def _hex(digest: bytes | None) -> str:
    return "" if digest is None else digest.hex()


def _scores_text(values: tuple[MetricValue, ...]) -> str | None:
    return json_text([_value_text(each) for each in values])


def _value_text(value: MetricValue) -> tuple[str | float | None, ...]:
    """What a scorer says; that it is broken stands at the end, where it is."""
    said = (value.name, value.value, value.reason)
    return (*said, True) if value.is_broken else said


def _usage_row(usage: Usage) -> dict[str, int]:
    # A server may say anything here, also what no column holds.
    return {
        "requests": min(usage.requests, _MOST),
        "input_tokens": min(usage.input_tokens, _MOST),
        "output_tokens": min(usage.output_tokens, _MOST),
    }


def _usage(row: Row[Any]) -> Usage:
    return Usage(row.requests, row.input_tokens, row.output_tokens)


def result_record(row: Row[Any], run: str) -> ResultRecord:
    """A row, with the bodies of its payloads, as a result of this run."""
    counts = tuple(getattr(row, name) for name in COUNTS)
    return ResultRecord(
        run=run,
        evaluation=row.evaluation,
        case=row.case_id,
        trial=row.trial,
        status=row.status,
        payload={} if row.payload_body is None else unpack(row.payload_body),
        question=unpack_digest(row.question),
        answer=None if row.answer_body is None else unpack(row.answer_body),
        calls=None if row.calls_body is None else unpack(row.calls_body),
        expectation=_hex(row.expectation),
        asked=_hex(row.asked),
        f1=row.f1,
        counts=() if counts == _NO_COUNTS else counts,
        faults=row.faults,
        tools=None if row.tools is None else _tools.decode(row.tools),
        comparison=None if row.comparison_body is None else unpack(row.comparison_body),
        passed=row.passed,
        values=_values_of(row.scores),
        failure=None if row.failure_kind is None else (row.failure_kind, row.failure),
        seconds=row.seconds,
        usage=_usage(row),
        attempts=row.attempts,
        is_reused=row.is_reused,
        finished_at=row.finished_at,
    )


def _values_of(scores: str | None) -> tuple[MetricValue, ...]:
    if scores is None:
        return ()
    return tuple([MetricValue(*msgspec.structs.astuple(each)) for each in _values.decode(scores)])


def answer_row(record: AnswerRecord, number: int | None, bodies: Bodies) -> dict[str, Any]:
    """An answer as a row; it was asked for in the run of this number, where there is one."""
    return {
        "run": number,
        "question": pack_digest(record.question),
        "source": pack_digest(record.source),
        "trial": record.trial,
        "answer": kept_once(record.answer, bodies),
        "seconds": record.seconds,
        "attempts": record.attempts,
        "asked_at": record.asked_at,
        **_usage_row(record.usage),
    }


def answer_record(row: Row[Any]) -> AnswerRecord:
    """A row, with the body of its payload, as an answer."""
    return AnswerRecord(
        question=unpack_digest(row.question),
        source=unpack_digest(row.source),
        trial=row.trial,
        answer=None if row.answer_body is None else unpack(row.answer_body),
        seconds=row.seconds,
        usage=_usage(row),
        attempts=row.attempts,
        asked_at=row.asked_at,
        run=row.run_id or "",
    )
