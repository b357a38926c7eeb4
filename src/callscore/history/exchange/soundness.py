"""Whether a record that others have made can be kept, and will harm nobody who looks at it later."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta, Struct

from callscore.core.argument_rules import ArgumentRule
from callscore.core.settings import settings_from
from callscore.errors import CallscoreError
from callscore.history.records import AnswerRecord, EvaluationRecord, ResultRecord, RunRecord
from callscore.history.run_names import name_fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["fault_in"]

_Record = RunRecord | EvaluationRecord | ResultRecord | AnswerRecord

# Files are named for runs, and people type their ids; none is one of our own words.
_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,63}", re.ASCII)
_LATEST = "latest"
_DIGEST = re.compile(r"(?:[0-9a-f]{32})?", re.ASCII)
# As much as a column holds.
_SHORT = 32
_COMMIT = 64
_KIND = 16
_MOST = 2**31 - 1
_COUNTS = 7  # as many as a result has
_MOST_ATTEMPTS = 2**15 - 1
# Some time in the year 5138, which every calendar still knows.
_LAST_MOMENT = 1e11
_FUNCTIONS = ("judge", "similarity")
# Of many results; and a share of them, which rounding may leave a little above 1.
_Count = Annotated[int, Meta(ge=0, le=2**53)]
_Share = Annotated[float, Meta(ge=0.0, le=1.000001)]


class _Scorer(Struct):
    """What a scorer says of all answers."""

    name: str
    mean: float | None = None
    scored: _Count = 0
    passed: _Count = 0
    threshold: float | None = None


class _Totals(Struct):
    """What many results come to; there may be more."""

    cases: _Count = 0
    answered: _Count = 0
    passed: _Count = 0
    undecided: _Count = 0
    errors: _Count = 0
    reused: _Count = 0
    skipped: _Count = 0
    forbidden: _Count = 0
    requests: _Count = 0
    input_tokens: _Count = 0
    output_tokens: _Count = 0
    seconds: Annotated[float, Meta(ge=0.0)] | None = None
    passed_share: _Share | None = None
    f1: _Share | None = None
    macro_f1: _Share | None = None
    macro_f1_interval: tuple[_Share, _Share] | None = None
    scorers: list[_Scorer] = []


class _Difference(Struct):
    """How a pair differs in one place."""

    pair: int
    path: str
    reason: str


class _Fault(Struct):
    """What is wrong with a call by its schema."""

    tool: str
    kind: str
    index: int
    reason: str


class _Comparison(Struct):
    """Which calls are paired, and how they differ."""

    pairs: list[tuple[int, int, bool]] = []
    missed: list[int] = []
    extra: list[int] = []
    forbidden: list[int] = []
    differences: list[_Difference] = []
    faults: list[_Fault] = []
    expected: list[Any] = []
    actual: list[dict[str, Any]] = []


class _Settings(Struct):
    """Those of the settings that are made of more than words and numbers."""

    arguments: list[ArgumentRule] | None = None


class _Files(Struct):
    """Where what `score` has scored stands."""

    cases: list[str] = []
    actual: list[str] = []


class _Asked(Struct):
    """What `run` was asked for, by which it goes on."""

    paths: list[str] | None = None
    keyword: str | None = None
    tags: list[str] | None = None
    limit: int | None = None
    trials: int | None = None
    cases: list[tuple[str, str | None, str]] | None = None


class _Payload(Struct):
    """What others read of a case without looking at it as a case."""

    tags: list[str] = []
    expected: list[Any] | None = None


def fault_in(record: _Record) -> str | None:
    """What is wrong with a record that has the right types; None where nothing is."""
    return next(_FAULTS[type(record)](record), None)


def _run(run: RunRecord) -> Iterator[str]:
    for field in ("id", "parent"):
        name = getattr(run, field)
        if name is not None and not _is_id(name):
            yield f"{field}: {name!r} is not the id of a run."
    if len(run.command) > _SHORT:
        yield f"command: longer than {_SHORT} characters."
    if run.git_commit is not None and len(run.git_commit) > _COMMIT:
        yield f"git_commit: longer than {_COMMIT} characters."
    for field in ("started_at", "finished_at"):
        yield from _moment(field, getattr(run, field))
    fault = None if run.name is None else name_fault(run.name)
    if fault is not None:
        yield f"name: a run cannot be called {run.name!r}: {fault}."
    yield from _shape("totals", run.totals, _Totals)
    if run.command in _ARGUMENTS:
        yield from _shape("arguments", run.arguments, _ARGUMENTS[run.command])


def _is_id(name: str) -> bool:
    return _ID.fullmatch(name) is not None and name != _LATEST


def _evaluation(record: EvaluationRecord) -> Iterator[str]:
    yield from _count("number", record.number)
    yield from _shape("summary", record.summary, _Totals)
    yield from _shape("settings", record.settings, _Settings)
    yield from _settings(record.settings)
    yield from _finite("thresholds", record.thresholds.values())


def _settings(settings: dict[str, Any]) -> Iterator[str]:
    """What nobody could score by; of functions only the names are kept, and not looked at."""
    chosen = {name: value for name, value in settings.items() if name not in _FUNCTIONS}
    try:
        rules = chosen.pop("arguments", None) or ()
        chosen["arguments"] = tuple([msgspec.convert(rule, ArgumentRule) for rule in rules])
        settings_from(chosen)
    except (CallscoreError, TypeError, ValueError, RecursionError) as error:
        yield f"settings: {str(error).rstrip('.')}."


def _result(record: ResultRecord) -> Iterator[str]:
    for field in ("evaluation", "trial", "faults"):
        yield from _count(field, getattr(record, field))
    yield from _cost(record)
    yield from _moment("finished_at", record.finished_at)
    yield from _calls(record)
    yield from _finite("values", [each.value for each in record.values])
    if record.f1 is not None and not 0 <= record.f1 <= 1:
        yield f"f1: {record.f1} is not a number from 0 to 1."
    yield from _shape("payload", record.payload, _Payload)
    yield from _shape("comparison", record.comparison or {}, _Comparison)
    if record.failure is not None and len(record.failure[0]) > _KIND:
        yield f"failure: its kind is longer than {_KIND} characters."
    for field in ("expectation", "asked"):
        if not _DIGEST.fullmatch(getattr(record, field)):
            yield f"{field}: not a digest of 32 hexadecimal digits."


def _calls(record: ResultRecord) -> Iterator[str]:
    if len(record.counts) not in (0, _COUNTS):
        yield f"counts: {len(record.counts)} numbers, and not {_COUNTS}."
    of_tools = [count for counts in (record.tools or {}).values() for count in counts]
    for count in (*record.counts, *of_tools):
        yield from _count("counts", count)


def _answer(record: AnswerRecord) -> Iterator[str]:
    yield from _count("trial", record.trial)
    yield from _cost(record)
    yield from _moment("asked_at", record.asked_at)


def _cost(record: ResultRecord | AnswerRecord) -> Iterator[str]:
    usage = record.usage
    for field in ("requests", "input_tokens", "output_tokens"):
        yield from _count(f"usage: {field}", getattr(usage, field))
    yield from _count("attempts", record.attempts, _MOST_ATTEMPTS)
    yield from _moment("seconds", record.seconds)


def _shape(field: str, value: dict[str, Any], shape: type[Struct]) -> Iterator[str]:
    try:
        msgspec.convert(value, shape)
    except (msgspec.ValidationError, RecursionError) as error:
        yield f"{field}: {error}."


def _count(field: str, value: int | None, most: int = _MOST) -> Iterator[str]:
    if value is not None and not 0 <= value <= most:
        yield f"{field}: {value} is not a number from 0 to {most}."


def _finite(field: str, values: Iterable[float | None]) -> Iterator[str]:
    for value in values:
        if value is not None and not isfinite(value):
            yield f"{field}: {value} is no number."


def _moment(field: str, value: float | None) -> Iterator[str]:
    if value is not None and not 0 <= value <= _LAST_MOMENT:
        yield f"{field}: {value} is no number of seconds."


_ARGUMENTS: dict[str, type[Struct]] = {"score": _Files, "run": _Asked}

_FAULTS: dict[type[_Record], Any] = {
    RunRecord: _run,
    EvaluationRecord: _evaluation,
    ResultRecord: _result,
    AnswerRecord: _answer,
}
