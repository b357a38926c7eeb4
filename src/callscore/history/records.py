"""The records of a history, and how they are encoded as rows of its tables and decoded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import urandom
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from callscore.core.large_number import encode_large
from callscore.core.results import MetricValue, ScoreCounts, Status, Usage
from callscore.core.statistics import Interval, wilson
from callscore.core.summary import ToolOutcome
from callscore.hiding.finding import OPENING
from callscore.words.value_text import encode_json, json_safe, json_safe_string

try:
    from _blake2 import blake2b  # that of `hashlib`, which loads OpenSSL
except ImportError:  # pragma: no cover  (not CPython)
    from hashlib import blake2b

RunStatus = Literal["running", "finished", "interrupted"]

# What records from files must fit; those that are made here do.
_Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]
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

    @property
    def score_counts(self) -> ScoreCounts:
        """The counts of its score, and the values of the scorers, as a `Result` has them."""
        values = [(each.name, each.value, each.reason, each.is_broken) for each in self.values]
        return ScoreCounts(
            counts=self.counts,
            values=tuple(values),
            faults=self.faults,
            turns=self.turns,
            first_wrong_turn=self.first_wrong_turn,
            tools=self.tools,
        )


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


# --- values as JSON ---------------------------------------------------------------------------

_encoder = msgspec.json.Encoder(enc_hook=encode_large)
_DIGEST_SIZE = 16


def json_bytes(value: object) -> bytes:
    """The value as JSON; values that JSON cannot represent become text."""
    try:
        return _encoder.encode(value)
    except (TypeError, ValueError, RecursionError):
        return encode_json(value)


def digest_of(body: bytes) -> bytes:
    """The digest under which a payload is stored once."""
    return blake2b(body, digest_size=_DIGEST_SIZE).digest()


def clean_text(text: str) -> str:
    """The text without lone surrogates and NUL characters, which databases refuse."""
    return json_safe_string(text).replace("\x00", "\\u0000")


# --- digests by which the cases of two runs are compared --------------------------------------

# Fields of a case that are not part of the question.
_NOT_ASKED = frozenset({"expected", "tags", "metadata", "origin"})

_OPENING = OPENING.encode()

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
    if _OPENING in body:  # what has a hidden value is equal to nothing
        body = urandom(32)
    return digest_of(body).hex()
