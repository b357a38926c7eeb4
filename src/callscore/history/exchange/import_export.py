"""Exports runs, and imports them: existing runs are completed, nothing is stored twice."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.errors import InvalidSettings, UnreadableInput
from callscore.history.database import with_retries
from callscore.history.encoding import answer_record, pack_digest, run_records
from callscore.history.exchange.json_lines import encode_line, end_line
from callscore.history.queries import (
    ANSWERS_OF_RUN,
    ANSWERS_PER_PAGE,
    answered_questions,
    result_times,
    runs_begun_at,
)
from callscore.history.records import AnswerRecord, EvaluationRecord, ResultRecord, RunRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from callscore.history.exchange.json_lines import Record
    from callscore.history.locks import RunLock, ServerLock
    from callscore.history.store import Store

__all__ = [
    "ImportedRun",
    "check_records",
    "export_lines",
    "import_records",
    "run_answers",
    "sanitize_evaluation",
]


# Takes runs from elsewhere into a history: what is there already is filled up, and nothing
# doubled.

_RECORDS_PER_TRANSACTION = 500
_SEPARATOR = "::"
_KEY_VARIABLE = "OPENAI_API_KEY"

# Under which id a run came, where it was another's here; among its arguments.
_ORIGINAL_ID = "imported_as"
# How long to wait for another process that is at the same run, in seconds.
_LOCK_TIMEOUT = 10.0
_LOCK_PAUSE = 0.1
# The counts of a run whose cases have a result each.
_COUNTS_WITH_RESULT = ("answered", "errors")

# The evaluation, the case and the trial of a result.
_ResultKey = tuple[int, str, int]
# The digest of a question as it is kept, and the trial.
_QuestionKey = tuple[bytes, int]


class ImportedRun(Struct, frozen=True, kw_only=True):
    """The result of a run that was imported.

    Attributes:
        run: the run as it is kept.
        is_new: whether it was not there before.
        results: how many results the file has.
        added: how many of these were not there before, or older.
        missing: how many results the run had that are not here: it counts as one that did not end.
        given: the id that it has in the file, where that is another's here; else empty.
    """

    run: RunRecord
    is_new: bool
    results: int
    added: int
    missing: int = 0
    given: str = ""


def check_records(records: Iterable[Record], name: str, store: Store) -> None:
    """Check all records before anything is imported: every result must have its evaluation.

    Args:
        records: the records of a file.
        name: the file, as it is called in messages.
        store: the history, which may know the evaluations of a run already.

    Raises:
        UnreadableInput: something is missing, or cannot be read.
    """
    known: set[int] = set()
    is_same = ""
    for record in records:
        if isinstance(record, RunRecord):
            if record.id != is_same:
                known = _existing_evaluations(store, record)
            is_same = record.id
        elif isinstance(record, EvaluationRecord):
            known.add(record.number)
        elif isinstance(record, ResultRecord) and record.evaluation not in known:
            problem = f"the case {record.case} belongs to evaluation {record.evaluation}"
            raise UnreadableInput(name, f"{problem}, of which nothing is said before it.")


def _existing_evaluations(store: Store, run: RunRecord) -> set[int]:
    there = _existing_run(store, run)
    return set() if there is None else {each.number for each in store.evaluations(there.id)}


@with_retries
def _existing_run(store: Store, run: RunRecord) -> RunRecord | None:
    """The same run if it is stored already: same id, same start time.

    Where its id was another's when it was imported, it remembers under which it came.
    """
    with store.reading() as connection:
        found = run_records(runs_begun_at(connection, run.started_at))
    same = [each for each in found if each.id == run.id]
    renamed = [each for each in found if each.arguments.get(_ORIGINAL_ID) == run.id]
    return next(iter([*same, *renamed]), None)


def import_records(store: Store, records: Iterable[Record]) -> list[ImportedRun]:
    """Import runs into a history.

    Until all of a new run is there, it counts as one that is running. Of a run that is there already,
    what is missing is added, and what is older is replaced.

    Args:
        store: the history.
        records: the records of the runs, each run before what belongs to it.

    Raises:
        InvalidSettings: a run is under way, also after some seconds.
        UnusableStore: the history cannot be written.
    """
    imported: list[ImportedRun] = []
    taking: _RunImport | None = None
    try:
        for record in records:
            if not isinstance(record, RunRecord):
                if taking is not None:
                    taking.take(record)
            elif taking is not None and taking.is_same_run(record):
                taking.update_run(record)
            else:
                imported += [] if taking is None else [taking.finish()]
                taking = _RunImport(store, record)
        imported += [] if taking is None else [taking.finish()]
    finally:
        if taking is not None:
            taking.release()
    return imported


class _RunImport:
    """One run that is being imported."""

    def __init__(self, store: Store, run: RunRecord) -> None:
        self._store = store
        self._imported = run
        self._queued: list[AnswerRecord | ResultRecord] = []
        self._results = self._added = 0
        self._summaries: dict[int, dict[str, Any]] = {}
        self._result_times: dict[_ResultKey, float] = {}
        self._answered: set[_QuestionKey] = set()
        self._evaluations: dict[int, EvaluationRecord] = {}
        # By the id in the file, so that others who import the same wait; and by that which it gets.
        self._locks = [_acquire_lock(store, run.id)]
        try:
            self._existing = _existing_run(store, run)
            self._run = self._begin_run() if self._existing is None else self._existing
            if self._run.id != run.id:
                self._locks.append(_acquire_lock(store, self._run.id))
            if self._existing is not None:
                self._load_existing(self._run.id)
        except BaseException:
            self.release()
            raise

    def _begin_run(self) -> RunRecord:
        """The run as one that is running here, under another id where this one is another's."""
        given = self._imported
        arguments = {key: value for key, value in given.arguments.items() if key != _ORIGINAL_ID}
        fresh = replace(given, status="running", finished_at=None, totals={}, arguments=arguments)
        begun = self._store.begin(fresh)
        if begun.id == given.id:
            return begun
        return self._store.begin(replace(begun, arguments={**arguments, _ORIGINAL_ID: given.id}))

    def _load_existing(self, run: str) -> None:
        self._result_times = _existing_results(self._store, run)
        self._answered = _existing_answers(self._store, run)
        self._evaluations = {each.number: each for each in self._store.evaluations(run)}

    def is_same_run(self, run: RunRecord) -> bool:
        """Whether this is the same run once more."""
        return (run.id, run.started_at) == (self._imported.id, self._imported.started_at)

    def update_run(self, run: RunRecord) -> None:
        """Take what is said of the run later: how it ended, say."""
        self._imported = run

    def take(self, record: EvaluationRecord | ResultRecord | AnswerRecord) -> None:
        """Keep a part of the run."""
        record = replace(record, run=self._run.id)
        if isinstance(record, EvaluationRecord):
            self._add_evaluation(sanitize_evaluation(record))
        elif isinstance(record, AnswerRecord):
            self._add_answer(record)
        else:
            self._add_result(record)

    def _add_evaluation(self, record: EvaluationRecord) -> None:
        """Keep what is evaluated; what it comes to is kept at the end, when all of it is there."""
        if record.summary:
            self._summaries[record.number] = record.summary
        if record.number not in self._evaluations:
            self._evaluations[record.number] = replace(record, summary={})
            self._store.add_evaluation(self._evaluations[record.number])

    def _add_answer(self, record: AnswerRecord) -> None:
        question = (pack_digest(record.question), record.trial)
        if question not in self._answered:
            self._answered.add(question)
            self._enqueue(record)

    def _add_result(self, record: ResultRecord) -> None:
        self._results += 1
        key = (record.evaluation, record.case, record.trial)
        if self._result_times.get(key, -1.0) < record.finished_at:
            self._result_times[key] = record.finished_at
            self._added += 1
            self._enqueue(record)

    def _enqueue(self, record: AnswerRecord | ResultRecord) -> None:
        self._queued.append(record)
        if len(self._queued) >= _RECORDS_PER_TRANSACTION:
            self._flush()

    def _flush(self) -> None:
        if self._queued:
            self._store.keep(self._queued)
            self._queued = []

    def finish(self) -> ImportedRun:
        """Keep what is left, and how the run ended."""
        self._flush()
        missing = self._missing_results()
        if not missing:
            self._save_summaries()
        ended = self._finished_run(is_whole=not missing)
        if ended != self._run or self._existing is None:
            self._store.begin(ended)
        self.release()
        return ImportedRun(
            run=ended,
            is_new=self._existing is None,
            results=self._results,
            added=self._added,
            missing=missing,
            given="" if self._imported.id == ended.id else self._imported.id,
        )

    def _missing_results(self) -> int:
        """How many results the run had when it ended that are not here."""
        given, there = self._imported, self._existing
        if given.status != "finished" or (there is not None and there.status == "finished"):
            return 0
        wanted = sum(given.totals.get(name) or 0 for name in _COUNTS_WITH_RESULT)
        return max(0, wanted - len(self._result_times))

    def _save_summaries(self) -> None:
        for number, summary in self._summaries.items():
            known = self._evaluations[number]
            if not known.summary:
                self._store.add_evaluation(replace(known, summary=summary))

    def _finished_run(self, *, is_whole: bool) -> RunRecord:
        given, there = self._imported, self._existing
        if there is not None and (there.status == "finished" or given.status != "finished"):
            return there
        # Where it ran, it may run still; here nobody is at it.
        is_ended = given.status == "finished" and is_whole
        # Of a run that lacks something, its totals would say too much.
        totals = given.totals if is_whole else {}
        return replace(
            self._run,
            status="finished" if is_ended else "interrupted",
            finished_at=given.finished_at,
            totals=totals,
        )

    def release(self) -> None:
        """Let others at the run."""
        for lock in self._locks:
            lock.release()


