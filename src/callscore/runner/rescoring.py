"""Scores the stored answers of a run again, under other settings; nothing is asked again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.api import tools_by_name
from callscore.core.case import Case
from callscore.core.results import Answer, Result, RunResults, Unloaded, failure_kind
from callscore.core.settings import Settings, get_preset, settings_from
from callscore.engines.payloads import JUDGE_FIELDS, given_settings
from callscore.engines.saving import begin_run
from callscore.errors import InvalidCall, InvalidSettings
from callscore.evaluations.discovery import load_file
from callscore.evaluations.evaluation import Evaluation, Question, Scorer
from callscore.evaluations.locations import display_path, file_of_location
from callscore.evaluations.plan import Group
from callscore.evaluations.scorers import SCORERS, scorer_of, scorers_from
from callscore.hiding.hider import contains_marker
from callscore.history.opening import default_path
from callscore.history.run_metadata import READING_ARGUMENT, unreadable_records
from callscore.history.saved_scores import read_calls
from callscore.history.saved_totals import require_every_case
from callscore.models.consent import Origin, Server, require_consent
from callscore.models.judging import Judge, judge
from callscore.models.limits import DEFAULT_LIMITS
from callscore.runner.answers import (
    make_failure,
    score_answer,
    stored_answer,
    unanswered,
)
from callscore.runner.asking import Asked
from callscore.runner.resuming import RunRecorder, stored_scorer_name
from callscore.runner.running import ReportOptions, RunHooks, ScoredRun
from callscore.runner.stored_runs import (
    FUNCTION_SETTINGS,
    case_from_payload,
    has_hidden_calls,
    stored_settings,
    stored_skipped,
)

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.history.records import EvaluationRecord, ResultRecord, RunRecord
    from callscore.history.store import Store


class StoredScorers:
    """Finds the scorers of stored evaluations by name; functions are imported from their files."""

    def __init__(self) -> None:
        self._files: dict[Path, list[Evaluation] | Unloaded] = {}

    def find(self, record: EvaluationRecord, name: str) -> Scorer | str:
        """The scorer of this name of an evaluation; or why it is missing, in a sentence."""
        with suppress(InvalidSettings):
            return scorer_of(name)
        file, project = file_of_location(record.place), default_path().parent.parent
        path = project / file
        if not file:
            problem = "it is a function, and its file is unknown"
        # A history may come with a repository: it must not name other code to import.
        elif not path.resolve().is_relative_to(project.resolve()):
            problem = f"it is a function in {file}, which is outside of the project {project}"
        elif not path.is_file():
            problem = f"it is a function in {file}, which no longer exists"
        else:
            found = self._files[path] = self._files.get(path) or load_file(path)
            if isinstance(found, Unloaded):
                return f"{found.place}: {found.problem}"
            own = [one for each in found if each.key == record.place for one in each.scorers]
            named = [one for one in own if stored_scorer_name(one) == name]
            return named[0] if named else f"{display_path(path)} has no scorer of this name"
        return problem


_JUDGE_JOBS = 8


class RescoreOptions(ReportOptions, frozen=True, kw_only=True):
    """How to score a run again.

    Attributes:
        preset: overrides the settings of the run.
        settings: override those of the run, or of the preset.
        scorers: names that replace the scorers of the run; None for the same scorers.
        timeout: of a scorer, in seconds.
        allow_servers: the servers that the saved judges of the run may be on.
    """

    preset: str | None = None
    settings: Mapping[str, Any] = {}
    scorers: Sequence[str] | None = None
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
    reading = run.arguments.get(READING_ARGUMENT)
    arguments = {
        "run": run.id,
        "preset": options.preset,
        **({READING_ARGUMENT: reading} if reading else {}),
        **given_settings(options.settings),
    }
    begun = begin_run(
        store,
        "rescore",
        arguments=arguments,
        git_commit=run.git_commit,
        git_dirty=run.git_dirty,
        parent=run.id,
    )
    recorder = rescoring.recorder = RunRecorder(store, begun, rescoring.groups)
    try:
        found = rescoring.score_all()
    finally:
        recorder.release()
    return replace(found, seconds=perf_counter() - started)


class _Rescoring(ScoredRun):
    """One run that is scored again."""

    def __init__(
        self, store: Store, parent: RunRecord, options: RescoreOptions, hooks: RunHooks
    ) -> None:
        super().__init__(options, hooks)
        self._store = self.store = store
        self._parent = parent
        self._options = options
        self._kept_scorers = StoredScorers()
        if parent.status != "finished":
            self.warn(f"run {parent.id} did not finish: only its answers are scored")
        self._known_judges: dict[tuple[Any, ...], Judge] = {}
        self._records = store.evaluations(parent.id)
        self._trials = store.trials(parent.id)
        self._positions = {record.number: at for at, record in enumerate(self._records)}
        self.take_groups(
            [
                Group(evaluation=self._evaluation(record), variant=record.variant)
                for record in self._records
            ]
        )
        self.judges.remember_in(store)

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
                self.warn(
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
        found = {name: self._kept_scorers.find(record, name) for name in record.scorers}
        for name, scorer in found.items():
            if isinstance(scorer, str):
                missing = f"{record.name}: the scorer {name} is missing, and is left out"
                self.warn(f"{missing}: {scorer}")
        return tuple([scorer for scorer in found.values() if not isinstance(scorer, str)])

    def score_all(self) -> RunResults:
        """Score every answer, or until Ctrl-C, or a request, stops it."""
        waits = any(group.evaluation.settings.judge for group in self.groups)
        is_interrupted = self.answer(self._answers(), _JUDGE_JOBS if waits else 1, DEFAULT_LIMITS)
        planned = [{"skipped": stored_skipped(record)} for record in self._records]
        unreadable = unreadable_records(self._parent)
        return self.finish(planned, is_interrupted=is_interrupted, unreadable=unreadable)

    def _answers(self) -> Iterator[Asked]:
        for kept in self._store.results(self._parent.id):
            at, problem = self._positions[kept.evaluation], None
            try:
                case = case_from_payload(kept.case, kept.payload)
            except InvalidCall as error:
                case, problem = Case(id=kept.case), str(error)
            question = Question(
                evaluation=self.groups[at].evaluation,
                case=case,
                variant=self.groups[at].variant,
                trial=kept.trial,
                trials=self._trials.get(kept.evaluation, 1),
            )
            known = partial(self._result, kept, question, problem)
            yield Asked(at, kept.position, question, digests=(kept.question, ""), known=known)

    async def _result(self, kept: ResultRecord, question: Question, problem: str | None) -> Result:
        """The result of a stored answer; `problem` is why it cannot be scored."""
        answer = stored_answer(kept)
        if problem is None and answer is not None:
            # Scorers of users may look at all of it.
            scorers = question.evaluation.scorers
            sees_all = any(each.function is not SCORERS.get(each.name) for each in scorers)
            if has_hidden_calls(kept) or (
                sees_all and contains_marker([kept.payload, kept.answer, kept.calls])
            ):
                problem = _HIDDEN_VALUE
        if problem is not None:
            failure = make_failure(question, "unscored", problem)
            return replace(unanswered(question, failure), answer=answer)
        if answer is not None:
            is_hidden = kept.calls is not None and contains_marker(kept.answer)
            known_calls = read_calls(kept.calls) if is_hidden else None
            seconds = self._options.timeout
            return await score_answer(question, answer, seconds=seconds, known_calls=known_calls)
        if kept.status == "not_scored" and kept.failure is None:  # it was not asked
            return Result(case=question.case, status="not_scored", answer=Answer())
        kind, why = kept.failure or ("raised", "there is no answer")
        failure = make_failure(question, failure_kind(kind), why, attempts=kept.attempts)
        return unanswered(question, failure)


_HIDDEN_VALUE = (
    "a value that is needed to score the case is hidden in the history. Its saved score stays in"
    " the run. Run the case again with callscore run, or its file with callscore score."
)


def _no_task(*_: Any, **__: Any) -> None:
    """The task of a rescored evaluation, which is never called."""
