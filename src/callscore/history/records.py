"""The records of a history, and how they are encoded as rows of its tables and decoded."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from os import urandom
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import asdict

from callscore.core.large_number import decode_json, encode_large
from callscore.core.results import MetricValue, ScoreCounts, Status, Usage
from callscore.core.statistics import Interval, wilson
from callscore.core.summary import ToolOutcome
from callscore.hiding.finding import OPENING
from callscore.history.database import DamagedHistoryError
from callscore.history.hashing import blake2b
from callscore.words.value_text import encode_json, json_safe, json_safe_string

RunStatus = Literal["running", "finished", "interrupted"]

# What records from files must fit; those that are made here do.
_MAX_INTEGER = 2**31 - 1
_Count = Annotated[int, Meta(ge=0, le=_MAX_INTEGER)]
# Until the year 5138, which every calendar supports.
_Seconds = Annotated[float, Meta(ge=0.0, le=1e11)]
_Share = Annotated[float, Meta(ge=0.0, le=1.0)]
_Digest = Annotated[str, Meta(pattern=r"^(?:[0-9a-f]{32})?\Z")]


class RunRecord(Struct, frozen=True, kw_only=True):
    """A run.

    Attributes:
        id: sorts by time: `20261115-184354-k3f9`.
        command: `run`, `rescore`, `score` ...
        started_at: seconds since 1970.
        finished_at: seconds since 1970; None while it runs, or if its process was killed.
        name: the name that the user gave it.
        arguments: paths, selection, trials.
        versions: of callscore, Python and libraries.
        git_commit: the commit of the project; None outside of a repository.
        git_dirty: whether files had changed since.
        parent: the run whose answers it scores again.
        totals: the counts of the finished run, for lists of runs.
    """

    id: str
    command: Annotated[str, Meta(max_length=32)]
    status: RunStatus = "running"
    started_at: _Seconds
    finished_at: _Seconds | None = None
    name: str | None = None
    arguments: dict[str, Any] = {}
    versions: dict[str, str] = {}
    git_commit: Annotated[str, Meta(max_length=64)] | None = None
    git_dirty: bool | None = None
    parent: str | None = None
    totals: dict[str, Any] = {}


class EvaluationRecord(Struct, frozen=True, kw_only=True):
    """An evaluation of a run, under one variant.

    Attributes:
        run: the id of the run.
        number: its position in the run, from 0.
        variant: None if it has no variants.
        place: its file, relative to the project, and its name there.
        fail_under: the minimum of the mean of each scorer.
        tools: the definitions of the tools as plain data; None if unknown.
        summary: the totals of its results, once it is finished.
    """

    run: str
    number: _Count
    name: str
    variant: str | None = None
    place: str = ""
    settings: dict[str, Any] = {}
    scorers: tuple[str, ...] = ()
    fail_under: dict[str, float] = {}
    tools: Any = None
    summary: dict[str, Any] = {}


class ResultRecord(Struct, frozen=True, kw_only=True):
    """The result of one question.

    Attributes:
        run: the id of the run.
        evaluation: the number of the evaluation in the run.
        case: the id of the case.
        trial: counted from 1.
        position: the place of the question in the run; None if results are written in the order of
            the cases.
        payload: the case as in a case file: `input`, `expected` as written there, `tags`,
            `metadata`; and `origin`, where the answer was recorded. Equal payloads, answers, calls and comparisons are stored once.
        question: the digest of the whole question, by which answers are reused.
        answer: the answer as plain data; None if there is none.
        calls: the calls in the answer, as plain data.
        expectation: the digest of what is expected; empty if nothing is.
        asked: the digest of the case without its expectation, tags and metadata; empty if unknown.
        f1: the score of the calls; None if nothing is scored.
        counts: the numbers of calls, named in `COUNTS`.
        faults: the number of schema errors in the calls; None if schemas were not checked.
        turns: how many turns were scored; 0 if they were compared as one, None without turns.
        first_wrong_turn: the number of the first turn that did not pass, from 1.
        tools: correct, incorrect, missed, extra and forbidden calls by tool; None if they were not
            counted.
        comparison: the pairs and their differences, as `saved_scores` saves them.
        passed: whether all scorers pass.
        failure: why there is no answer: a kind, and a sentence.
        is_reused: whether the answer is from an earlier run.
        finished_at: seconds since 1970.
    """

    run: str
    evaluation: _Count
    case: str
    trial: _Count = 1
    position: _Count | None = None
    status: Status
    payload: dict[str, Any] = {}
    question: str = ""
    answer: Any = None
    calls: list[dict[str, Any]] | None = None
    expectation: _Digest = ""
    asked: _Digest = ""
    f1: _Share | None = None
    counts: tuple[_Count, ...] = ()
    faults: _Count | None = None
    turns: _Count | None = None
    first_wrong_turn: _Count | None = None
    tools: dict[str, ToolOutcome] | None = None
    comparison: dict[str, Any] | None = None
    passed: bool | None = None
    values: tuple[MetricValue, ...] = ()
    failure: tuple[Annotated[str, Meta(max_length=16)], str] | None = None
    seconds: _Seconds = 0.0
    usage: Usage = Usage()
    attempts: _Count = 1
    is_reused: bool = False
    finished_at: _Seconds = 0.0


class AnswerRecord(Struct, frozen=True, kw_only=True):
    """An answer, stored by its question for any run.

    Attributes:
        question: the digest of the input, the model, its parameters and the tools.
        source: the digest of the source text of a task that is code.
        answer: the answer as plain data.
        asked_at: seconds since 1970.
        run: the id of the run that asked; empty if none did.
    """

    question: str
    source: str
    trial: _Count
    answer: Any
    seconds: _Seconds = 0.0
    usage: Usage = Usage()
    attempts: _Count = 1
    asked_at: _Seconds = 0.0
    run: str = ""


class Baseline(Struct, frozen=True, gc=False, kw_only=True):
    """A unique name for the run (its id) that others are compared with; `set_at` since 1970."""

    name: str
    run: str
    set_at: float


# The counts of a result, in the order in which a record has them.
COUNTS = ("correct", "incorrect", "missed", "extra", "expected", "actual", "forbidden")


class EvaluationNumbers(
    Struct,
    frozen=True,
    gc=False,
    kw_only=True,
    rename={"share": "passed_share", "decided": "decided_cases"},
):
    """The totals of the cases of an evaluation.

    Attributes:
        cases: the number of cases.
        trials: the number of their trials.
        decided: the number of decided cases: a scorer has a number, or there is no answer.
        answered: the number of answers.
        passed: how many of these passed.
        share: the share of the trials that passed among those that passed or failed; a trial without
            an answer failed. None without any.
        f1: the mean score, with 0 for a missing answer; None if there are answers without a score.
        errors: the number of trials without an answer.
    """

    cases: int
    trials: int
    decided: int
    answered: int
    passed: int
    share: float | None
    f1: float | None
    errors: int

    @property
    def interval(self) -> Interval | None:
        """The 95 % Wilson interval of the share; the trials of a case count as one observation."""
        return None if self.share is None else wilson(self.share * self.decided, self.decided)


# --- payloads: values as JSON, compressed if that saves enough --------------------------------

# Shorter texts take longer to compress than everything else that is done to save them.
_MIN_SIZE = 1_000
# Compression must save enough to be worth the time of every later reader.
_MAX_RATIO = 0.85
# The fastest level; the best takes three times as long for 5 % less.
_LEVEL = 1
# Every zlib stream begins with this byte, and no JSON text does.
_ZLIB_PREFIX = b"x"
_DIGEST_SIZE = 16
_HEX_PREFIX = b"\x00"
_TEXT_PREFIX = b"\x01"

_encoder = msgspec.json.Encoder(enc_hook=encode_large)


def json_bytes(value: object) -> bytes:
    """The value as JSON; values that JSON cannot represent become text."""
    try:
        return _encoder.encode(value)
    except (TypeError, ValueError, RecursionError):
        return encode_json(value)


def json_text(value: object) -> str | None:
    """A small value as JSON, for a readable column; None for an empty value."""
    return json_bytes(value).decode() if value else None


def digest_of(body: bytes) -> bytes:
    """The digest under which a payload is stored once."""
    return blake2b(body, digest_size=_DIGEST_SIZE).digest()


def may_compress(body: bytes) -> bool:
    """Whether the payload is long enough to be compressed."""
    return len(body) >= _MIN_SIZE


def compressed(body: bytes) -> bytes:
    """The payload as stored: compressed if that saves enough."""
    if len(body) < _MIN_SIZE:
        return body
    smaller = zlib.compress(body, _LEVEL)
    return smaller if len(smaller) < len(body) * _MAX_RATIO else body


def unpack(body: bytes | None, digest: bytes | None) -> Any:
    """Decode the stored payload of this digest; None for none.

    Raises:
        DamagedHistoryError: it is missing, or it is another one.
    """
    if digest is None:
        return None
    text = stored_text(body, digest)
    if text is None:
        raise DamagedHistoryError("a saved case or answer is damaged")
    return decode_json(text)


def stored_text(body: bytes | None, digest: bytes) -> bytes | None:
    """The stored payload of this digest as JSON; None if it is missing, or is another one."""
    if not isinstance(body, bytes):
        return None
    try:
        text = zlib.decompress(body) if body[:1] == _ZLIB_PREFIX else body
    except zlib.error:
        return None
    return text if digest_of(text) == digest else None


def clean_text(text: str) -> str:
    """The text without lone surrogates and NUL characters, which databases refuse."""
    return json_safe_string(text).replace("\x00", "\\u0000")


def pack_digest(text: str) -> bytes:
    """A digest as stored: hexadecimal digits are packed to half the length."""
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        raw = b""
    return (
        _HEX_PREFIX + raw
        if raw.hex() == text
        else _TEXT_PREFIX + text.encode("utf-8", "backslashreplace")
    )


def unpack_digest(packed: bytes) -> str:
    """The inverse of `pack_digest`."""
    return packed[1:].hex() if packed[:1] == _HEX_PREFIX else packed[1:].decode()


# --- digests by which the cases of two runs are compared --------------------------------------

# Fields of a case that are not part of the question.
_NOT_ASKED = frozenset({"expected", "tags", "metadata", "origin"})

# Sorted: the order of keys is not significant.
_sorted_encoder = msgspec.json.Encoder(order="deterministic", enc_hook=encode_large)


def expectation_digest(payload: Mapping[str, Any]) -> str:
    """The digest of the expected calls of a case payload; empty if there are none."""
    expected = payload.get("expected")
    return "" if expected is None else _digest(expected)


def asked_digest(payload: Mapping[str, Any]) -> str:
    """The digest of the other fields of a case: its input and tools."""
    return _digest({key: payload[key] for key in payload if key not in _NOT_ASKED})


def calls_digest(calls: Iterable[Mapping[str, Any]] | None) -> str:
    """The digest of calls given as plain data; empty if the calls are unknown."""
    if calls is None:
        return ""
    # What identifies a call; its id, step and result differ in every run.
    return _digest([(call.get("name"), call.get("arguments"), call.get("raw")) for call in calls])


def settings_digest(settings: Mapping[str, Any], scorers: Iterable[str]) -> str:
    """The digest of the settings and scorers."""
    return _digest([settings, *scorers])


def _digest(value: object) -> str:
    try:
        body = _sorted_encoder.encode(value)
    except (TypeError, ValueError, RecursionError):
        body = _sorted_encoder.encode(json_safe(value))
    if OPENING.encode() in body:  # what has a hidden value is equal to nothing
        body = urandom(32)
    return digest_of(body).hex()


# --- records as table rows, and back ----------------------------------------------------------

# Payloads by digest.
Bodies = dict[bytes, bytes]


class StoredUsage(Struct, array_like=True, frozen=True, gc=False):
    """What an answer took, as stored in a column."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    attempts: int = 1

    def usage(self) -> Usage:
        """The requests and tokens."""
        return Usage(self.requests, self.input_tokens, self.output_tokens)


