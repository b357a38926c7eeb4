"""Begins or resumes a run and records it; finds answers that are known, and cases that failed last time."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from itertools import islice
from time import time
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.engines.saving import LockedRun, begin_run, evaluation_record
from callscore.errors import CallscoreError, InvalidSettings, UnknownRun, UnusableStore
from callscore.evaluations.fingerprints import QuestionDigests, task_digest
from callscore.evaluations.locations import file_of_location
from callscore.evaluations.scorers import SCORERS
from callscore.hiding.finding import OPENING
from callscore.hiding.hider import Hider, contains_marker, hide_text
from callscore.history.locks import is_unlocked
from callscore.history.records import AnswerRecord, EvaluationRecord
from callscore.history.run_metadata import SELECTION_ARGUMENTS, require_no_baseline, versions
from callscore.history.run_results import light_results
from callscore.history.saved_scores import saved_result
from callscore.history.writer import FallbackFile, RunWriter
from callscore.runner.answers import plain_case_payload, stored_answer

if TYPE_CHECKING:
    from callscore.core.results import Answer, Result
    from callscore.evaluations.evaluation import Question, Scorer
    from callscore.evaluations.plan import Group
    from callscore.history.store import Store
    from callscore.runner.running import RunOptions

_PATHS = "paths"
_SOURCES = "sources"
_CACHE = "cache"
_SELECTING = ("keyword", "tags")
_MAX_LISTED = 3

# --- the run to resume ----------------------------------------------------------------------------


def find_unfinished_run(store: Store, arguments: dict[str, Any]) -> LockedRun:
    """Lock the newest unfinished run of the same paths that no other process has locked.

    Raises:
        UnknownRun: there is none.
    """
    unfinished = [run for run in store.runs() if run.command == "run" and run.status != "finished"]
    locked = 0
    for run in unfinished:
        if run.arguments.get(_PATHS) != arguments.get(_PATHS):
            continue
        lock = store.lock(run.id)
        if not lock.take():
            locked += 1
            continue
        now = store.find(run.id)
        if now.status != "finished":  # another process may have finished it meanwhile
            return LockedRun(now, lock)
        lock.release()
    what = ", ".join(repr(str(path)) for path in arguments.get(_PATHS) or ())
    if locked:
        raise UnknownRun(f"the unfinished run of {what} is in use by another process")
    others = {  # of other paths
        shlex.join(["callscore", "run", *map(str, paths), "--resume"]): None
        for run in unfinished
        if isinstance(paths := run.arguments.get(_PATHS), list) and is_unlocked(store, run)
    }
    commands = [f"{words}{store.command_options}" for words in islice(others, _MAX_LISTED)]
    hint = f"Other unfinished runs: {'; '.join(commands)}" if commands else ""
    raise UnknownRun(f"no unfinished run of {what}. {hint or 'Start a new run without --resume'}")


def begin_or_resume(
    store: Store | FallbackFile, *, resume: LockedRun | bool, **fields: Any
) -> LockedRun:
    """Begin a run with these fields, or resume one in its place; returns the run as stored."""
    if not resume or isinstance(store, FallbackFile):
        return begin_run(store, "run", **fields)
    arguments = fields["arguments"]
    locked = resume if isinstance(resume, LockedRun) else find_unfinished_run(store, arguments)
    before = locked.record
    resumed = replace(
        before,
        status="running",
        finished_at=None,
        versions=versions(),
        name=fields.get("name") or before.name,
        totals=fields.get("totals", {}),
    )
    try:
        return LockedRun(store.begin(resumed), locked.lock)
    except UnusableStore as error:  # its answers can still be read
        return LockedRun(resumed, locked.lock, str(error))


# --- known answers --------------------------------------------------------------------------------


class KnownAnswers(Struct, frozen=True, kw_only=True):
    """Finds stored answers.

    Attributes:
        run: the resumed run, whose answers are reused; None for a new run.
        use_cache: whether answers of any run to the same question are reused.
        since: the time of the oldest reusable answer of a task that is code, in seconds since 1970:
            the code that it imports may have changed.
        hidden: the cases whose stored answer was not reused, because a secret is hidden in it.
    """

    store: Any
    run: str | None = None
    use_cache: bool = False
    since: float = 0.0
    hidden: list[str] = []

    def answer(self, question: Question, digests: tuple[str, str]) -> Answer | None:
        """The stored answer to a question with these digests (of itself, and of its task's text).

        None if a secret is hidden in it: it cannot be compared with the case as it is.
        """
        digest, source = digests
        found: AnswerRecord | None = None
        if self.run is not None:
            found = self.store.answer_of_run(self.run, digest, question.trial)
        if found is None and self.use_cache:
            found = self.store.answer(digest, source, question.trial)
            if found is not None and source and found.asked_at < self.since:
                found = None
        if found is not None and contains_marker(found.answer):
            self.hidden.append(question.case.id)
            return None
        return None if found is None else stored_answer(found)


# --- recording ------------------------------------------------------------------------------------


class RunRecorder(RunWriter):
    """Records the questions of a run, their answers and results.

    Attributes:
        numbers: the number of the evaluation of each group.
        digests: the digests of a question, and of the text of its task.
    """

    def __init__(
        self,
        store: Store | FallbackFile,
        begun: LockedRun,
        groups: Sequence[Group],
        known: KnownAnswers | None = None,
    ) -> None:
        # The results of `rescore` are computed from those of a history.
        super().__init__(store, begun.record, begun.lock, is_live=known is not None)
        self.known_answers = known
        self.numbers: list[int] = []
        self.digests = QuestionDigests().of
        if begun.problem:
            self.problems.append(begun.problem)
        try:
            self._add(groups)
        except BaseException:
            self.release()
            raise

    def _add(self, groups: Sequence[Group]) -> None:
        """Save the evaluations of groups. A resumed run has some already, and continues without."""
        known = self.known_answers
        resumed = None if known is None or known.run is None else known.store
        saved = [] if resumed is None else resumed.evaluations(self.run.id)
        before = {(record.place, record.variant): record.number for record in saved}
        next_number = max(before.values(), default=-1) + 1
        for group in groups:
            number = before.get((group.evaluation.key, group.variant))
            if number is None:
                number, next_number = next_number, next_number + 1
            self.numbers.append(number)
            try:
                self.add_evaluation(group_record(self.run.id, number, group))
            except UnusableStore as error:
                if resumed is None:
                    raise
                self.note(str(error))

    def known(self, question: Question, digests: tuple[str, str]) -> Answer | None:
        """The stored answer to a question; None if it must be asked, as always without the history."""
        if self.known_answers is None or self.is_aside:
            return None
        try:
            return self.known_answers.answer(question, digests)
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

    def put_result_of(  # noqa: PLR0913  (two are fields of the record)
        self,
        group: int,
        question: Question,
        result: Result,
        *,
        digest: str,
        position: int | None,
        on_saved: Callable[[], None],
    ) -> None:
        """Queue a result of a group to be stored; for `on_saved` see `put`."""
        calls = None if result.failure is not None else result.case.actual or ()
        record = saved_result(
            result,
            replace(question.case, actual=calls),
            plain_case_payload(question.case),
            run=self.run.id,
            evaluation=self.numbers[group],
            trial=question.trial,
            values=result.values,
            position=position,
            question=digest,
            finished_at=time(),
        )
        self.put(record, on_saved)


def group_record(run: str, number: int, group: Group) -> EvaluationRecord:
    """The record of an evaluation under one variant."""
    evaluation = group.evaluation
    return evaluation_record(
        evaluation.settings,
        evaluation.tools,
        run=run,
        number=number,
        name=evaluation.name,
        variant=group.variant,
        place=evaluation.key,
        scorers=tuple([stored_scorer_name(scorer) for scorer in evaluation.scorers]),
        fail_under=evaluation.fail_under,
    )


def stored_scorer_name(scorer: Scorer) -> str:
    """The stored name of a scorer; `name()` for a function with the name of a built-in one."""
    own = SCORERS.get(scorer.name)
    return scorer.name if own is None or own is scorer.function else f"{scorer.name}()"


def begin_recording(
    store: Store | FallbackFile, groups: Sequence[Group], options: RunOptions
) -> tuple[RunRecorder, list[str]]:
    """Begin or resume the run; returns its recorder and warnings.

    Raises:
        InvalidSettings: the name of the run is the name of a baseline.
        UnknownRun: there is no run to resume.
        UnusableStore: the history cannot be written; or, if a run is resumed, not even read.
    """
    resume, hide = options.resume, Hider(is_live=True)
    sources = {
        file_of_location(group.evaluation.place): source
        for group in groups
        if group.questions and (source := task_digest(group.questions[0]))
    }
    if not isinstance(store, FallbackFile):
        if options.name is not None:
            require_no_baseline(options.name, store.baselines())
        if isinstance(resume, LockedRun):
            _require_shown_ids(store, resume, groups)
    given = {  # without the secrets that select its cases
        name: hide.data(value) if name in _SELECTING else value
        for name, value in options.arguments.items()
    }
    locked = begin_or_resume(
        store,
        resume=resume,
        name=options.name,
        arguments={**given, _CACHE: options.use_cache, _SOURCES: sources},
        # Until it ends, for those who watch it.
        totals={"planned_trials": sum(len(group.questions) for group in groups)},
    )
    run = locked.record
    known = KnownAnswers(
        store=store,
        run=run.id if resume else None,
        use_cache=options.use_cache or bool(run.arguments.get(_CACHE)),
        since=options.cache_since,
    )
    recorder = RunRecorder(store, locked, groups, known)
    before = run.arguments.get(_SOURCES)
    return recorder, [
        f"{file} has changed since the run began: earlier answers are from the old version"
        for file, source in sources.items()
        if isinstance(before, dict) and before.get(file, source) != source
    ]


def _require_shown_ids(store: Store, resumed: LockedRun, groups: Sequence[Group]) -> None:
    """Refuse to add cases that cannot be told from those that are saved: their ids have hidden values.

    Raises:
        InvalidSettings: there are such cases in the run, or in the plan.
    """
    hide = Hider(is_live=True).text
    planned = {hide(question.case.id) for group in groups for question in group.questions}
    saved = {result.case for _, result in light_results(store, resumed.record.id)}
    for name in sorted(saved | planned):
        if OPENING in name or (name in saved and hide_text(name) != name):
            resumed.lock.release()
            raise InvalidSettings(
                f"the id of the case {hide_text(name)!r} has a hidden value, so that it cannot be told"
                " whether it is in the run already. Start a new run without --resume"
            )


# --- cases that failed last time ------------------------------------------------------------------

# Runs to search, if none of them was complete.
_MAX_RUNS = 50

# The key of the evaluation, the variant, and the id of the case.
_CaseKey = tuple[str, str | None, str]


def last_failed_cases(store: Store, paths: Sequence[str]) -> frozenset[_CaseKey] | None:
    """The cases that failed in their last run; None if nothing was run before.

    Partial runs are searched, newest first, until a complete one of these paths.
    """
    has_failed: dict[_CaseKey, bool] = {}
    is_known = False
    for run in islice((run for run in store.runs() if run.command == "run"), _MAX_RUNS):
        is_known = True
        names = {each.number: (each.place, each.variant) for each in store.evaluations(run.id)}
        found: dict[_CaseKey, bool] = {}  # whether a trial of the case failed
        for result in store.results(run.id):
            key = (*names[result.evaluation], result.case)
            failed = result.status == "error" or result.passed is False
            found[key] = found.get(key, False) or failed
        for key, failed in found.items():
            has_failed.setdefault(key, failed)
        is_all = not any(run.arguments.get(name) for name in SELECTION_ARGUMENTS)
        if run.status == "finished" and is_all and run.arguments.get(_PATHS) == list(paths):
            break
    return frozenset(key for key, failed in has_failed.items() if failed) if is_known else None
