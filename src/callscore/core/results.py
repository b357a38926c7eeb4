"""The results of cases, evaluations and runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from msgspec import Meta, Struct

from callscore.core.case import Case, Origin, origin_of
from callscore.core.score import Outcome, Score, repr_without_secrets
from callscore.core.settings import Settings
from callscore.core.summary import Summary, ToolOutcome

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class MetricValue(Struct, frozen=True, gc=False):
    """The value of a metric or scorer for one case.

    Attributes:
        value: None if it has no number.
        reason: why there is no number, or why the number is what it is, if known.
        is_broken: whether the metric does not work: it raises an error or returns text, for example.
    """

    name: str
    value: float | None = None
    reason: str | None = None
    is_broken: bool = False


class Noted(Struct, frozen=True, gc=False):
    """Things that were counted, and the names of the first of them."""

    count: int = 0
    names: tuple[str, ...] = ()


OWN_FORMAT = "cases"  # the name of the format of case files


class InputFiles(Struct, frozen=True, gc=False):
    """Files of the input that are in the same format.

    Attributes:
        formats: the names of the format, or of all formats if a file has several; `cases` is a case
            file, and what follows it are the formats of the traces in its cases.
        files: the files: how many, and the first of them.
    """

    formats: tuple[str, ...]
    files: Noted


class ScorerResult(Struct, frozen=True, gc=False, kw_only=True):
    """The result of one scorer, or of a metric of another tool, for all answers.

    Attributes:
        mean: the mean over the answers that have a number, with 0 for each missing answer; None if
            there are answers, and none has a number.
        scored: the number of these answers, and of the missing ones.
        passed: how many of them pass.
        fail_under: the lowest mean that is allowed; None for any.
        not_scorable: the answers without a number; instead of names, each reason once.
        broken: the answers for which the scorer does not work, in neither of these counts; instead
            of names, the reasons, with the line of the scorer if it is known.
        version: the version of the other tool that the metric was compared with; None if unknown.
    """

    name: str
    mean: float | None = None
    scored: int = 0
    passed: int = 0
    fail_under: float | None = None
    not_scorable: Noted = Noted()
    broken: Noted = Noted()
    version: str | None = None

    @property
    def is_below(self) -> bool:
        """Whether the mean, or the lack of one, is below `fail_under`."""
        return self.fail_under is not None and (self.mean or 0.0) < self.fail_under


class Results(Struct, frozen=True, gc=False, kw_only=True):
    """The results of scoring many cases.

    Attributes:
        shown: the results to show, in the order of the input, with those that have no answer; those in
            which nothing is expected are there if all cases are.
        not_shown: the number of further cases of the kind that is shown.
        not_scored: cases without an `expected` field.
        not_run: cases without an answer: references without a trace, records without actual calls.
            They count as 0, and did not pass.
        without_reference: traces without a reference.
        repeated: cases with the same id and trial as an earlier one; they are scored.
        skipped: records that cannot be read and were skipped: places and problems.
        unread: records with something that looks like calls and was not read: places and signs.
        stopped: where and why the input ends early; the rest was not read.
        metrics: the metrics of other tools over the scored cases, if requested.
        inputs: the formats of the files of the input; nothing for cases that are not from files.
        empty_files: files without any record.
        only: the case, if exactly one was scored.
        hides_calls: whether the calls of that case are not to be shown.
        title: its id, or the name of its file if it has no id; empty for several cases.
        fail_under: the required mean, to which side of which the mean is rounded; None for none.
        sample: what the scores of a sample say about all cases, as plain data; None if all were scored.
    """

    settings: Settings
    summary: Summary
    shown: tuple[Result, ...] = ()
    not_shown: int = 0
    not_scored: Noted = Noted()
    not_run: Noted = Noted()
    without_reference: Noted = Noted()
    repeated: Noted = Noted()
    skipped: Noted = Noted()
    unread: Noted = Noted()
    stopped: Noted = Noted()
    metrics: tuple[ScorerResult, ...] = ()
    inputs: tuple[InputFiles, ...] = ()
    empty_files: tuple[str, ...] = ()
    only: Result | None = None
    hides_calls: bool = False
    title: str = ""
    fail_under: float | None = None
    sample: dict[str, Any] | None = None

    @property
    def cases(self) -> tuple[Result, ...]:
        """The results to show that have a score."""
        return tuple([each for each in self.shown if each.score is not None])

    @property
    def counted(self) -> tuple[Result, ...]:
        """The results to show that count: those with a score, and those without an answer."""
        shown = self.shown
        return tuple([each for each in shown if each.score is not None or each.failure is not None])

    @property
    def has_notes(self) -> bool:
        """Whether the input contains anything but scored cases."""
        noted = (self.not_scored, self.not_run, self.without_reference, self.skipped, self.unread)
        return any(found.count for found in noted)

    def to_dict(self) -> dict[str, Any]:
        """The results as plain data that any JSON encoder accepts."""
        from callscore.words.plain_data import results_to_dict

        return results_to_dict(self)

    def to_arrow(self) -> pa.Table:
        """A table with one row for each case, with the columns of result rows.

        All cases must be in the results: score them with `show="all"` and `max_shown=None`. Records
        that cannot be read, and traces without a reference, have no rows.

        Raises:
            InvalidSettings: cases are missing from the results.
            MissingExtra: pyarrow is not installed.
        """
        from callscore.engines.result_tables import arrow_table

        return arrow_table(self)

    def to_pandas(self) -> pd.DataFrame:
        """The rows of `to_arrow` as a data frame of pandas.

        Raises:
            InvalidSettings: cases are missing from the results.
            MissingExtra: pandas or pyarrow is not installed.
        """
        from callscore.engines.result_tables import pandas_frame

        return pandas_frame(self)

    def to_polars(self) -> pl.DataFrame:
        """The rows of `to_arrow` as a data frame of Polars.

        Raises:
            InvalidSettings: cases are missing from the results.
            MissingExtra: Polars or pyarrow is not installed.
        """
        from callscore.engines.result_tables import polars_frame

        return polars_frame(self)

    def _repr_html_(self) -> str:
        from callscore.reports.html.notebook import results_markup

        return results_markup(self)

    def __str__(self) -> str:
        from callscore.words.value_text import results_line

        return results_line(self)

    def __repr__(self) -> str:
        return repr_without_secrets(self)


# Why there is no answer: the task raised an error, took too long, tried to end the process, returned
# something that no format reads, or could not be started; or the file has no answer. `unscored`: there
# is an answer, and it could not be scored, for example because the judge did not reply.
FailureKind = Literal["raised", "timeout", "exited", "unreadable", "refused", "missing", "unscored"]
# Whether there is a score: nothing may be expected, or there is no answer.
Status = Literal["scored", "error", "not_scored"]


def failure_kind(kind: str) -> FailureKind:
    """The stored kind of a failure; `raised` if it is unknown."""
    known = [each for each in get_args(FailureKind) if each == kind]
    return known[0] if known else "raised"


class Usage(Struct, frozen=True, gc=False):
    """The requests and tokens that answers cost; retries are counted as requests."""

    requests: Annotated[int, Meta(ge=0, le=2**53)] = 0
    input_tokens: Annotated[int, Meta(ge=0, le=2**53)] = 0
    output_tokens: Annotated[int, Meta(ge=0, le=2**53)] = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )


class Answer(Struct, frozen=True, kw_only=True):
    """The answer of an agent.

    Attributes:
        document: the answer as plain data, as it is stored and given to scorers.
        seconds: how long it took, including retries.
    """

    document: Any = None
    seconds: float = 0.0
    usage: Usage = Usage()
    attempts: int = 1
    is_reused: bool = False


class Failure(Struct, frozen=True, gc=False, kw_only=True):
    """A case without an answer because of an error of the agent, or with one that could not be scored.

    Attributes:
        problem: what happened, in a sentence.
        details: where it happened, such as the end of a traceback; empty if unknown.
    """

    case: str
    kind: FailureKind
    problem: str
    details: str = ""
    trial: int | None = None
    attempts: int = 1

    @property
    def label(self) -> str:
        """The case, and the trial where there is one."""
        return self.case if self.trial is None else f"{self.case} #{self.trial}"


class ScoreCounts(Struct, array_like=True, frozen=True, gc=False):
    """The counts of a score, and the values of scorers, as a column has them.

    Attributes:
        counts: correct, incorrect, missed, extra, expected, actual, forbidden; empty if nothing is
            scored.
        values: the name, value and reason of each scorer, and whether it is broken.
        faults: how many errors the schemas of the tools find; None if they are not known.
        turns: the number of turns that were scored; 0 if they were compared as one, None without.
        first_wrong_turn: the number of the first turn that did not pass, from 1; None without one.
        tools: the counts of each tool; None if they were not counted.
    """

    counts: tuple[int, ...] = ()
    values: tuple[tuple[str, float | None, str | None, bool], ...] = ()
    faults: int | None = None
    turns: int | None = None
    first_wrong_turn: int | None = None
    tools: dict[str, ToolOutcome] | None = None

    def metric_values(self) -> tuple[MetricValue, ...]:
        """The values of the scorers."""
        return tuple([MetricValue(*each) for each in self.values])

    @property
    def outcome(self) -> Outcome:
        """The outcome of a case that is scored."""
        correct, _, _, _, expected, actual, forbidden = self.counts
        return correct, expected, actual, forbidden


class Result(Struct, frozen=True, gc=False, kw_only=True, repr_omit_defaults=True):
    """One scored answer: the same value from a file, from an agent or from the database.

    Attributes:
        case: what was asked and expected; `actual` holds the calls that were made, and `trial` is
            set if there are several.
        answer: None if there is none, or if there are only calls.
        score: None if nothing is expected, or there is no answer.
        values: the numbers of scorers, and of metrics of other tools.
        passed: whether every scorer that has a number passes it, and nothing forbidden was called;
            None if no scorer has one.
        failure: why there is no answer, or why it cannot be scored.
        saved: the counts of its score, if the result was read from the database.
    """

    case: Case
    status: Status = "scored"
    answer: Answer | None = None
    score: Score | None = None
    values: tuple[MetricValue, ...] = ()
    passed: bool | None = None
    failure: Failure | None = None
    saved: ScoreCounts | None = None

    @property
    def id(self) -> str:
        """The id of the case."""
        return self.case.id

    @property
    def trial(self) -> int | str | None:
        """The number of the trial, if the case was run several times."""
        return self.case.trial

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of the case."""
        return tuple(self.case.tags)

    @property
    def input(self) -> Any:
        """The input of the case."""
        return self.case.input

    @property
    def origin(self) -> Origin | None:
        """Where the calls were recorded, if that is known."""
        return origin_of(self.case)

    @property
    def required_score(self) -> Score:
        """The score of a result that has one.

        Raises:
            ValueError: it has none.
        """
        if self.score is None:
            raise ValueError(f"the case {self.label} has no score: {self.status}")
        return self.score

    @property
    def label(self) -> str:
        """The id of the case, and the trial if there are several."""
        return self.id if self.trial is None else f"{self.id} #{self.trial}"

    def __repr__(self) -> str:
        return repr_without_secrets(self)