decode_score = msgspec.json.Decoder(ScoreCounts).decode
decode_usage = msgspec.json.Decoder(StoredUsage).decode


def add_payload(value: object, bodies: Bodies) -> bytes | None:
    """Add a value to the payloads to store; returns its digest, None for None."""
    if value is None:
        return None
    body = json_bytes(value)
    digest = digest_of(body)
    bodies[digest] = body
    return digest


# Fields that are stored as JSON.
_JSON = frozenset(
    ("arguments", "versions", "totals", "settings", "scorers", "fail_under", "summary")
)


def run_row(record: RunRecord | EvaluationRecord) -> dict[str, Any]:
    """The fields of a run or an evaluation, as columns of the same names."""
    row = asdict(record)
    for name, value in row.items():
        if name in _JSON:
            row[name] = json_text(value)
        elif isinstance(value, str):
            row[name] = clean_text(value)
    return row


def _decode_object(text: str | None) -> Any:
    return {} if text is None else msgspec.json.decode(text)


def run_records(rows: Iterable[Sequence[Any]]) -> list[RunRecord]:
    """Rows, with the columns of `runs` in their order, as runs."""
    # Most runs of a project have the same arguments and versions, which are decoded once.
    decode = lru_cache(maxsize=None)(_decode_object)
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
    fields |= {name: _decode_object(fields[name]) for name in _JSON & fields.keys()}
    tools = unpack(row.tools_body, row.tools)
    fields |= {"run": run, "scorers": tuple(fields["scorers"]), "tools": tools}
    return EvaluationRecord(**fields)


