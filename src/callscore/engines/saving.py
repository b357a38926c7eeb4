"""Saves the scores of files as a run of the history, case by case, while they are scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import time
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.call import Tool
from callscore.core.results import EvaluationResults, Failure, MetricValue, Result
from callscore.core.score import UNANSWERED
from callscore.core.settings import DEFAULT, Settings
from callscore.core.totals import Totals, summary_payload
from callscore.engines.payloads import (
    FILE_SCORER,
    calls_payload,
    case_payload,
    score_payload,
    settings_payload,
    tools_payload,
)
from callscore.engines.trial_numbers import TrialNumbers
from callscore.errors import CallscoreError, UnusableStore
from callscore.history.opening import file_evaluation_name, project_path
from callscore.history.records import (
    EvaluationRecord,
    ResultRecord,
    RunRecord,
    asked_digest,
    expectation_digest,
)
from callscore.history.run_metadata import git_state, new_run_id, require_no_baseline, versions
from callscore.history.writer import FallbackStore, RunWriter

if TYPE_CHECKING:
    from callscore.core.case import Case
    from callscore.core.phrases import Language
    from callscore.engines.collector import ScoreHooks
    from callscore.errors import ModelFailed
    from callscore.history.records import RunStatus
    from callscore.history.store import Store

__all__ = ["SaveRequest", "ScoreSaver"]

_STDIN = "-"


class SaveRequest(Struct, frozen=True, kw_only=True):
    """What is saved with the scores.

    Attributes:
        name: the name of the run.
        cases: the files with the expectations.
        actual: the files with the answers, if these are others.
        tools: the definitions of the tools; None if each case has its own, or none.
        fail_under: the minimum of the mean score.
    """

    name: str
    cases: Sequence[str] = ()
    actual: Sequence[str] = ()
    settings: Settings = DEFAULT
    tools: Mapping[str, Tool] | None = None
    fail_under: float | None = None


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
        self._totals: list[Totals] = []
        self._trials: list[TrialNumbers] = []  # of each file
        # The evaluation that begins with the next case.
        self._pending: tuple[str, str] | None = None
        if request.actual:  # all references are one evaluation; its place is the only file, if any
            named = [_name_and_path(path) for path in request.cases]
            place = named[0][1] if len(named) == 1 else ""
            self._pending = "+".join([name for name, _ in named]), place

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
        self._totals[-1].add_briefly(result, accuracy)
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
        self._totals.append(Totals(request.settings, {FILE_SCORER: fail_under}, show="none"))
        try:
            if len(self._totals) == 1:
                self._begin_run()
            if self._writer is None or self.run is None:
                return
            name, place = file
            record = EvaluationRecord(
                run=self.run.id,
                number=len(self._totals) - 1,
                name=name,
                place=place,
                settings=settings_payload(request.settings),
                scorers=(FILE_SCORER,),
                fail_under={} if fail_under is None else {FILE_SCORER: fail_under},
                tools=tools_payload(request.tools),
            )
            self._writer.add_evaluation(record)
        except UnusableStore as error:
            self._note(str(error))

    def _begin_run(self) -> None:
        commit, is_dirty = git_state(Path.cwd())
        now = time()
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
            },
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
            files = zip(self._files, self._totals, self._trials, strict=True)
            found = [_results(*each) for each in files]
            summaries = {number: summary_payload([each]) for number, each in enumerate(found)}
            # Of one file, they are the same.
            totals = dict(summaries[0]) if len(found) == 1 else summary_payload(found)
            if self.unreadable:
                totals["unreadable"] = self.unreadable
            self._writer.finish(status, totals, summaries)
            self._writer.release()
        if self._store is not None:
            with suppress(CallscoreError):
                self._store.close()

    def _note(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)


def _name_and_path(path: str) -> tuple[str, str]:
    """The evaluation of a file in the history: its name, and the path of the file."""
    return ("stdin", "") if path == _STDIN else (file_evaluation_name(path), project_path(path))


def _results(file: tuple[str, str], totals: Totals, trials: TrialNumbers) -> EvaluationResults:
    name, place = file
    found = totals.evaluation({"name": name, "place": place}, cases=len(trials))
    summary, scorers = totals.summary, found.scorers
    summary.trials = trials.outcomes()
    if summary.scored:  # the same mean as in the report of the scores
        outcomes = {**summary.outcomes, UNANSWERED: found.errors}
        mean = replace(summary, outcomes=outcomes).macro_f1
        scorers = tuple([replace(each, mean=mean) for each in scorers])
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
        **score_payload(result.score),
    )