def _acquire_lock(store: Store, run: str) -> RunLock | ServerLock:
    """The lock of a run; waits for another import of the same run to finish."""
    lock = store.lock(run)
    deadline = monotonic() + _LOCK_TIMEOUT
    while not lock.take():
        if monotonic() > deadline:
            raise InvalidSettings(f"the run {run} is still under way: another process is at it")
        sleep(_LOCK_PAUSE)
    return lock


@with_retries
def _existing_answers(store: Store, run: str) -> set[_QuestionKey]:
    """Which questions of a run have an answer."""
    with store.reading() as connection:
        return answered_questions(connection, run)


@with_retries
def _existing_results(store: Store, run: str) -> dict[_ResultKey, float]:
    """When each result that is there was written."""
    with store.reading() as connection:
        return result_times(connection, run)


def sanitize_evaluation(record: EvaluationRecord) -> EvaluationRecord:
    """A foreign evaluation without file paths outside the project and without a judge server.

    Files are looked for where an evaluation stands: none outside of the project. And a judge is sent a
    key: to no server, and no other key, than the user names.
    """
    settings: dict[str, Any] = dict(record.settings)
    judge = settings.get("judge")
    if isinstance(judge, dict):
        model = judge.get("model")
        settings["judge"] = {"model": model, "base_url": None, "key_variable": _KEY_VARIABLE}
    elif judge is not None:
        settings["judge"] = None
    return replace(record, settings=settings, place=_inside_project(record.place))