class CaseTrials(Struct, frozen=True, gc=False):
    """The number of trials of one case, and of those that passed; without an answer none does."""

    case: str
    trials: int
    passed: int

    @property
    def is_flaky(self) -> bool:
        """Whether it sometimes passes, and sometimes does not."""
        return 0 < self.passed < self.trials


def answer_passes(
    values: Sequence[MetricValue], pass_mark: float, *, has_forbidden: bool = False
) -> bool | None:
    """Whether an answer passes: all scorers work, and their numbers are at least `pass_mark`.

    None if no scorer has a number. An answer with a forbidden call never passes.
    """
    numbers = [found.value for found in values if found.value is not None]
    if has_forbidden or any(found.is_broken for found in values):
        return False
    return all(number >= pass_mark for number in numbers) if numbers else None


class EvaluationResults(Struct, frozen=True, kw_only=True):
    """The results of one evaluation, under one of its variants.

    Attributes:
        place: the file of the evaluation.
        variant: None if the evaluation has no variants.
        results: the summary of all scores, and the results to show, each with the values of the
            scorers; those without an answer come last.
        cases: the number of planned cases.
        questions: the number of planned answers: one per case, or one per trial of it.
        answered: how many answers were scored; a case counts once per trial.
        passed: how many of these every scorer passes, with nothing forbidden called.
        undecided: how many of these have no number from any scorer; they neither pass nor fail.
        failures: the first cases without an answer.
        errors: the number of cases without an answer, or with one that could not be scored.
        unscored: how many of these have an answer.
        skipped: cases that were left out on purpose, with the reasons if there are any.
        trials: the cases that were repeated, in the order of the plan.
        listed: the trials of every case in the order of the plan, for an evaluation with few cases.
        usage: the cost of the answers that were not reused.
        seconds: the median time of an answer; None without answers.
        reused: how many answers were stored before, and not requested again.
    """

    name: str
    place: str
    results: Results
    variant: str | None = None
    scorers: tuple[ScorerResult, ...] = ()
    cases: int = 0
    questions: int = 0
    answered: int = 0
    passed: int = 0
    undecided: int = 0
    failures: tuple[Failure, ...] = ()
    errors: int = 0
    unscored: int = 0
    skipped: Noted = Noted()
    trials: tuple[CaseTrials, ...] = ()
    listed: tuple[tuple[Result, ...], ...] = ()
    usage: Usage = Usage()
    seconds: float | None = None
    reused: int = 0

    @property
    def label(self) -> str:
        """The name, and the variant where there is one."""
        return self.name if self.variant is None else f"{self.name} [{self.variant}]"

    @property
    def not_run(self) -> int:
        """How many planned trials have neither an answer nor an error."""
        return max(self.questions - self.answered - self.errors, 0)

    @property
    def decided(self) -> int:
        """How many trials passed or failed; a trial without an answer failed."""
        return self.answered - self.undecided + self.errors

    @property
    def has_required_mean(self) -> bool:
        """Whether a scorer has a `fail_under`, which then decides instead of the cases."""
        return any(scorer.fail_under is not None for scorer in self.scorers)

    @property
    def is_failed(self) -> bool:
        """Whether its answers fail a run: a mean is too low, or, if none is required, a case failed."""
        if self.has_required_mean:
            is_below = any(scorer.is_below for scorer in self.scorers)
            return is_below or self.results.summary.forbidden_cases > 0
        return self.decided - self.errors > self.passed

    @property
    def unreferenced(self) -> tuple[Result, ...]:
        """The answers to show that have no score, because no calls are expected."""
        shown = self.results.shown
        return tuple([each for each in shown if each.score is None and each.failure is None])

    @property
    def shown(self) -> tuple[Result, ...]:
        """The answers to show: those with a score, then the others."""
        return (*self.results.cases, *self.unreferenced)