def result_values(record: ResultRecord, bodies: Bodies) -> list[Any]:
    """A result as the values of its columns, in their order, from `evaluation` on."""
    kind, failure = record.failure or (None, None)
    payload = add_payload(record.payload or None, bodies)
    calls = add_payload(record.calls, bodies)
    # The answer of a file is its calls.
    answer = calls if record.answer is record.calls else add_payload(record.answer, bodies)
    digests = (record.expectation, record.asked, calls_digest(record.calls))
    return [
        record.evaluation,
        clean_text(record.case),
        record.trial,
        record.position,
        record.status,
        record.passed,
        record.f1,
        json_text(record.payload.get("tags")),
        _score_text(record),
        payload,
        pack_digest(record.question),
        answer,
        calls,
        kind,
        None if failure is None else clean_text(failure),
        record.seconds,
        json_bytes((*_usage_values(record.usage), record.attempts)).decode(),
        record.is_reused,
        record.finished_at,
        add_payload(record.comparison, bodies),
        b"".join(map(_digest_bytes, digests)),
    ]


def _score_text(record: ResultRecord) -> str | None:
    score = ScoreCounts(
        counts=record.counts,
        values=tuple(
            [(each.name, each.value, each.reason, each.is_broken) for each in record.values]
        ),
        faults=None if record.faults is None else min(record.faults, _MAX_INTEGER),
        turns=record.turns,
        first_wrong_turn=record.first_wrong_turn,
        tools=record.tools,
    )
    return None if score == _NO_SCORE else json_bytes(score).decode()


