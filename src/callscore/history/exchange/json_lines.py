"""Runs as JSON lines that any history can import, and the checks of records from files.

The first line has the run; then each evaluation, each result and, for an unfinished run, each answer has a line of
its own. An exported file ends with a line of counts, so that a truncated file is detected; a file that is written
during a run has no such line. A file may contain several runs, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import asdict, replace

from callscore.core.large_number import decode_json, encode_large
from callscore.core.settings import ArgumentRule, settings_from
from callscore.core.totals import SavedCases
from callscore.errors import CallscoreError, UnreadableInput
from callscore.history.records import (
    COUNTS,
    AnswerRecord,
    EvaluationRecord,
    ResultRecord,
    RunRecord,
)
from callscore.history.run_metadata import is_run_id, name_problem
from callscore.history.saved_scores import SavedScore
from callscore.history.saved_totals import COUNTS_KEY, counts_problem
from callscore.words.value_text import encode_json

Record = RunRecord | EvaluationRecord | ResultRecord | AnswerRecord

# --- checks of records from files -------------------------------------------------------------

_FUNCTIONS = ("judge", "similarity")
# Totals; a share may be a little above 1 after rounding.
_Count = Annotated[int, Meta(ge=0, le=2**53)]
_Share = Annotated[float, Meta(ge=0.0, le=1.000001)]


class _Scorer(Struct):
    """The totals of a scorer."""

    name: str
    mean: float | None = None
    scored: _Count = 0
    passed: _Count = 0
    fail_under: float | None = None


class _Totals(Struct):
    """Totals of results; other fields are allowed."""

    cases: _Count = 0
    trials: _Count = 0
    decided_cases: _Count = 0
    planned_cases: _Count = 0
    planned_trials: _Count = 0
    answered: _Count = 0
    passed: _Count = 0
    undecided: _Count = 0
    errors: _Count = 0
    reused: _Count = 0
    skipped: _Count = 0
    unreadable: _Count = 0
    forbidden: _Count = 0
    requests: _Count = 0
    input_tokens: _Count = 0
    output_tokens: _Count = 0
    seconds: Annotated[float, Meta(ge=0.0)] | None = None
    passed_share: _Share | None = None
    f1: _Share | None = None
    f1_interval: tuple[_Share, _Share] | None = None
    scorers: list[_Scorer] = []
    saved_results: _Count | None = None


class _ScoreArguments(Struct):
    """Arguments of `score`: its files."""

    cases: list[str] = []
    actual: list[str] = []
    saved_cases: SavedCases = "all"


class _RunArguments(Struct):
    """Arguments of `run`, with which it is resumed."""

    paths: list[str] | None = None
    keyword: str | None = None
    tags: list[str] | None = None
    limit: int | None = None
    trials: int | None = None
    cases: list[tuple[str, str | None, str]] | None = None


class _Payload(Struct):
    """The fields of a case payload that are read without parsing the case."""

    tags: list[str] = []
    expected: list[Any] | None = None


# What the records have as plain data.


class _Run(Struct):
    totals: _Totals | None = None


class _ScoreRun(_Run):
    arguments: _ScoreArguments | None = None


class _AskedRun(_Run):
    arguments: _RunArguments | None = None


class _Evaluation(Struct):
    summary: _Totals | None = None


class _Result(Struct):
    payload: _Payload | None = None
    comparison: SavedScore | None = None


_RUNS: dict[str, type[Struct]] = {"score": _ScoreRun, "run": _AskedRun}
_SHAPES: dict[Any, type[Struct]] = {EvaluationRecord: _Evaluation, ResultRecord: _Result}


def _problem_of(record: object) -> str:
    """What is wrong with a record whose fields have the right types; empty if nothing is."""
    if isinstance(record, RunRecord):
        return _run_problem(record)
    if isinstance(record, ResultRecord) and len(record.counts) not in (0, len(COUNTS)):
        return f"counts: {len(record.counts)} numbers instead of {len(COUNTS)}."
    return _evaluation_problem(record) if isinstance(record, EvaluationRecord) else ""


def _run_problem(run: RunRecord) -> str:
    for field, name in (("id", run.id), ("parent", run.parent)):
        if name is not None and not is_run_id(name):
            return f"{field}: {name!r} is not the id of a run, such as 20261115-184354-k3f9."
    fault = None if run.name is None else name_problem(run.name)
    return "" if fault is None else f"name: invalid run name {run.name!r}: {fault}."


def _evaluation_problem(record: EvaluationRecord) -> str:
    problem = counts_problem(record.summary)
    if problem:
        return f"summary: {problem}"
    if COUNTS_KEY in record.summary and not record.scorers:
        return f"summary: {COUNTS_KEY}: the evaluation has no scorer."
    # Functions are stored by name only, and are not checked.
    settings = {key: value for key, value in record.settings.items() if key not in _FUNCTIONS}
    try:
        rules = msgspec.convert(settings.get("arguments") or (), tuple[ArgumentRule, ...])
        settings_from({**settings, "arguments": rules})
    except (CallscoreError, TypeError, ValueError, RecursionError) as error:
        return f"settings: {str(error).rstrip('.')}."
    return ""


# --- lines: one JSON object each, the run first -----------------------------------------------

VERSION = 1

_HEADER_KEY = "callscore"
_RUN = "run"
_HAS_END = "has_end"
_END = "end"


class _RecordCounts(Struct):
    """The numbers of evaluations and results of a run."""

    evaluations: int = 0
    results: int = 0


# Types by their key in a line; the line of a run has a header, too.
_KINDS: dict[str, Any] = {
    _RUN: RunRecord,
    "evaluation": EvaluationRecord,
    "result": ResultRecord,
    "answer": AnswerRecord,
    _END: _RecordCounts,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}

_encoder = msgspec.json.Encoder(enc_hook=encode_large)

_EXPORT_HINT = "Create such files with: callscore export RUN"
_NO_RECORD = f"the line is not part of an exported run. {_EXPORT_HINT}"
_NEWER = (
    f"written by a newer callscore: its version is {{version}}, and this callscore reads versions up to"
    f" {VERSION}. Upgrade: pip install --upgrade callscore"
)


def encode_line(record: Record, *, has_end: bool = False) -> bytes:
    """A record as one JSON line, including the line break.

    `has_end` announces that a line with the counts of the run follows at the end.
    """
    name = _NAMES[type(record)]
    head: dict[str, Any] = {_HEADER_KEY: _RUN, "version": VERSION} if name == _RUN else {}
    if has_end:
        head[_HAS_END] = True
    try:
        return _encoder.encode({**head, name: record}) + b"\n"
    except (TypeError, ValueError, RecursionError):  # what JSON does not know becomes text
        fields = asdict(record)
        for field in {"usage", "values"} & fields.keys():  # these contain structs
            fields[field] = msgspec.to_builtins(fields[field])
        return encode_json({**head, name: fields}) + b"\n"


def end_line(*, evaluations: int, results: int) -> bytes:
    """The last line of a run, with its counts, including the line break."""
    return _encoder.encode({_END: _RecordCounts(evaluations, results)}) + b"\n"


def read_lines(lines: Iterable[bytes], name: str) -> Iterator[Record]:
    """The records in some lines; evaluations, results and answers belong to the run before them.

    `name` is the file in messages.

    Raises:
        UnreadableInput: a line is damaged, the end is missing, or a newer callscore has written it.
    """
    run: RunRecord | None = None
    is_open = False  # a line with counts is expected
    seen = _RecordCounts()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{name}:{number}"
        record, has_end = _read_line(line, place, is_first=run is None)
        if isinstance(record, _RecordCounts):
            _require_counts(record, seen, place)
            is_open = False
            continue
        if isinstance(record, RunRecord):
            _require_complete(place, is_open=is_open)
            run, is_open, seen = record, has_end, _RecordCounts()
        elif run is not None:
            record = replace(record, run=run.id)
            seen.evaluations += isinstance(record, EvaluationRecord)
            seen.results += isinstance(record, ResultRecord)
        yield record
    _require_complete(name, is_open=is_open)
    if run is None:
        raise UnreadableInput(name, f"the file has no run. {_EXPORT_HINT}")


def _require_counts(end: _RecordCounts, seen: _RecordCounts, place: str) -> None:
    if end != seen:
        raise UnreadableInput(
            place,
            f"the file is incomplete: {seen.evaluations} evaluations and {seen.results} results"
            f" instead of {end.evaluations} and {end.results}. Export the run again.",
        )


def _require_complete(place: str, *, is_open: bool) -> None:
    if is_open:
        raise UnreadableInput(
            place, "the file is cut off: its last line is missing. Export the run again."
        )


def _read_line(line: bytes, place: str, *, is_first: bool) -> tuple[Record | _RecordCounts, bool]:
    """The record of a line, and for a run whether a line of counts follows at the end."""
    try:
        found = decode_json(line)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise UnreadableInput(place, f"the line is damaged: {_error_line(error)}.") from error
    if not isinstance(found, dict):
        raise UnreadableInput(place, _NO_RECORD)
    if _HEADER_KEY in found:
        version = found.get("version")
        if not isinstance(version, int) or version < 1:
            problem = f"the version is {version!r}, which is not a valid number."
            raise UnreadableInput(place, problem)
        if version > VERSION:
            raise UnreadableInput(place, _NEWER.format(version=version))
    elif is_first:
        raise UnreadableInput(place, f"the first line is not a run. {_EXPORT_HINT}")
    kinds = [name for name in _KINDS if name in found]
    if len(kinds) != 1 or (_HEADER_KEY in found) != (kinds == [_RUN]):
        raise UnreadableInput(place, _NO_RECORD)
    [kind] = kinds
    return record_from(_KINDS[kind], found[kind], place), found.get(_HAS_END) is True


def record_from(kind: type[Any], fields: object, place: str) -> Any:
    """Decode a record from plain data; an invalid one is refused."""
    try:
        record = msgspec.convert(fields, kind)
        shape = _RUNS.get(record.command, _Run) if kind is RunRecord else _SHAPES.get(kind, kind)
        msgspec.convert(fields, shape)
    except (msgspec.ValidationError, RecursionError) as error:
        raise UnreadableInput(place, f"{_NAMES[kind]}: {_error_line(error)}.") from error
    problem = _problem_of(record)
    if problem:
        raise UnreadableInput(place, f"{_NAMES[kind]}: {problem}")
    return record


def _error_line(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(".") or type(error).__name__