def _inside_project(place: str) -> str:
    """The location if it is inside the project, else only the name."""
    file, separator, name = place.partition(_SEPARATOR)
    posix, windows = PurePosixPath(file), PureWindowsPath(file)
    is_outside = posix.is_absolute() or bool(windows.anchor) or ".." in windows.parts
    return f"{separator}{name}" if is_outside else place


# A run as lines that another history takes, from the beginning to the end.


def export_lines(store: Store, run: RunRecord) -> Iterator[tuple[bytes, int]]:
    """The lines of a run, each with how many results it holds: one or none.

    A run that did not end brings its answers, so that it can go on elsewhere.
    """
    evaluations = store.evaluations(run.id)
    yield encode_line(run, has_end=True), 0
    for record in evaluations:
        yield encode_line(record), 0
    if run.status != "finished":
        for answer in run_answers(store, run.id):
            yield encode_line(answer), 0
    count = 0
    for result in store.results(run.id):
        yield encode_line(result), 1
        count += 1
    yield end_line(evaluations=len(evaluations), results=count), 0


def run_answers(store: Store, run: str) -> Iterator[AnswerRecord]:
    """The answers that a run got, in the order in which it got them, a few at a time."""
    after = -1
    while True:
        page, after = _answers_page(store, run, after)
        yield from page
        if len(page) < ANSWERS_PER_PAGE:
            return


@with_retries
def _answers_page(store: Store, run: str, after: int) -> tuple[list[AnswerRecord], int]:
    with store.reading() as connection:
        rows = connection.execute(ANSWERS_OF_RUN, {"run": run, "after": after}).all()
        return [answer_record(row) for row in rows], rows[-1].number if rows else after