_NO_SCORE = ScoreCounts()
_NO_DIGEST = bytes(_DIGEST_SIZE)


def _digest_bytes(text: str) -> bytes:
    """A digest as stored, zeros for none; any other text is replaced by its own digest."""
    if not text:
        return _NO_DIGEST
    try:
        found = bytes.fromhex(text)
    except ValueError:
        found = b""
    return found if len(found) == _DIGEST_SIZE else digest_of(clean_text(text).encode())


def digest_texts(digests: bytes) -> list[str]:
    """The digests of what is expected, of what is asked, and of the calls; empty for none."""
    parts = [digests[at : at + _DIGEST_SIZE] for at in range(0, 3 * _DIGEST_SIZE, _DIGEST_SIZE)]
    return ["" if part == _NO_DIGEST else part.hex() for part in parts]


def _usage_values(usage: Usage) -> tuple[int, int, int]:
    # Servers may report any number, even one that does not fit the column.
    return (
        min(usage.requests, _MAX_INTEGER),
        min(usage.input_tokens, _MAX_INTEGER),
        min(usage.output_tokens, _MAX_INTEGER),
    )


def result_record(row: Any, run: str) -> ResultRecord:
    """A row, with the bodies of its payloads, as a result of this run."""
    score = _NO_SCORE if row.score is None else decode_score(row.score)
    usage = decode_usage(row.usage)
    expectation, asked, _ = digest_texts(row.digests)
    return ResultRecord(
        run=run,
        evaluation=row.evaluation,
        case=row.case_id,
        trial=row.trial,
        position=row.position,
        status=row.status,
        payload=unpack(row.payload_body, row.payload) or {},
        question=unpack_digest(row.question),
        answer=unpack(row.answer_body, row.answer),
        calls=unpack(row.calls_body, row.calls),
        expectation=expectation,
        asked=asked,
        f1=row.f1,
        counts=score.counts,
        faults=score.faults,
        turns=score.turns,
        first_wrong_turn=score.first_wrong_turn,
        tools=score.tools,
        comparison=unpack(row.comparison_body, row.comparison),
        passed=None if row.passed is None else bool(row.passed),
        values=score.metric_values(),
        failure=None if row.failure_kind is None else (row.failure_kind, row.failure),
        seconds=row.seconds,
        usage=usage.usage(),
        attempts=usage.attempts,
        is_reused=bool(row.is_reused),
        finished_at=row.finished_at,
    )


def answer_values(record: AnswerRecord, bodies: Bodies) -> list[Any]:
    """An answer as the values of its columns, in their order, from `question` on."""
    return [
        pack_digest(record.question),
        pack_digest(record.source),
        record.trial,
        add_payload(record.answer, bodies),
        record.seconds,
        *_usage_values(record.usage),
        record.attempts,
        record.asked_at,
    ]


def answer_record(row: Any) -> AnswerRecord:
    """A row, with the body of its payload, as an answer."""
    return AnswerRecord(
        question=unpack_digest(row.question),
        source=unpack_digest(row.source),
        trial=row.trial,
        answer=unpack(row.answer_body, row.answer),
        seconds=row.seconds,
        usage=Usage(row.requests, row.input_tokens, row.output_tokens),
        attempts=row.attempts,
        asked_at=row.asked_at,
        run=row.run_id or "",
    )
