"""Records runs in the history; saves the scores of files as one: case by case, or the totals and the failing cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from time import time
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.call import Tool
from callscore.core.results import (
    EvaluationResults,
    Failure,
    MetricValue,
    Result,
    Results,
    ScoreCounts,
)
from callscore.core.settings import DEFAULT, Settings
from callscore.core.totals import EvaluationTotals, SavedCases, Totals, summary_payload
from callscore.engines.payloads import (
    FILE_SCORER,
    case_payload,
    settings_payload,
    tools_payload,
)
from callscore.engines.trial_numbers import TrialNumbers
from callscore.errors import CallscoreError, ModelFailed, UnusableStore
from callscore.formats.trace import DEFAULT_READ_OPTIONS as DEFAULT_READING
from callscore.formats.trace import ReadOptions
from callscore.history.locks import RunLock
from callscore.history.opening import file_evaluation_name, project_path
from callscore.history.records import (
    EvaluationRecord,
    RunRecord,
    RunStatus,
)
from callscore.history.run_metadata import (
    READING_ARGUMENT,
    git_state,
    new_run_id,
    require_no_baseline,
    versions,
)
from callscore.history.saved_scores import saved_result, score_counts
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
    from callscore.engines.collector import ScoreHooks
    from callscore.history.store import Store

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


class LockedRun(Struct, frozen=True):
    """A run that this process has locked.

    Attributes:
        problem: why the history does not show it as resumed; empty if it does.
    """

    record: RunRecord
    lock: RunLock
    problem: str = ""


class Recorder(RunWriter):
    """Records one run: its evaluations, its results, and how it ended."""

    def put_result(  # noqa: PLR0913  (each is a field of the record)
        self,
        evaluation: int,
        case: Case,
        result: Result,
        payload: dict[str, Any],
        *,
        trial: int,
        values: tuple[MetricValue, ...],
        digest: str = "",
        position: int | None = None,
        on_saved: Callable[[], None] | None = None,
    ) -> None:
        """Queue a result of the evaluation of this number.

        `case` is the case of the result, and `payload` is how it is saved: scorers may have changed that of
        the result. For the others see `ResultRecord`.
        """
        record = saved_result(
            result,
            case,
            payload,
            run=self.run.id,
            evaluation=evaluation,
            trial=trial,
            position=position,
            question=digest,
            values=values,
            finished_at=time(),
        )
        self.put(record, on_saved)

    def finish_with(
        self, status: RunStatus, found: Mapping[int, EvaluationResults], *, unreadable: int = 0
    ) -> None:
        """Save how the run ended: the results of its evaluations by number."""
        summaries = {number: summary_payload([each]) for number, each in found.items()}
        # Of one evaluation, they are the same.
        (totals,) = summaries.values() if len(found) == 1 else [summary_payload([*found.values()])]
        self.finish(status, totals | ({"unreadable": unreadable} if unreadable else {}), summaries)


def evaluation_record(
    settings: Settings, tools: Mapping[str, Tool] | None, **fields: Any
) -> EvaluationRecord:
    """The record of an evaluation with these settings, tools, and other fields."""
    return EvaluationRecord(
        settings=settings_payload(settings), tools=tools_payload(tools), **fields
    )


def begin_run(
    store: Store | FallbackStore, command: str, *, started_at: float | None = None, **fields: Any
) -> LockedRun:
    """Begin a run with these fields, locked before other processes can see it."""
    now = started_at or time()
    if "git_commit" not in fields:
        fields["git_commit"], fields["git_dirty"] = git_state()
    run = RunRecord(
        id=new_run_id(now), command=command, started_at=now, versions=versions(), **fields
    )
    lock = store.lock(run.id)
    if not lock.take():  # another process has chosen the same id
        return begin_run(store, command, started_at=started_at, **fields)
    try:
        begun = store.begin(run)
    except BaseException:
        lock.release()
        raise
    if begun.id != run.id:
        lock.release()
        lock = store.lock(begun.id)
        lock.take()
    return LockedRun(begun, lock)


class _File(NamedTuple):
    """The evaluation of a file, or of several, while its results are added up."""

    name: str
    path: str
    totals: EvaluationTotals
    trials: TrialNumbers

    def results(self) -> EvaluationResults:
        """The results so far."""
        totals, trials = self.totals, self.trials
        about = {"name": self.name, "place": self.path}
        found, summary = totals.evaluation(about, cases=len(trials)), totals.totals.summary
        summary.trials = trials.outcomes()
        # As in the report of the scores.
        scorers = scorers_with_mean(found.scorers, summary.macro_f1)
        return replace(found, scorers=scorers, trials=trials.decided())


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
        self._recorder: Recorder | None = None
        self._files: list[_File] = []
        self._saved = 0
        self._counted: dict[str, Any] = {}  # the totals, if they are known before
        # The evaluation that begins with the next case: all files, unless they come one by one.
        self._pending: Sequence[str] | None = request.cases

    @property
    def is_aside(self) -> bool:
        """Whether everything goes to a file beside the history."""
        return self._recorder is not None and self._recorder.is_aside

    @property
    def command_options(self) -> str:
        """The arguments with which a command finds the history, see `store_arguments`."""
        return (self._store or self._fallback).command_options

    def saved(self, lang: Language = "en") -> str:
        """Where the run is if it is not in the history, as a sentence; else empty."""
        return "" if self._recorder is None else self._recorder.saved(lang)

    def with_saving(self, hooks: ScoreHooks) -> ScoreHooks:
        """The hooks, extended by those that save the results."""
        on_unjudged = hooks.on_unjudged

        def begin_file(path: str) -> None:
            if not self._request.actual:
                self._pending = (path,)

        def save_unjudged(place: str, case: Case, error: ModelFailed) -> None:
            problem = f"the judge gave no answer: {error}"
            failure = Failure(case=case.id, kind="unscored", problem=problem)
            self.save_result(Result(case=case, status="error", failure=failure))
            if on_unjudged is None:
                raise error
            on_unjudged(place, case, error)

        return replace(
            hooks, on_file=begin_file, on_result=self.save_result, on_unjudged=save_unjudged
        )

    def save_result(self, result: Result) -> None:
        """Queue a result to be stored."""
        recorder = self._recorder
        if recorder is None or self._pending is not None:
            recorder = self._begin(self._pending or ())
        file, score = self._files[-1], result.score
        trial = file.trials.add(result)
        accuracy = () if score is None else (MetricValue(FILE_SCORER, score.f1),)
        # Which tools and arguments are wrong is not among the totals that are saved.
        counts = None if score is None else ScoreCounts(score_counts(score))
        file.totals.totals.add(replace(result, values=accuracy, score=None, saved=counts))
        case, values = result.case, (*accuracy, *result.values)
        payload = case_payload(case)
        recorder.put_result(len(self._files) - 1, case, result, payload, trial=trial, values=values)
        self._saved += 1

    def begin_counted(self, results: Results, saved_cases: SavedCases) -> None:
        """Begin the run with the totals of all cases: they are right even if it is cut off.

        All files are one evaluation.
        """
        counts, request = counts_of(results), self._request
        record = replace(self._evaluation(*_name_and_path(request.cases)), summary=counts)
        counted = Totals.from_dict(counts[COUNTS_KEY])
        found = evaluation_of_counts(record, counted, request.settings, record.place)
        self._counted = summary_payload([found])
        self._begin(request.cases, self._counted | counts, **{SAVED_CASES_KEY: saved_cases})

    def _evaluation(self, name: str, path: str) -> EvaluationRecord:
        request, fail_under = self._request, self._request.fail_under
        return evaluation_record(
            request.settings,
            request.tools,
            run="",
            number=len(self._files),
            name=name,
            place=path,
            scorers=(FILE_SCORER,),
            fail_under={} if fail_under is None else {FILE_SCORER: fail_under},
        )

    def _begin(
        self, paths: Sequence[str], summary: Mapping[str, Any] | None = None, **marks: str
    ) -> Recorder:
        """Begin the evaluation of files, and with the first one the run; `marks` are arguments of it."""
        self._pending = None
        recorder = self._recorder = self._recorder or self._begin_run(marks)
        request, (name, path) = self._request, _name_and_path(paths)
        evaluation = self._evaluation(name, path)
        totals = EvaluationTotals(request.settings, {FILE_SCORER: request.fail_under}, show="none")
        self._files.append(_File(name, path, totals, TrialNumbers()))
        try:
            recorder.add_evaluation(
                replace(evaluation, run=recorder.run.id, summary=dict(summary or {}))
            )
        except UnusableStore as error:
            recorder.note(str(error))
        return recorder

    def _begin_run(self, marks: Mapping[str, str]) -> Recorder:
        """Begin the run: in the history, or in a file if that cannot be used."""
        request = self._request
        sides = {"cases": request.cases, "actual": request.actual}
        paths = {
            side: [project_path(path) for path in paths if path != _STDIN]
            for side, paths in sides.items()
            if paths
        }
        begin = partial(
            begin_run,
            command="score",
            started_at=request.started_at,
            name=request.name,
            arguments={**paths, **_reading_arguments(request.reading), **marks},
        )
        store: Store | FallbackStore = self._fallback
        try:
            store = self._store = self._open_store()
            if request.name is not None:
                require_no_baseline(request.name, store.baselines())
            begun = begin(store)
        except UnusableStore as error:
            self.problems.append(str(error))
            store = self._fallback
            begun = begin(store)
        # Files are read faster than results are written: a thread would only share one processor.
        recorder = Recorder(store, begun.record, begun.lock, is_direct=True)
        recorder.problems = self.problems
        self.run = recorder.run
        return recorder

    def finish(self, status: RunStatus = "finished") -> None:
        """Store how the run ended, and close the history."""
        if self._recorder is not None:
            if self._counted:  # the evaluation has them
                marks = {SAVED_RESULTS_KEY: self._saved}
                if self.unreadable:
                    marks["unreadable"] = self.unreadable
                self._recorder.finish(status, self._counted | marks, {})
            else:
                found = {number: file.results() for number, file in enumerate(self._files)}
                self._recorder.finish_with(status, found, unreadable=self.unreadable)
            self._recorder.release()
        if self._store is not None:
            with suppress(CallscoreError):
                self._store.close()


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
    saver = ScoreSaver(request, open_store, fallback)
    saver.unreadable = results.skipped.count
    if saved_cases != "all":
        if results.summary.cases or results.not_scored.count:
            saver.begin_counted(results, saved_cases)
        is_saved = saved_cases == "failing" and saver.run is not None
        cases = (
            result
            for result in (cases if is_saved else ())
            if result.failure is not None or result.passed is False
        )
    is_whole = False
    try:
        for result in cases:
            saver.save_result(result)
        is_whole = True
    finally:
        saver.finish("finished" if is_whole else "interrupted")
    return saver


def _reading_arguments(reading: ReadOptions) -> dict[str, Any]:
    """Which calls count, as an argument of the run; nothing for the defaults."""
    found: dict[str, Any] = {
        name: given
        for name in ("view", "candidate", "leave_out", "callers")
        if (given := getattr(reading, name)) != getattr(DEFAULT_READING, name)
    }
    if reading.failure.pattern != DEFAULT_READING.failure.pattern:
        found["failure_pattern"] = reading.failure.pattern
    return {READING_ARGUMENT: found} if found else {}


def _name_and_path(paths: Sequence[str]) -> tuple[str, str]:
    """Files as one evaluation of the history: their names, and the path of the only file, if it is one."""
    names = ["stdin" if path == _STDIN else file_evaluation_name(path) for path in paths]
    if len(names) > _MOST_NAMED:
        names = [*names[:_MOST_NAMED], f"{len(names) - _MOST_NAMED} more"]
    is_file = len(paths) == 1 and paths[0] != _STDIN
    return "+".join(names), project_path(paths[0]) if is_file else ""
