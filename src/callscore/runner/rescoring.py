"""Scores the stored answers of a run again, under other settings; nothing is asked again."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from time import perf_counter, time
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.api import tools_by_name
from callscore.core.case import Case
from callscore.core.results import Answer, Failure, Result, RunResults, Unloaded
from callscore.core.settings import get_preset, settings_from
from callscore.core.totals import Show, summary_payload
from callscore.core.unused_rules import unused_rules
from callscore.engines.payloads import JUDGE_FIELDS
from callscore.errors import InvalidCall, InvalidSettings
from callscore.evaluations.discovery import load_file
from callscore.evaluations.evaluation import Evaluation, Question
from callscore.evaluations.locations import display_path, file_of_location
from callscore.evaluations.plan import Group
from callscore.evaluations.scorers import SCORERS, scorer_of, scorers_from
from callscore.hiding.hider import contains_marker
from callscore.history.opening import default_path
from callscore.history.records import RunRecord
from callscore.history.run_metadata import (
    READING_ARGUMENT,
    new_run_id,
    unreadable_records,
    versions,
)
from callscore.history.saved_totals import require_every_case
from callscore.history.stopping import stopping_on_request
from callscore.history.writer import RunWriter
from callscore.models.consent import Origin, Server, require_consent
from callscore.models.judging import judge
from callscore.runner.answers import (
    make_failure,
    score_answer,
    stored_answer,
    stored_failure,
    unanswered,
)
from callscore.runner.event_loop import run_until_done
from callscore.runner.recorder import (
    evaluation_record,
    given_settings,
    result_record,
    stored_scorer_name,
)
from callscore.runner.running import RunHooks, RunJudges, about, totals_for
from callscore.runner.stored_runs import (
    FUNCTION_SETTINGS,
    case_from_payload,
    has_hidden_calls,
    stored_calls,
    stored_settings,
    stored_skipped,
)
from callscore.words.value_text import unused_rules_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.core.results import EvaluationResults
    from callscore.core.settings import Settings
    from callscore.evaluations.evaluation import Scorer
    from callscore.history.records import EvaluationRecord, ResultRecord
    from callscore.history.store import Store
    from callscore.models.judging import Judge

__all__ = ["RescoreOptions", "StoredScorers", "rescore"]


_NO_FILE = "it is a function, and its file is unknown"


class StoredScorers:
    """Finds the scorers of stored evaluations by name; functions are imported from their files."""

    def __init__(self) -> None:
        self._files: dict[Path, list[Evaluation] | Unloaded] = {}

    def find(self, record: EvaluationRecord, name: str) -> Scorer | str:
        """The scorer of this name of an evaluation; or why it is missing, in a sentence."""
        try:
            return scorer_of(name)
        except InvalidSettings:
            return self._function(record, name)

    def _function(self, record: EvaluationRecord, name: str) -> Scorer | str:
        file = file_of_location(record.place)
        path = default_path().parent.parent / file
        problem = _file_problem(file, path)
        if problem:
            return problem
        if path not in self._files:
            self._files[path] = load_file(path)
        found = self._files[path]
        if isinstance(found, Unloaded):
            return f"{found.place}: {found.problem}"
        own = [each.scorers for each in found if each.key == record.place]
        named = [one for scorers in own for one in scorers if stored_scorer_name(one) == name]
        return named[0] if named else f"{display_path(path)} has no scorer of this name"


def _file_problem(file: str, path: Path) -> str:
    """Why the file of a function is not imported; empty if it is."""
    project = default_path().parent.parent
    if not file:
        return _NO_FILE
    # A history may come with a repository: it must not name other code to import.
    if not path.resolve().is_relative_to(project.resolve()):
        return f"it is a function in {file}, which is outside of the project {project}"
    return "" if path.is_file() else f"it is a function in {file}, which no longer exists"


_JUDGE_JOBS = 8


class RescoreOptions(Struct, frozen=True, kw_only=True):
    """How to score a run again.

    Attributes:
        preset: overrides the settings of the run.
        settings: override those of the run, or of the preset.
        scorers: names that replace the scorers of the run; None for the same scorers.
        fail_under: the minimum mean of each scorer without a `fail_under` of its own.
        show: which cases the results include.
        max_shown: the maximum number of cases per evaluation and variant; None for all.
        max_listed: up to how many cases the results of an evaluation have a list of all cases.
        timeout: of a scorer, in seconds.
        allow_servers: the servers that the saved judges of the run may be on.
    """

    preset: str | None = None
    settings: Mapping[str, Any] = {}
    scorers: Sequence[str] | None = None
    fail_under: float | None = None
    show: Show = "failing"
    max_shown: int | None = 10
    max_listed: int = 0
    timeout: float | None = 60.0
    allow_servers: tuple[Server, ...] = ()


_OPTIONS = RescoreOptions()
_HOOKS = RunHooks()


def rescore(
    store: Store, run: RunRecord, options: RescoreOptions = _OPTIONS, hooks: RunHooks = _HOOKS
) -> RunResults:
    """Score the stored answers of a run again, and store the scores as a new run.

    Raises:
        InvalidSettings: there is no such setting or scorer, or not every case of the run is saved.
        MissingConsent: the history names the server of a judge, and the user did not allow it.
        UnusableStore: the history cannot be read, or the new run cannot be stored.
    """
    require_every_case(run, "rescore")
    started = perf_counter()
    rescoring = _Rescoring(store, run, options, hooks)
    writer = rescoring.begin()
    try:
        is_interrupted = rescoring.score_all(writer)
        found = rescoring.finish(writer, is_interrupted=is_interrupted)
    finally:
        writer.release()
    return RunResults(
        id=rescoring.run.id,
        evaluations=tuple(found),
        seconds=perf_counter() - started,
        judges=rescoring.judges.counts(),
        is_interrupted=is_interrupted,
        warnings=tuple(rescoring.warnings),
        unreadable=rescoring.unreadable,
    )


class _Rescoring:
    """One run that is scored again."""

    def __init__(
        self, store: Store, parent: RunRecord, options: RescoreOptions, hooks: RunHooks
    ) -> None:
        self.warnings: list[str] = []
        self.unreadable = unreadable_records(parent)
        self._store = store
        self._parent = parent
        self._options = options
        self._hooks = hooks
        self._is_stopping = False
        self._kept_scorers = StoredScorers()
        if parent.status != "finished":
            self._warn(f"run {parent.id} did not finish: only its answers are scored")
        self._known_judges: dict[tuple[Any, ...], Judge] = {}
        records = store.evaluations(parent.id)
        trials = store.trials(parent.id)
        self._trials = {record.number: trials.get(record.number, 1) for record in records}
        self._evaluations = {record.number: self._evaluation(record) for record in records}
        self._variants = {record.number: record.variant for record in records}
        self._skipped = {record.number: stored_skipped(record) for record in records}
        self._totals = {
            number: totals_for(
                evaluation,
                options.fail_under,
                show=options.show,
                max_shown=options.max_shown,
                max_listed=options.max_listed,
            )
            for number, evaluation in self._evaluations.items()
        }
        self.judges = RunJudges([Group(evaluation=each) for each in self._evaluations.values()])
        self.judges.remember_in(store)
        now = time()
        reading = parent.arguments.get(READING_ARGUMENT)
        self.run = RunRecord(
            id=new_run_id(now),
            command="rescore",
            started_at=now,
            arguments={
                "run": parent.id,
                "preset": options.preset,
                **({READING_ARGUMENT: reading} if reading else {}),
                **given_settings(options.settings),
            },
            versions=versions(),
            git_commit=parent.git_commit,
            git_dirty=parent.git_dirty,
            parent=parent.id,
        )

    def _evaluation(self, record: EvaluationRecord) -> Evaluation:
        tools = record.tools
        scorers = self._scorers(record)
        # Named scorers replace the others; a missing one keeps its `fail_under`.
        names = record.scorers if self._options.scorers is None else [one.name for one in scorers]
        return Evaluation(
            name=record.name,
            task=_no_task,
            cases=(),
            tools=None if tools is None else tools_by_name(tools),
            scorers=scorers,
            fail_under={
                name: record.fail_under[name] for name in names if name in record.fail_under
            },
            settings=self._settings(record),
            place=file_of_location(record.place),
            key=record.place,
        )

    def _settings(self, record: EvaluationRecord) -> Settings:
        options = self._options
        kept = stored_settings(record.settings)
        functions = {name: kept.pop(name, None) for name in FUNCTION_SETTINGS}
        chosen = {**kept, **({} if options.preset is None else get_preset(options.preset))}
        for name, function in functions.items():
            if function is None or name in options.settings:
                continue
            if isinstance(function, dict):  # a preset has no judge
                chosen[name] = self._judge(function)
            else:
                self._warn(
                    f"{record.name}: {name}: the function {function} is not saved, and is not used"
                )
        return settings_from({**chosen, **options.settings})

    def _judge(self, made_of: dict[str, Any]) -> Judge:
        """The judge with these fields; equal judges are shared."""
        fields = {name: made_of[name] for name in JUDGE_FIELDS}
        key = tuple(fields.values())
        if key not in self._known_judges:
            found = self._known_judges[key] = judge(**fields)
            # A history is a file, too, and may come with a repository.
            found.origin = Origin(self._store.place, self._options.allow_servers)
            require_consent(found.base_url, found.key_variable, found.origin)
        return self._known_judges[key]

    def _scorers(self, record: EvaluationRecord) -> tuple[Scorer, ...]:
        if self._options.scorers is not None:
            return scorers_from(self._options.scorers)
        found = []
        for name in record.scorers:
            scorer = self._kept_scorers.find(record, name)
            if isinstance(scorer, str):
                missing = f"{record.name}: the scorer {name} is missing, and is left out"
                self._warn(f"{missing}: {scorer}")
            else:
                found.append(scorer)
        return tuple(found)

    def begin(self) -> RunWriter:
        self.run = self._store.begin(self.run)
        lock = self._store.lock(self.run.id)
        lock.take()  # marks the run as active
        writer = RunWriter(self._store, self.run, lock, is_live=False)
        try:
            for number, evaluation in self._evaluations.items():
                variant = self._variants[number]
                writer.add_evaluation(evaluation_record(self.run.id, number, evaluation, variant))
        except BaseException:
            writer.release()
            raise
        return writer

    def score_all(self, writer: RunWriter) -> bool:
        """Score every answer; returns whether Ctrl-C, or a request, stopped it."""
        results = enumerate(self._store.results(self._parent.id))
        waits = any(each.settings.judge for each in self._evaluations.values())
        try:
            with stopping_on_request(self._store, self.run.id, self._stop):
                run_until_done(
                    lambda: self._score_with_jobs(results, writer, _JUDGE_JOBS if waits else 1),
                    self._stop,
                )
        finally:
            writer.close()
        return self._is_stopping

    def _stop(self) -> None:
        self._is_stopping = True

    async def _score_with_jobs(
        self, results: Iterator[tuple[int, ResultRecord]], writer: RunWriter, jobs: int
    ) -> None:
        async def work() -> None:
            for position, result in results:
                await self._score_one(position, result, writer)
                await asyncio.sleep(0)  # lets Ctrl-C take effect
                if self._is_stopping:
                    return

        await asyncio.gather(*[work() for _ in range(jobs)])

    async def _score_one(self, position: int, kept: ResultRecord, writer: RunWriter) -> None:
        answer = stored_answer(kept)
        question, failed = self._question_of(kept)
        if failed is not None:
            result = replace(unanswered(question, failed), answer=answer)
        elif answer is not None:
            known = (
                stored_calls(kept)
                if kept.calls is not None and contains_marker(kept.answer)
                else None
            )
            result = await score_answer(
                question, answer, seconds=self._options.timeout, known_calls=known
            )
        elif kept.status == "not_scored" and kept.failure is None:  # it was not asked
            result = Result(case=question.case, status="not_scored", answer=Answer())
        else:
            result = unanswered(question, stored_failure(kept, question))
        number = kept.evaluation
        record = result_record(
            self.run.id,
            number,
            question,
            result,
            digest=kept.question,
            position=kept.position,
        )
        writer.put(record)
        self._totals[number].add(result, position)
        self._hooks.on_done(question, result)

    def _question_of(self, result: ResultRecord) -> tuple[Question, Failure | None]:
        """The question of a result; and a failure if it cannot be scored."""
        problem = None
        try:
            case = case_from_payload(result.case, result.payload)
        except InvalidCall as error:
            case, problem = Case(id=result.case), str(error)
        question = Question(
            evaluation=self._evaluations[result.evaluation],
            case=case,
            variant=self._variants[result.evaluation],
            trial=result.trial,
            trials=self._trials[result.evaluation],
        )
        if problem is None and result.answer is not None:
            problem = _hidden_value_problem(question, result)
        return question, None if problem is None else make_failure(question, "unscored", problem)

    def finish(self, writer: RunWriter, *, is_interrupted: bool) -> list[EvaluationResults]:
        found = {
            number: totals.evaluation(
                about(self._evaluations[number], self._variants[number]),
                skipped=self._skipped[number],
            )
            for number, totals in self._totals.items()
        }
        unused = unused_rules(*[totals.seen for totals in self._totals.values()])
        if unused:
            self._warn(unused_rules_text(unused, "en"))
        summaries = {number: summary_payload([each]) for number, each in found.items()}
        totals = summary_payload(list(found.values()))
        if self.unreadable:
            totals["unreadable"] = self.unreadable
        writer.finish("interrupted" if is_interrupted else "finished", totals, summaries)
        for problem in writer.problems:
            self._warn(f"the run was not saved completely: {problem}")
        return list(found.values())

    def _warn(self, warning: str) -> None:
        if warning not in self.warnings:
            self.warnings.append(warning)
            self._hooks.on_note(warning)


def _hidden_value_problem(question: Question, result: ResultRecord) -> str | None:
    """Why a case cannot be scored again: a scorer would see a marker; None if none would."""
    scorers = question.evaluation.scorers
    sees_all = any(each.function is not SCORERS.get(each.name) for each in scorers)
    if not has_hidden_calls(result) and not (
        sees_all and contains_marker([result.payload, result.answer, result.calls])
    ):
        return None
    return (
        "a value that is needed to score the case is hidden in the history. Its saved score stays in"
        " the run. Run the case again with callscore run, or its file with callscore score."
    )


def _no_task(*_: Any, **__: Any) -> None:
    """The task of a rescored evaluation, which is never called."""
