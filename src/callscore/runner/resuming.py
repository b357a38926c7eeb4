"""Finds the run to resume, answers that are known already, and cases that failed last time."""

from __future__ import annotations

import shlex
from itertools import islice
from time import time
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.errors import UnknownRun, UnusableStore
from callscore.hiding.hider import contains_marker
from callscore.history.locks import RunLock, ServerLock, is_unlocked
from callscore.history.records import RunRecord
from callscore.history.run_metadata import SELECTION_ARGUMENTS, new_run_id
from callscore.history.writer import FallbackStore
from callscore.runner.answers import stored_answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.results import Answer
    from callscore.evaluations.evaluation import Question
    from callscore.history.records import AnswerRecord
    from callscore.history.store import Store

__all__ = [
    "KnownAnswers",
    "LockedRun",
    "begin_or_resume",
    "find_unfinished_run",
    "last_failed_cases",
]


_PATHS = "paths"
_MAX_LISTED = 3


class LockedRun(Struct, frozen=True):
    """A run that this process has locked.

    Attributes:
        problem: why the history does not show it as resumed; empty if it does.
    """

    record: RunRecord
    lock: RunLock | ServerLock
    problem: str = ""


def find_unfinished_run(store: Store, arguments: dict[str, Any]) -> LockedRun:
    """Lock the newest unfinished run of the same paths that no other process has locked.

    Raises:
        UnknownRun: there is none.
    """
    locked = 0
    for run in store.runs():
        if run.command != "run" or run.arguments.get(_PATHS) != arguments.get(_PATHS):
            continue
        if run.status == "finished":
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
    hint = _unfinished_hint(store) or "Start a new run without --resume"
    raise UnknownRun(f"no unfinished run of {what}. {hint}")


def _unfinished_hint(store: Store) -> str:
    """Commands that resume the newest unfinished runs of other paths; empty without any."""
    commands: list[str] = []
    for run in store.runs():
        paths = run.arguments.get(_PATHS)
        if run.command != "run" or run.status == "finished" or not isinstance(paths, list):
            continue
        command = (
            shlex.join(["callscore", "run", *map(str, paths), "--resume"]) + store.command_options
        )
        if command not in commands and is_unlocked(store, run):
            commands.append(command)
        if len(commands) == _MAX_LISTED:
            break
    return f"Other unfinished runs: {'; '.join(commands)}" if commands else ""


def begin_or_resume(
    store: Store | FallbackStore, record: RunRecord, *, resume: LockedRun | bool
) -> LockedRun:
    """Begin the run of the record, or resume one in its place; returns the run as stored."""
    if not resume or isinstance(store, FallbackStore):
        return _begin_new(store, record)
    locked = (
        resume if isinstance(resume, LockedRun) else find_unfinished_run(store, record.arguments)
    )
    before = locked.record
    resumed = replace(
        before,
        status="running",
        finished_at=None,
        versions=record.versions,
        name=record.name or before.name,
        totals=record.totals,
    )
    try:
        return LockedRun(store.begin(resumed), locked.lock)
    except UnusableStore as error:  # its answers can still be read
        return LockedRun(resumed, locked.lock, str(error))


def _begin_new(store: Store | FallbackStore, record: RunRecord) -> LockedRun:
    """Begin a new run, locked before other processes can see it."""
    started_at = time()
    run = replace(record, id=new_run_id(started_at), started_at=started_at)
    lock = store.lock(run.id)
    if not lock.take():  # another process has chosen the same id
        return _begin_new(store, record)
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

    @property
    def reuses_answers(self) -> bool:
        """Whether stored answers are reused at all."""
        return self.run is not None or self.use_cache

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
        if found is None:
            return None
        return stored_answer(found)


# Runs to search, if none of them was complete.
_MAX_RUNS = 50

# The key of the evaluation, the variant, and the id of the case.
_CaseKey = tuple[str, str | None, str]


def last_failed_cases(store: Store, paths: Sequence[str]) -> frozenset[_CaseKey] | None:
    """The cases that failed in their last run; None if nothing was run before.

    Partial runs are searched, newest first, until a complete one of these paths.
    """
    has_failed: dict[_CaseKey, bool] = {}
    ran = (run for run in store.runs() if run.command == "run")
    is_known = False
    for run in islice(ran, _MAX_RUNS):
        is_known = True
        for key, failed in _failed_by_case(store, run.id).items():
            has_failed.setdefault(key, failed)
        is_all = not any(run.arguments.get(name) for name in SELECTION_ARGUMENTS)
        if run.status == "finished" and is_all and run.arguments.get(_PATHS) == list(paths):
            break
    return frozenset(key for key, failed in has_failed.items() if failed) if is_known else None


def _failed_by_case(store: Store, run: str) -> dict[_CaseKey, bool]:
    """Whether a trial of each case of a run failed."""
    names = {each.number: (each.place, each.variant) for each in store.evaluations(run)}
    found: dict[_CaseKey, bool] = {}
    for result in store.results(run):
        evaluation, variant = names[result.evaluation]
        key = (evaluation, variant, result.case)
        failed = result.status == "error" or result.passed is False
        found[key] = found.get(key, False) or failed
    return found
