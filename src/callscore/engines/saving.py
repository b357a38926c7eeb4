"""Saves the scores of files as a run of the history: case by case, or the totals and the failing cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.call import Tool
from callscore.core.results import EvaluationResults, Failure, MetricValue, Result
from callscore.core.settings import DEFAULT, Settings
from callscore.core.totals import EvaluationTotals, Totals, summary_payload
from callscore.engines.payloads import (
    FILE_SCORER,
    case_payload,
    settings_payload,
    tools_payload,
)
from callscore.engines.trial_numbers import TrialNumbers
from callscore.errors import CallscoreError, UnusableStore
from callscore.formats.trace import DEFAULT_READ_OPTIONS as DEFAULT_READING
from callscore.formats.trace import ReadOptions
from callscore.history.opening import file_evaluation_name, project_path
from callscore.history.records import (
    EvaluationRecord,
    ResultRecord,
    RunRecord,
    asked_digest,
    expectation_digest,
)
from callscore.history.run_metadata import (
    READING_ARGUMENT,
    git_state,
    new_run_id,
    require_no_baseline,
    versions,
)
from callscore.history.saved_scores import calls_payload, score_fields
from callscore.history.saved_totals import (
    COUNTS_KEY,
    SAVED_CASES_KEY,
    SAVED_RESULTS_KEY,
    counts_of,
    evaluation_of_counts,
    scorers_with_mean,
)
from callscore.history.writer import FallbackStore, RunWriter

if TYPE_CHECKING:
    from callscore.core.case import Case
    from callscore.core.phrases import Language
    from callscore.core.results import Results
    from callscore.core.totals import SavedCases
    from callscore.engines.collector import ScoreHooks
    from callscore.errors import ModelFailed
    from callscore.history.records import RunStatus
    from callscore.history.store import Store

__all__ = ["SaveRequest", "ScoreSaver", "save_totals"]

_STDIN = "-"
_MOST_NAMED = 5  # files in the name of an evaluation


class SaveRequest(Struct, frozen=True, kw_only=True):
    """What is saved with the scores.

    Attributes:
        name: the name of the run.
        cases: the files with the expectations.
        actual: the files with the answers, if these are others.
        reading: which calls of a trace count.
        tools: the definitions of the tools; None if each case has its own, or none.
        fail_under: the minimum of the mean score.
        started_at: when the scoring began, in seconds since 1970; None for when the run is begun.
    """

    name: str
    cases: Sequence[str] = ()
    actual: Sequence[str] = ()
    settings: Settings = DEFAULT
    reading: ReadOptions = DEFAULT_READING
    tools: Mapping[str, Tool] | None = None
    fail_under: float | None = None
    started_at: float | None = None


class ScoreSaver:
    """Saves results as a run that begins with the first case.

    Errors of the history do not stop the scoring: results go to a file beside it, `fallback`, by default
    beside the history of the project.

    Attributes:
        run: the run; None if there was nothing to save.
        problems: problems with the history, in sentences.
        unreadable: the number of records that could not be read, and are not in the run.
    """

    def __init__(
        self,
        request: SaveRequest,
        open_store: Callable[[], Store],
        fallback: FallbackStore | None = None,
    ) -> None:
        self.run: RunRecord | None = None
        self.problems: list[str] = []
        self.unreadable = 0
        self._request = request
        self._open_store = open_store
        self._fallback = fallback or FallbackStore()
        self._store: Store | None = None
        self._writer: RunWriter | None = None
        self._files: list[tuple[str, str]] = []  # the name and the path of each
        self._totals: list[EvaluationTotals] = []
        self._trials: list[TrialNumbers] = []  # of each file
        # The evaluation that begins with the next case: all files, unless they come one by one.
        self._pending: tuple[str, str] | None = _joined_name_and_path(request.cases)

    @property
    def is_aside(self) -> bool:
        """Whether everything goes to a file beside the history."""
        return self._writer is not None and self._writer.is_aside

    @property
    def command_options(self) -> str:
        """The arguments with which a command finds the history, see `store_arguments`."""
        return (
            self._fallback.command_options if self._store is None else self._store.command_options
        )

    def saved(self, lang: Language = "en") -> str:
        """Where the run is if it is not in the history, as a sentence; else empty."""
        return "" if self._writer is None else self._writer.saved(lang)

    def with_saving(self, hooks: ScoreHooks) -> ScoreHooks:
        """The hooks, extended by those that save the results."""
        on_unjudged = hooks.on_unjudged

        def save_unjudged(place: str, case: Case, error: ModelFailed) -> None:
            problem = f"the judge gave no answer: {error}"
            failure = Failure(case=case.id, kind="unscored", problem=problem)
            self.save_result(Result(case=case, status="error", failure=failure))
            if on_unjudged is None:
                raise error
            on_unjudged(place, case, error)

        return replace(
            hooks, on_file=self.begin_file, on_result=self.save_result, on_unjudged=save_unjudged
        )

    def begin_file(self, path: str) -> None:
        """Begin another file of cases."""
        if not self._request.actual:
            self._pending = _name_and_path(path)

    def save_result(self, result: Result) -> None:
        """Queue a result to be stored."""
        pending, self._pending = self._pending, None
        if pending is not None:
            self._begin(pending)
        trial, score = self._trials[-1].add(result), result.score
        accuracy = () if score is None else (MetricValue(FILE_SCORER, score.f1),)
        self._totals[-1].totals.add(replace(result, values=accuracy))
        if self.run is None or self._writer is None:
            return
        values = (*accuracy, *result.values)
        number = len(self._totals) - 1
        self._writer.put(_result_record(self.run.id, number, result, trial, values))

    def _begin(self, file: tuple[str, str]) -> None:
        """Begin the evaluation of a file, and with the first one the run."""
        request, fail_under = self._request, self._request.fail_under
        self._files.append(file)
        self._trials.append(TrialNumbers())
        totals = EvaluationTotals(request.settings, {FILE_SCORER: fail_under}, show="none")
        self._totals.append(totals)
        try:
            if len(self._totals) == 1:
                self._begin_run()
            if self._writer is None or self.run is None:
                return
            number = len(self._totals) - 1
            self._writer.add_evaluation(_evaluation_record(self.run.id, number, file, request))
        except UnusableStore as error:
            self._note(str(error))

    def _begin_run(self, **marks: str) -> None:
        """Begin the run; `marks` are more of its arguments."""
        commit, is_dirty = git_state(Path.cwd())
        now = self._request.started_at or time()
        sides = {"cases": self._request.cases, "actual": self._request.actual}
        record = RunRecord(
            id=new_run_id(now),
            command="score",
            started_at=now,
            name=self._request.name,
            arguments={
                side: [project_path(path) for path in paths if path != _STDIN]
                for side, paths in sides.items()
                if paths
            }
            | _reading_arguments(self._request.reading)
            | marks,
            versions=versions(),
            git_commit=commit,
            git_dirty=is_dirty,
        )
        self._writer = self._begin_writer(record)
        self.run = self._writer.run
        self._writer.problems[:] = self.problems
        self.problems = self._writer.problems

    def _begin_writer(self, record: RunRecord) -> RunWriter:
        """The writer of the run: to the history, or to a file if that cannot be used."""
        try:
            store = self._store = self._open_store()
            if record.name is not None:
                require_no_baseline(record.name, store.baselines())
            run = store.begin(record)
        except UnusableStore as error:
            self._note(str(error))
            return RunWriter(self._fallback, record, is_direct=True)
        lock = store.lock(run.id)
        lock.take()  # marks the run as active
        # Files are read faster than results are written: a thread would only share one processor.
        return RunWriter(store, run, lock, is_direct=True)

    def finish(self, status: RunStatus = "finished") -> None:
        """Store how the run ended, and close the history."""
        if self._writer is not None:
            totals, summaries = self._numbers()
            if self.unreadable:
                totals["unreadable"] = self.unreadable
            self._writer.finish(status, totals, summaries)
            self._writer.release()
        if self._store is not None:
            with suppress(CallscoreError):
                self._store.close()

    def _numbers(self) -> tuple[dict[str, Any], dict[int, dict[str, Any]]]:
        """The totals of the run, and the summaries of its evaluations by number."""
        files = zip(self._files, self._totals, self._trials, strict=True)
        found = [_results(*each) for each in files]
        summaries = {number: summary_payload([each]) for number, each in enumerate(found)}
        # Of one file, they are the same.
        totals = dict(summaries[0]) if len(found) == 1 else summary_payload(found)
        return totals, summaries

    def _note(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)


class _TotalsSaver(ScoreSaver):
    """Saves totals that are known, and with `failing` the results that are not passed.

    All files are one evaluation. It is saved with the counts of all cases before the first result, so
    that a run that is cut off has the right totals, too.
    """

    def __init__(
        self,
        request: SaveRequest,
        results: Results,
        open_store: Callable[[], Store],
        fallback: FallbackStore | None,
        *,
        saved_cases: SavedCases,
    ) -> None:
        super().__init__(request, open_store, fallback)
        self.unreadable = results.skipped.count
        self._results = results
        self._saved_cases = saved_cases
        self._numbering = TrialNumbers()
        self._saved = 0
        self._summary: dict[str, Any] = {}

    def begin(self) -> None:
        """Begin the run, with its totals."""
        request, counts = self._request, counts_of(self._results)
        file = _joined_name_and_path(request.cases)
        record = _evaluation_record("", 0, file, request)
        record = replace(record, summary=counts)
        counted = Totals.from_dict(counts[COUNTS_KEY])
        found = evaluation_of_counts(record, counted, request.settings, record.place)
        self._summary = summary_payload([found])
        summary = self._summary | counts
        try:
            self._begin_run(**{SAVED_CASES_KEY: self._saved_cases})
            if self._writer is not None and self.run is not None:
                self._writer.add_evaluation(replace(record, run=self.run.id, summary=summary))
        except UnusableStore as error:
            self._note(str(error))

    def save_result(self, result: Result) -> None:
        """Queue a result to be stored, if it is not passed."""
        is_failing = result.failure is not None or result.passed is False
        if not is_failing or self.run is None or self._writer is None:
            return
        trial, score = self._numbering.add(result), result.score
        accuracy = () if score is None else (MetricValue(FILE_SCORER, score.f1),)
        values = (*accuracy, *result.values)
        self._writer.put(_result_record(self.run.id, 0, result, trial, values))
        self._saved += 1

    def _numbers(self) -> tuple[dict[str, Any], dict[int, dict[str, Any]]]:
        return self._summary | {SAVED_RESULTS_KEY: self._saved}, {}  # the evaluation has its own


def save_totals(  # noqa: PLR0913  (two are options)
    request: SaveRequest,
    results: Results,
    cases: Iterable[Result],
    open_store: Callable[[], Store],
    *,
    saved_cases: SavedCases = "failing",
    fallback: FallbackStore | None = None,
) -> ScoreSaver:
    """Save scores that are added up already as a run, with some of the cases.

    The totals are those of `results`. `saved_cases` decides which of the cases are saved: those that are
    not passed, all of them, or none, for which `cases` is not read. `cases` are read one by one, in any
    order, and need to be all cases only to save all. Without a scored case there is no run.

    Returns what was saved: `run`, and `problems`. An error while the cases are read leaves a run that is
    marked as interrupted.
    """
    if saved_cases == "all":
        saver = ScoreSaver(request, open_store, fallback)
        saver.unreadable = results.skipped.count
    else:
        saver = totals = _TotalsSaver(
            request, results, open_store, fallback, saved_cases=saved_cases
        )
        if results.summary.cases or results.not_scored.count:
            totals.begin()
    is_whole = False
    try:
        for result in () if saved_cases == "none" else cases:
            saver.save_result(result)
        is_whole = True
    finally:
        saver.finish("finished" if is_whole else "interrupted")
    return saver


def _reading_arguments(reading: ReadOptions) -> dict[str, Any]:
    """Which calls count, as an argument of the run; nothing for the defaults."""
    names = ("view", "candidate", "leave_out", "callers")
    given = {name: getattr(reading, name) for name in names}
    found = {
        name: value for name, value in given.items() if value != getattr(DEFAULT_READING, name)
    }
    if reading.failure.pattern != DEFAULT_READING.failure.pattern:
        found["failure_pattern"] = reading.failure.pattern
    return {READING_ARGUMENT: found} if found else {}


def _name_and_path(path: str) -> tuple[str, str]:
    """The evaluation of a file in the history: its name, and the path of the file."""
    return ("stdin", "") if path == _STDIN else (file_evaluation_name(path), project_path(path))


def _joined_name_and_path(paths: Sequence[str]) -> tuple[str, str]:
    """Several files as one evaluation: their names, and the path of the only file, if it is one."""
    named = [_name_and_path(path) for path in paths]
    names = [name for name, _ in named]
    if len(names) > _MOST_NAMED:
        names = [*names[:_MOST_NAMED], f"{len(names) - _MOST_NAMED} more"]
    return "+".join(names), named[0][1] if len(named) == 1 else ""


def _evaluation_record(
    run: str, number: int, file: tuple[str, str], request: SaveRequest
) -> EvaluationRecord:
    """The evaluation of a file, without a summary."""
    name, place = file
    fail_under = request.fail_under
    return EvaluationRecord(
        run=run,
        number=number,
        name=name,
        place=place,
        settings=settings_payload(request.settings),
        scorers=(FILE_SCORER,),
        fail_under={} if fail_under is None else {FILE_SCORER: fail_under},
        tools=tools_payload(request.tools),
    )


def _results(
    file: tuple[str, str], totals: EvaluationTotals, trials: TrialNumbers
) -> EvaluationResults:
    name, place = file
    found = totals.evaluation({"name": name, "place": place}, cases=len(trials))
    summary, scorers = totals.totals.summary, found.scorers
    summary.trials = trials.outcomes()
    scorers = scorers_with_mean(scorers, summary.macro_f1)  # as in the report of the scores
    return replace(found, scorers=scorers, trials=trials.decided())


def _result_record(
    run: str, number: int, result: Result, trial: int, values: tuple[MetricValue, ...]
) -> ResultRecord:
    """The record of a result of the evaluation of this number, as a trial, with the values of scorers."""
    case, failure = result.case, result.failure
    calls = None if case.actual is None else calls_payload(case.actual)
    payload = case_payload(case)
    return ResultRecord(
        run=run,
        evaluation=number,
        case=case.id,
        trial=trial,
        status=result.status,
        payload=payload,
        expectation=expectation_digest(payload),
        asked=asked_digest(payload),
        answer=calls,  # so that it can be scored again; equal payloads are stored once
        calls=calls,
        passed=result.passed,
        values=values,
        failure=None if failure is None else (failure.kind, failure.problem),
        finished_at=time(),
        **score_fields(result.score, case, payload),
    )
