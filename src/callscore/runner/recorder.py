"""Begins or resumes a run in the history, and records its answers and results as they come."""

from __future__ import annotations

from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from callscore.core.large_number import decode_json
from callscore.core.totals import summary_payload
from callscore.engines import payloads
from callscore.engines.payloads import (
    function_payload,
    settings_payload,
    tools_payload,
)
from callscore.errors import CallscoreError, InvalidSettings, UnusableStore
from callscore.evaluations.fingerprints import QuestionDigests, task_digest
from callscore.evaluations.locations import file_of_location
from callscore.evaluations.scorers import SCORERS
from callscore.hiding.finding import OPENING
from callscore.hiding.hider import Hider, hide_text
from callscore.history.records import (
    AnswerRecord,
    EvaluationRecord,
    ResultRecord,
    RunRecord,
    asked_digest,
    expectation_digest,
    json_bytes,
)
from callscore.history.run_metadata import git_state, require_no_baseline, versions
from callscore.history.run_results import light_results
from callscore.history.saved_scores import score_fields
from callscore.history.writer import FallbackStore, RunWriter
from callscore.runner.answers import with_plain_expected
from callscore.runner.resuming import KnownAnswers, LockedRun, begin_or_resume
from callscore.words.plain_data import call_to_dict
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from callscore.core.case import Case
    from callscore.core.results import Answer, EvaluationResults, Result
    from callscore.evaluations.evaluation import Evaluation, Question, Scorer
    from callscore.evaluations.plan import Group
    from callscore.history.locks import RunLock, ServerLock
    from callscore.history.records import RunStatus
    from callscore.history.store import Store
    from callscore.runner.running import RunOptions

__all__ = [
    "Recorder",
    "begin_recording",
    "evaluation_record",
    "given_settings",
    "plain_case_payload",
    "result_record",
    "stored_scorer_name",
]


def evaluation_record(
    run: str, number: int, evaluation: Evaluation, variant: str | None
) -> EvaluationRecord:
    """The record of an evaluation under one variant."""
    return EvaluationRecord(
        run=run,
        number=number,
        name=evaluation.name,
        variant=variant,
        place=evaluation.key,
        settings=settings_payload(evaluation.settings),
        scorers=tuple([stored_scorer_name(scorer) for scorer in evaluation.scorers]),
        fail_under=evaluation.fail_under,
        tools=tools_payload(evaluation.tools),
    )


def stored_scorer_name(scorer: Scorer) -> str:
    """The stored name of a scorer; `name()` for a function with the name of a built-in one."""
    own = SCORERS.get(scorer.name)
    return scorer.name if own is None or own is scorer.function else f"{scorer.name}()"


def result_record(  # noqa: PLR0913  (each is a field of the record)
    run: str,
    number: int,
    question: Question,
    result: Result,
    *,
    digest: str,
    position: int | None = None,
) -> ResultRecord:
    """The record of a result; `number` is that of the evaluation in the run."""
    answer, failure = result.answer, result.failure
    payload = plain_case_payload(question.case)  # scorers may have changed the case of the result
    fields: dict[str, Any] = {
        "run": run,
        "evaluation": number,
        "case": question.case.id,
        "trial": question.trial,
        "position": position,
        "status": result.status,
        "payload": payload,
        "expectation": expectation_digest(payload),
        "asked": asked_digest(payload),
        "question": digest,
        "finished_at": time(),
    }
    if answer is not None:
        fields |= {
            "answer": answer.document,
            "seconds": answer.seconds,
            "usage": answer.usage,
            "attempts": answer.attempts,
            "is_reused": answer.is_reused,
        }
    if failure is not None:
        text = (failure.kind, failure.problem)
        return ResultRecord(**{**fields, "attempts": failure.attempts}, failure=text)
    answered = replace(question.case, actual=result.case.actual)
    return ResultRecord(
        **fields,
        calls=[call_to_dict(call, exact=True) for call in result.case.actual or ()],
        passed=result.passed,
        values=result.values,
        **score_fields(result.score, answered, payload),
    )


def plain_case_payload(case: Case) -> dict[str, Any]:
    """A case as in a case file, with its expected calls as plain data; a copy of what is there now."""
    payload = payloads.case_payload(with_plain_expected(case))
    copied: dict[str, Any] = decode_json(json_bytes(payload))
    return copied


