"""The records of a history: runs, evaluations, results, answers, baselines."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from callscore.core.results import MetricValue, Status, Usage
from callscore.core.statistics import Interval, wilson

__all__ = [
    "COUNTS",
    "AnswerRecord",
    "Baseline",
    "EvaluationNumbers",
    "EvaluationRecord",
    "ResultRecord",
    "RunRecord",
    "RunStatus",
]


RunStatus = Literal["running", "finished", "interrupted"]


class RunRecord(Struct, frozen=True, kw_only=True):
    """A run.

    Attributes:
        id: sorts by time: `20261115-184354-k3f9`.
        command: `run`, `rescore`, `score` ...
        status: whether it finished.
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
    command: str
    status: RunStatus = "running"
    started_at: float
    finished_at: float | None = None
    name: str | None = None
    arguments: dict[str, Any] = {}
    versions: dict[str, str] = {}
    git_commit: str | None = None
    git_dirty: bool | None = None
    parent: str | None = None
    totals: dict[str, Any] = {}


class EvaluationRecord(Struct, frozen=True, kw_only=True):
    """An evaluation of a run, under one variant.

    Attributes:
        run: the run.
        number: its position in the run, from 0.
        name: its name.
        variant: the variant; None if it has no variants.
        place: its file, relative to the project, and its name there.
        settings: the settings, as plain data.
        scorers: the names of the scorers.
        thresholds: the means that they must reach.
        tools: the definitions of the tools, as plain data; None if unknown.
        summary: the totals of its results, once it is finished.
    """

    run: str
    number: int
    name: str
    variant: str | None = None
    place: str = ""
    settings: dict[str, Any] = {}
    scorers: tuple[str, ...] = ()
    thresholds: dict[str, float] = {}
    tools: Any = None
    summary: dict[str, Any] = {}


class ResultRecord(Struct, frozen=True, kw_only=True):
    """The result of one question.

    Attributes:
        run: the run.
        evaluation: the number of the evaluation in the run.
        case: the id of the case.
        trial: which repetition it is, from 1.
        status: whether there is a score.
        payload: the case as a case file has it: `input`, `expected` as it is spelled, `tags`,
            `metadata`. The same payload is kept once, however many runs have it.
        question: the digest of what was asked.
        answer: the answer as plain data; None if there is none. Kept once, likewise.
        calls: the calls that were read from it, as plain data.
        expectation: the digest of what is expected, see `history.encoding`; empty if nothing is.
        asked: likewise of what makes up the question: all of the case but that, its tags and its
            metadata. Empty in what was kept without it.
        f1: the score of the calls, with `counts`: correct, incorrect, missed, extra, expected,
            actual, forbidden. None if nothing is scored.
        counts: see `f1`.
        faults: how many errors the tools' schemas find in the calls; None if nothing was checked.
        tools: correct, incorrect, missed, extra and forbidden calls by the name of the tool; None
            where nobody has counted them.
        comparison: the pairs and their differences, by the positions of the calls, as plain data;
            None if there are none. Kept once, likewise.
        passed: whether all scorers pass.
        values: the value of each scorer.
        failure: why there is no answer: a kind, and a sentence.
        seconds: how long it took.
        usage: what it cost.
        attempts: how often it was tried.
        is_reused: whether the answer was there before.
        finished_at: seconds since 1970.
    """

    run: str
    evaluation: int
    case: str
    trial: int = 1
    status: Status
    payload: dict[str, Any] = {}
    question: str = ""
    answer: Any = None
    calls: list[dict[str, Any]] | None = None
    expectation: str = ""
    asked: str = ""
    f1: float | None = None
    counts: tuple[int, ...] = ()
    faults: int | None = None
    tools: dict[str, tuple[int, int, int, int, int]] | None = None
    comparison: dict[str, Any] | None = None
    passed: bool | None = None
    values: tuple[MetricValue, ...] = ()
    failure: tuple[str, str] | None = None
    seconds: float = 0.0
    usage: Usage = Usage()
    attempts: int = 1
    is_reused: bool = False
    finished_at: float = 0.0


class AnswerRecord(Struct, frozen=True, kw_only=True):
    """An answer by what was asked, whatever run it was for.

    Attributes:
        question: the digest of what was asked: the input, the model, its parameters, the tools.
        source: the digest of the text that defines the task, where that is code.
        trial: which repetition it is.
        answer: the answer as plain data.
        seconds: how long it took.
        usage: what it cost.
        attempts: how often it was tried.
        asked_at: seconds since 1970.
        run: the run that asked; empty if none did.
    """

    question: str
    source: str
    trial: int
    answer: Any
    seconds: float = 0.0
    usage: Usage = Usage()
    attempts: int = 1
    asked_at: float = 0.0
    run: str = ""


class Baseline(Struct, frozen=True, gc=False, kw_only=True):
    """A name for the run that others are compared with.

    Attributes:
        name: the name, of which there is one alone.
        run: the id of the run.
        set_at: when it was set, in seconds since 1970.
    """

    name: str
    run: str
    set_at: float


# The counts of a result, in the order in which a record has them.
COUNTS = ("correct", "incorrect", "missed", "extra", "expected", "actual", "forbidden")


class EvaluationNumbers(
    Struct, frozen=True, gc=False, kw_only=True, rename={"share": "passed_share"}
):
    """What the cases of an evaluation come to.

    Attributes:
        cases: how many cases there is a decision on: a scorer has a number, or there is no answer.
        answered: how many answers there are; a case counts once a trial.
        passed: how many of these passed.
        share: the mean over the cases of the share of their trials that passed; one without an
            answer did not. None without cases.
        f1: the mean over the cases of the mean score of their trials; one without an answer is
            worth 0. None if no answer has a score.
        errors: how many trials have no answer.
    """

    cases: int
    answered: int
    passed: int
    share: float | None
    f1: float | None
    errors: int

    @property
    def interval(self) -> Interval | None:
        """The 95 % Wilson interval of the share; the trials of a case count as one observation."""
        return None if self.share is None else wilson(self.share * self.cases, self.cases)
