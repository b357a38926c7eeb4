"""Records as rows of the tables, and rows as records; nothing else knows both.

Cases, answers and definitions of tools are payloads: JSON that is stored once, by its digest. What only one result
has is in its row.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from callscore.core.large_number import decode_json
from callscore.core.results import ScoreCounts, Usage
from callscore.history.database import DamagedHistoryError
from callscore.history.records import (
    AnswerRecord,
    EvaluationRecord,
    ResultRecord,
    RunRecord,
    calls_digest,
    clean_text,
    digest_of,
    json_bytes,
)

# Payloads by digest.
Bodies = dict[bytes, bytes]

# Shorter texts take longer to compress than everything else that is done to save them.
COMPRESSED_FROM = 1_000
# Compression must save enough to be worth the time of every later reader.
_MAX_RATIO = 0.85
# The fastest level; the best takes three times as long for 5 % less.
_LEVEL = 1
# Every zlib stream begins with this byte, and no JSON text does.
_ZLIB_PREFIX = b"x"


def compressed(body: bytes) -> bytes:
    """JSON as stored: compressed if that saves enough."""
    if len(body) < COMPRESSED_FROM:
        return body
    smaller = zlib.compress(body, _LEVEL)
    return smaller if len(smaller) < len(body) * _MAX_RATIO else body


def _expanded(body: bytes) -> bytes:
    return zlib.decompress(body) if body[:1] == _ZLIB_PREFIX else body


def add_payload(value: object, bodies: Bodies) -> bytes | None:
    """Add a value to the payloads to store; returns its digest, None for None."""
    if value is None:
        return None
    body = json_bytes(value)
    digest = digest_of(body)
    bodies[digest] = body
    return digest


def unpack(body: bytes | None, digest: bytes | None) -> Any:
    """Decode the stored payload of this digest; None for none.

    Raises:
        DamagedHistoryError: it is missing, or it is another one.
    """
    if digest is None:
        return None
    if not is_payload(body, digest):
        raise DamagedHistoryError("a saved case or answer is damaged")
    return decode_json(_expanded(body))  # type: ignore[arg-type]  # a payload is never None


def is_payload(body: bytes | None, digest: bytes) -> bool:
    """Whether this is the stored payload of this digest."""
    try:
        return isinstance(body, bytes) and digest_of(_expanded(body)) == digest
    except zlib.error:
        return False


# --- runs and evaluations -------------------------------------------------------------------------

# Fields that are stored as JSON.
_JSON = frozenset(
    ("arguments", "versions", "totals", "settings", "scorers", "fail_under", "summary")
)


def json_text(value: object) -> str | None:
    """A small value as JSON, for a readable column; None for an empty value."""
    return json_bytes(value).decode() if value else None


def run_row(record: RunRecord | EvaluationRecord) -> dict[str, Any]:
    """The fields of a run or an evaluation, as columns of the same names."""
    row = asdict(record)
    for name, value in row.items():
        if name in _JSON:
            row[name] = json_text(value)
        elif isinstance(value, str):
            row[name] = clean_text(value)
    return row


def decode_object(text: str | None, kind: Any = dict[str, Any]) -> Any:
    """A small value that `json_text` has written; anything else than this kind is damage."""
    return kind() if text is None else msgspec.json.decode(text, type=kind)


def run_records(rows: Iterable[Sequence[Any]]) -> list[RunRecord]:
    """Rows, with the columns of `runs` in their order, as runs."""
    # Most runs of a project have the same arguments and versions, which are decoded once.
    decode = lru_cache(maxsize=None)(decode_object)
    records: list[RunRecord] = []
    for _, *columns in rows:
        fields = dict(zip(RunRecord.__struct_fields__, columns, strict=False))
        fields |= {name: decode(fields[name]) for name in _JSON & fields.keys()}
        if fields["git_dirty"] is not None:
            fields["git_dirty"] = bool(fields["git_dirty"])
        records.append(RunRecord(**fields))
    return records


def evaluation_row(record: EvaluationRecord, number: int, bodies: Bodies) -> dict[str, Any]:
    """An evaluation as a row, with the number of its run; the totals of tags are counted when that ends."""
    return {**run_row(record), "run": number, "tools": add_payload(record.tools, bodies)}


def evaluation_record(row: Any, run: str) -> EvaluationRecord:
    """A row as an evaluation of this run."""
    fields = {name: getattr(row, name) for name in EvaluationRecord.__struct_fields__}
    scorers = decode_object(fields.pop("scorers"), tuple[str, ...])
    fields |= {name: decode_object(fields[name]) for name in _JSON & fields.keys()}
    tools = unpack(row.tools_body, row.tools)
    fields |= {"run": run, "scorers": scorers, "tools": tools}
    return EvaluationRecord(**fields)


# --- results and answers as rows -----------------------------------------------------------------


class StoredOutcome(Struct, array_like=True, frozen=True, gc=False):
    """The column `outcome`: the counts and values of a result, and why there is no answer."""

    score: ScoreCounts = ScoreCounts()
    failure: tuple[str, str] | None = None


class StoredUsage(Struct, array_like=True, frozen=True, gc=False):
    """The column `usage`: what an answer took."""

    seconds: float = 0.0
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    attempts: int = 1


# Most results of a run have the same few.
decode_outcome = lru_cache(maxsize=10_000)(msgspec.json.Decoder(StoredOutcome).decode)
_decode_usage = msgspec.json.Decoder(StoredUsage).decode
decode_tags = lru_cache(maxsize=10_000)(msgspec.json.Decoder(tuple[str, ...]).decode)


def result_row(record: ResultRecord, run: int, bodies: Bodies) -> tuple[Any, ...]:
    """A result as the values of its columns, given the number of its run."""
    # The answer of a file is its calls.
    answer = None if record.answer == record.calls else record.answer
    inside = {"calls": record.calls, "comparison": record.comparison}
    body = {name: value for name, value in inside.items() if value is not None}
    digests = (record.expectation, record.asked, calls_digest(record.calls))
    return (
        run,
        record.evaluation,
        clean_text(record.case),
        record.trial,
        record.position,
        record.status,
        record.passed,
        record.f1,
        json_text(record.payload.get("tags")),
        record.finished_at,
        json_bytes(StoredOutcome(record.score_counts, record.failure)).decode(),
        _usage_text(record),
        record.is_reused,
        clean_text(record.question) or None,
        b"".join([bytes.fromhex(each) or _NO_DIGEST for each in digests]),
        add_payload(record.payload or None, bodies),
        add_payload(answer, bodies),
        compressed(json_bytes(body)) if body else None,
    )


_NO_DIGEST = bytes(16)


def digest_texts(digests: bytes) -> list[str]:
    """The digests of what is expected, of what is asked, and of the calls; empty for none."""
    parts = [digests[at : at + 16] for at in (0, 16, 32)]
    return ["" if part == _NO_DIGEST else part.hex() for part in parts]


def _usage_text(record: ResultRecord | AnswerRecord) -> str:
    usage = record.usage
    return json_bytes(
        StoredUsage(
            record.seconds,
            usage.requests,
            usage.input_tokens,
            usage.output_tokens,
            record.attempts,
        )
    ).decode()


def _usage_fields(text: str) -> dict[str, Any]:
    found = _decode_usage(text)
    usage = Usage(found.requests, found.input_tokens, found.output_tokens)
    return {"seconds": found.seconds, "usage": usage, "attempts": found.attempts}


def result_record(row: Any, run: str) -> ResultRecord:
    """A row, with the bodies of its payloads, as a result of this run.

    Without these, its case has only tags, and there are neither calls nor a comparison.
    """
    score, failure = (found := decode_outcome(row.outcome)).score, found.failure
    payload = unpack(row.payload_body, row.payload)
    if payload is None:
        payload = {"tags": list(decode_tags(row.tags))} if row.tags else {}
    body = decode_json(_expanded(row.body)) if row.body else {}
    if not (isinstance(payload, dict) and isinstance(body, dict)):
        raise DamagedHistoryError("a saved result is damaged")
    calls = body.get("calls")
    expectation, asked, _ = digest_texts(row.digests)
    return ResultRecord(
        run=run,
        evaluation=row.evaluation,
        case=row.case_id,
        trial=row.trial,
        position=row.position,
        status=row.status,
        payload=payload,
        question=row.question or "",
        answer=calls if row.answer is None else unpack(row.answer_body, row.answer),
        calls=calls,
        expectation=expectation,
        asked=asked,
        f1=row.f1,
        counts=score.counts,
        faults=score.faults,
        turns=score.turns,
        first_wrong_turn=score.first_wrong_turn,
        tools=score.tools,
        comparison=body.get("comparison"),
        passed=None if row.passed is None else bool(row.passed),
        values=score.metric_values(),
        failure=failure,
        is_reused=bool(row.is_reused),
        finished_at=row.finished_at,
        **_usage_fields(row.usage),
    )


def answer_row(record: AnswerRecord, run: int | None, bodies: Bodies) -> tuple[Any, ...]:
    """An answer as the values of its columns, given the number of its run."""
    return (
        run,
        clean_text(record.question),
        clean_text(record.source),
        record.trial,
        add_payload(record.answer, bodies),
        _usage_text(record),
        record.asked_at,
    )


def answer_record(row: Any) -> AnswerRecord:
    """A row, with the body of its payload, as an answer."""
    return AnswerRecord(
        question=row.question,
        source=row.source,
        trial=row.trial,
        answer=unpack(row.answer_body, row.answer),
        asked_at=row.asked_at,
        run=row.run_id or "",
        **_usage_fields(row.usage),
    )