def given_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The given settings as plain data."""
    given: dict[str, Any] = json_safe(
        msgspec.to_builtins(dict(settings), enc_hook=function_payload)
    )
    return {"settings": given} if given else {}


class Recorder(RunWriter):
    """Records the questions of a run, their answers and results."""

    def __init__(
        self,
        store: Store | FallbackStore,
        run: RunRecord,
        groups: Sequence[Group],
        known: KnownAnswers,
        lock: RunLock | ServerLock | None = None,
    ) -> None:
        super().__init__(store, run, lock)
        self._known = known
        self._numbers = self._save_evaluations(groups)
        self._digests = QuestionDigests()

    def _save_evaluations(self, groups: Sequence[Group]) -> list[int]:
        """Save the evaluations; returns the number of each. A resumed run has some already."""
        before = {
            (record.place, record.variant): record.number
            for record in self._store.evaluations(self.run.id)
        }
        next_number = max(before.values(), default=-1) + 1
        numbers = []
        for group in groups:
            number = before.get((group.evaluation.key, group.variant))
            if number is None:
                number, next_number = next_number, next_number + 1
            numbers.append(number)
            try:
                self.add_evaluation(
                    evaluation_record(self.run.id, number, group.evaluation, group.variant)
                )
            except UnusableStore as error:
                if self._known.run is None:
                    raise
                self.note(str(error))  # a resumed run continues
        return numbers

    def digests(self, question: Question) -> tuple[str, str]:
        """The digests of a question, and of the text of its task."""
        return self._digests.of(question)

    @property
    def hidden_answers(self) -> int:
        """How many stored answers were not reused, because a secret is hidden in them."""
        return len(self._known.hidden)

    def known(self, question: Question, digests: tuple[str, str]) -> Answer | None:
        """The stored answer to a question; None if it must be asked."""
        if not self._known.reuses_answers:
            return None
        try:
            return self._known.answer(question, digests)
        except CallscoreError as error:
            self.note(str(error))
            return None

    def put_answer(self, question: Question, digests: tuple[str, str], answer: Answer) -> None:
        """Queue an answer to be stored."""
        self._hider.refresh()
        digest, source = digests
        record = AnswerRecord(
            question=digest,
            source=source,
            trial=question.trial,
            answer=answer.document,
            seconds=answer.seconds,
            usage=answer.usage,
            attempts=answer.attempts,
            asked_at=time(),
            run=self.run.id,
        )
        self.put(record)

    def put_result(  # noqa: PLR0913  (each is a field of the record)
        self,
        group: int,
        question: Question,
        result: Result,
        *,
        digest: str,
        position: int,
        on_saved: Callable[[], None],
    ) -> None:
        """Queue a result of a group to be stored; then `on_saved` is called in another thread."""
        number = self._numbers[group]
        record = result_record(
            self.run.id, number, question, result, digest=digest, position=position
        )
        self.put(record, on_saved)

    def finish_run(self, status: RunStatus, results: Sequence[EvaluationResults]) -> None:
        """Store how the run ended."""
        summaries = {
            number: summary_payload([each])
            for number, each in zip(self._numbers, results, strict=True)
        }
        self.finish(status, summary_payload(results), summaries)


_SOURCES = "sources"
_CACHE = "cache"
_SELECTING = ("keyword", "tags")


def begin_recording(
    store: Store | FallbackStore, groups: Sequence[Group], options: RunOptions
) -> tuple[Recorder, list[str]]:
    """Begin or resume the run; returns its recorder and warnings.

    Raises:
        InvalidSettings: the name of the run is the name of a baseline.
        UnknownRun: there is no run to resume.
        UnusableStore: the history cannot be written; or, if a run is resumed, not even read.
    """
    sources = {
        file_of_location(group.evaluation.place): source
        for group in groups
        if group.questions and (source := task_digest(group.questions[0]))
    }
    commit, is_dirty = git_state(Path.cwd())
    record = RunRecord(
        id="",
        command="run",
        started_at=time(),
        name=options.name,
        arguments={**_saved(options.arguments), _CACHE: options.use_cache, _SOURCES: sources},
        versions=versions(),
        git_commit=commit,
        git_dirty=is_dirty,
        # Until it ends, for those who watch it.
        totals={"planned_trials": sum(len(group.questions) for group in groups)},
    )
    if options.name is not None and not isinstance(store, FallbackStore):
        require_no_baseline(options.name, store.baselines())
    if isinstance(options.resume, LockedRun) and not isinstance(store, FallbackStore):
        _require_shown_ids(store, options.resume, groups)
    locked = begin_or_resume(store, record, resume=options.resume)
    run = locked.record
    known = KnownAnswers(
        store=store,
        run=run.id if options.resume else None,
        use_cache=options.use_cache or bool(run.arguments.get(_CACHE)),
        since=options.cache_since,
    )
    try:
        recorder = Recorder(store, run, groups, known, locked.lock)
    except BaseException:
        locked.lock.release()
        raise
    if locked.problem:
        recorder.problems.append(locked.problem)
    return recorder, _changed_file_warnings(run.arguments.get(_SOURCES), sources)


def _require_shown_ids(store: Store, resumed: LockedRun, groups: Sequence[Group]) -> None:
    """Refuse to add cases that cannot be told from those that are saved: their ids have hidden values.

    Raises:
        InvalidSettings: there are such cases in the run, or in the plan.
    """
    hide = Hider(is_live=True).text
    planned = {hide(question.case.id) for group in groups for question in group.questions}
    saved = {row.result.case.id for row in light_results(store, resumed.record.id)}
    for name in sorted(saved | planned):
        if OPENING in name or (name in saved and hide_text(name) != name):
            resumed.lock.release()
            raise InvalidSettings(
                f"the id of the case {hide_text(name)!r} has a hidden value, so that it cannot be told"
                " whether it is in the run already. Start a new run without --resume"
            )


def _saved(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a run without the secrets that select its cases."""
    hide = Hider(is_live=True).data
    return {name: hide(value) if name in _SELECTING else value for name, value in arguments.items()}


def _changed_file_warnings(before: Any, now: dict[str, str]) -> list[str]:
    """Warnings about files that have changed since the run began."""
    if not isinstance(before, dict):
        return []
    return [
        f"{file} has changed since the run began: earlier answers are from the old version"
        for file, source in now.items()
        if before.get(file, source) != source
    ]