class JudgeCounts(Struct, frozen=True, gc=False):
    """The values that a model judged, and the requests sent to it; other answers were cached."""

    model: str
    judged: int = 0
    asked: int = 0


class Unloaded(Struct, frozen=True, gc=False):
    """A file of evaluations that cannot be used.

    Attributes:
        place: the file, and the line if it is known.
        problem: what is wrong, in a sentence.
        details: the end of a traceback, or empty.
    """

    place: str
    problem: str
    details: str = ""


class RunResults(Struct, frozen=True, kw_only=True):
    """The results of running evaluations.

    Attributes:
        id: the id of the run in the history; empty if it was not saved.
        unloaded: files that cannot be loaded.
        judges: the models that were used as judges.
        is_interrupted: whether it was stopped by Ctrl-C.
        is_stopped: whether it ended after the first failing case, before all were run.
        warnings: other problems, as sentences.
        unreadable: the number of records of scored files that could not be read.
    """

    id: str = ""
    evaluations: tuple[EvaluationResults, ...] = ()
    unloaded: tuple[Unloaded, ...] = ()
    seconds: float = 0.0
    judges: tuple[JudgeCounts, ...] = ()
    is_interrupted: bool = False
    is_stopped: bool = False
    warnings: tuple[str, ...] = ()
    unreadable: int = 0

    @property
    def errors(self) -> int:
        """The number of cases without an answer, or with one that could not be scored."""
        return sum(each.errors for each in self.evaluations)

    @property
    def below(self) -> tuple[str, ...]:
        """Which evaluations and scorers are below `fail_under`: `assistant: accuracy`."""
        return tuple(
            f"{each.label}: {scorer.name}"
            for each in self.evaluations
            for scorer in each.scorers
            if scorer.is_below
        )

    @property
    def forbidden(self) -> int:
        """The number of answers with forbidden calls."""
        return sum(each.results.summary.forbidden_cases for each in self.evaluations)

    def to_dict(self) -> dict[str, Any]:
        """The results as plain data that any JSON encoder accepts."""
        from callscore.words.plain_data import run_to_dict

        return run_to_dict(self)

    def _repr_html_(self) -> str:
        from callscore.reports.html.notebook import run_markup

        return run_markup(self)

    def __str__(self) -> str:
        from callscore.hiding.hider import Hider
        from callscore.words.value_text import run_text

        return Hider().text_of(run_text(self), self)

    def __repr__(self) -> str:
        return repr_without_secrets(self)


class SavedCase(Struct, frozen=True, kw_only=True):
    """The results of one case in one evaluation of a run.

    Attributes:
        number: the number of the evaluation in the run.
        evaluation: the name of the evaluation, with its variant.
        place: the file of the evaluation.
        case: the case, in the first trial.
        pass_mark: the number from which a scorer passes an answer.
        trials: the result of each trial, in order.
    """

    run: str
    number: int
    evaluation: str
    place: str = ""
    case: Case
    pass_mark: float = 1.0
    trials: tuple[Result, ...] = ()
