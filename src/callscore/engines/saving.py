"""Records runs in the history; saves the scores of files as one: case by case, or the totals and the failing cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from time import time
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.call import Tool
from callscore.core.results import Failure, MetricValue, Result, Results
from callscore.core.settings import DEFAULT, Settings
from callscore.core.totals import SavedCases, Totals, summary_payload
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
from callscore.history.saved_scores import saved_result
from callscore.history.saved_totals import (
    COUNTS_KEY,
    SAVED_CASES_KEY,
    SAVED_RESULTS_KEY,
    counts_of,
    evaluation_of_counts,
)
from callscore.history.writer import FallbackFile, RunWriter

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


def evaluation_record(
    settings: Settings, tools: Mapping[str, Tool] | None, **fields: Any
) -> EvaluationRecord:
    """The record of an evaluation with these settings, tools, and other fields."""
    return EvaluationRecord(
        settings=settings_payload(settings), tools=tools_payload(tools), **fields
    )


def begin_run(
    store: Store | FallbackFile, command: str, *, started_at: float | None = None, **fields: Any
) -> LockedRun:
    """Begin a run with these fields, locked before other processes can see it."""
    now = started_at or time()
    if "git_commit" not in fields:
        fields["git_commit"], fields["git_dirty"] = git_state()
    run = RunRecord(
        id=new_run_id(now), command=command, started_at=now, versions=versions(), **fields
    )
    if isinstance(store, FallbackFile):  # which no other process reads
        return LockedRun(run, RunLock(None, run.id))
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
        fallback: FallbackFile | None = None,
    ) -> None:
        self.run: RunRecord | None = None
        self.problems: list[str] = []
        self.unreadable = 0
        self._request = request
        self._open_store = open_store
        self._fallback = fallback or FallbackFile()
        self._store: Store | None = None
        self._recorder: RunWriter | None = None
        # The evaluations, and the trials of their cases.
        self._evaluations: list[tuple[EvaluationRecord, TrialNumbers]] = []
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
        (evaluation, trials), score, case = self._evaluations[-1], result.score, result.case
        accuracy = () if score is None else (MetricValue(FILE_SCORER, score.f1),)
        recorder.put(
            saved_result(
                result,
                case,
                case_payload(case),
                run=recorder.run.id,
                evaluation=evaluation.number,
                trial=trials.add(result),
                values=(*accuracy, *result.values),
                finished_at=time(),
            )
        )
        self._saved += 1

    def begin_counted(self, results: Results, saved_cases: SavedCases) -> None:
        """Begin the run with the totals of all cases: they are right even if it is cut off.

        All files are one evaluation.
        """
        self._begin(self._request.cases, counts_of(results), **{SAVED_CASES_KEY: saved_cases})

    def _begin(
        self, paths: Sequence[str], counts: Mapping[str, Any] | None = None, **marks: str
    ) -> RunWriter:
        """Begin the evaluation of files, and with the first one the run; `marks` are arguments of it."""
        self._pending = None
        recorder = self._recorder = self._recorder or self._begin_run(marks)
        request, (name, path) = self._request, _name_and_path(paths)
        evaluation = evaluation_record(
            request.settings,
            request.tools,
            run=recorder.run.id,
            number=len(self._evaluations),
            name=name,
            place=path,
            scorers=(FILE_SCORER,),
            fail_under={} if request.fail_under is None else {FILE_SCORER: request.fail_under},
            summary=counts or {},
        )
        if counts is not None:
            counted = Totals.from_dict(counts[COUNTS_KEY])
            found = evaluation_of_counts(evaluation, counted, request.settings, path)
            self._counted = summary_payload([found])
            evaluation = replace(evaluation, summary={**self._counted, **counts})
        self._evaluations.append((evaluation, TrialNumbers()))
        try:
            recorder.add_evaluation(evaluation)
        except UnusableStore as error:
            recorder.note(str(error))
        return recorder

    def _begin_run(self, marks: Mapping[str, str]) -> RunWriter:
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
        store: Store | FallbackFile = self._fallback
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
        recorder = RunWriter(store, begun.record, begun.lock, is_direct=True)
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
                found = {
                    evaluation.number: trials.results(evaluation, self._request.settings)
                    for evaluation, trials in self._evaluations
                }
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
    fallback: FallbackFile | None = None,
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
