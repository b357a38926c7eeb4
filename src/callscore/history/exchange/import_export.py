"""Exports and imports runs: existing runs are completed, nothing is stored twice."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from callscore.errors import InvalidSettings, UnreadableInput
from callscore.history import queries, run_queries
from callscore.history.database import with_retries
from callscore.history.exchange.json_lines import encode_line, end_line
from callscore.history.hidden_records import RecordHider
from callscore.history.records import (
    AnswerRecord,
    EvaluationRecord,
    ResultRecord,
    RunRecord,
    pack_digest,
    run_records,
)
from callscore.history.run_metadata import require_no_baseline
from callscore.history.saved_totals import COUNTS_KEY, number_of_results, saved_cases_of

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


_RECORDS_PER_TRANSACTION = 500
_ANSWERS_PER_PAGE = 200
_SEPARATOR = "::"
_KEY_VARIABLE = "OPENAI_API_KEY"

# Argument of a run with its id in the file, if another run had that id here.
_ORIGINAL_ID = "imported_as"
# Seconds to wait for another process that imports the same run.
_LOCK_TIMEOUT = 10.0
_LOCK_PAUSE = 0.1

# The evaluation, the case and the trial of a result.
_ResultKey = tuple[int, str, int]
# The stored digest of a question, and the trial.
_QuestionKey = tuple[bytes, int]


class ImportedRun(Struct, frozen=True, kw_only=True):
    """What was imported of a run.

    Attributes:
        run: the run as stored.
        is_new: whether it was not stored before.
        results: the number of results in the file.
        added: how many of these are new, or newer than the stored ones.
        missing: how many results of the finished run are missing; it then counts as interrupted.
        given: its id in the file, if another run has that id here; else empty.
    """

    run: RunRecord
    is_new: bool
    results: int
    added: int
    missing: int = 0
    given: str = ""


def check_records(records: Iterable[Record], name: str, store: Store) -> None:
    """Check all records before anything is imported: every result must have its evaluation.

    The history may have the evaluations already. A finished run gets nothing new, and a new one has no
    name of a baseline. `name` is the file in messages.

    Raises:
        UnreadableInput: something is missing, or cannot be read, or would change a finished run.
        InvalidSettings: the name of a new run is that of a baseline.
    """
    current: _KnownRun | None = None
    for record in records:
        if isinstance(record, RunRecord):
            if current is None or current.id != record.id:
                current = _known_run(store, record)
            current = current._replace(has_all=saved_cases_of(record) == "all")
        elif current is not None:
            problem = _problem_in(record, current)
            if problem:
                raise UnreadableInput(name, problem)


class _KnownRun(NamedTuple):
    """The numbers of the evaluations that a run in a file has so far, and the results if it is finished."""

    id: str
    evaluations: set[int]
    results: dict[_ResultKey, float] | None
    has_all: bool = True


def _known_run(store: Store, run: RunRecord) -> _KnownRun:
    existing = _existing_run(store, run)
    if existing is None:
        require_no_baseline(run.name, store.baselines())
        return _KnownRun(run.id, set(), None)
    evaluations = {one.number for one in store.evaluations(existing.id)}
    is_finished = existing.status == "finished"
    return _KnownRun(
        run.id, evaluations, _stored_keys(store, existing.id)[1] if is_finished else None
    )


_FINISHED = (
    "run {run} is finished in this history, and the file has other results of it. To look at them, import the"
    " file into another history: callscore import FILE --store other.db"
)


def _problem_in(record: Record, run: _KnownRun) -> str:
    """Why a record of a run cannot be imported; empty if it can."""
    known = run.evaluations
    if run.results is not None and _is_new(record, known, run.results):
        return _FINISHED.format(run=run.id)
    if isinstance(record, EvaluationRecord):
        if record.summary.get(COUNTS_KEY) is not None and run.has_all:
            return f"evaluation {record.number} has {COUNTS_KEY}, but its run has every case."
        known.add(record.number)
    elif isinstance(record, ResultRecord) and record.evaluation not in known:
        problem = f"the case {record.case} belongs to evaluation {record.evaluation}"
        return f"{problem}, which is not defined before it."
    return ""


def _is_new(record: Record, evaluations: set[int], results: dict[_ResultKey, float]) -> bool:
    """Whether a run with these evaluations and results has no such record, or an older one."""
    if isinstance(record, ResultRecord):
        return results.get(_key_of(record), -1.0) < record.finished_at
    return isinstance(record, EvaluationRecord) and record.number not in evaluations


def _key_of(record: ResultRecord) -> _ResultKey:
    return record.evaluation, record.case, record.trial


@with_retries
def _existing_run(store: Store, run: RunRecord) -> RunRecord | None:
    """The same run if it is stored already: same id, same start time.

    A run that was imported under another id is found by its original id.
    """
    with store.reading() as connection:
        every = run_records(run_queries.all_runs(connection).rows)
    found = [each for each in reversed(every) if each.started_at == run.started_at]
    same = [each for each in found if each.id == run.id]
    renamed = [each for each in found if each.arguments.get(_ORIGINAL_ID) == run.id]
    return next(iter([*same, *renamed]), None)


def import_records(store: Store, records: Iterable[Record]) -> list[ImportedRun]:
    """Import runs into a history.

    A new run has the status `running` until it is complete. In an existing run missing results are
    added, and older ones are replaced, unless it is finished: then nothing is changed. Each run comes
    before its evaluations, answers and results.

    Raises:
        InvalidSettings: another process keeps a run locked.
        UnusableStore: the history cannot be written.
    """
    imported: list[ImportedRun] = []
    current: _RunImport | None = None
    try:
        for record in records:
            if not isinstance(record, RunRecord):
                if current is not None:
                    current.add(record)
            elif current is not None and current.is_same_run(record):
                current.update_run(record)
            else:
                imported += [] if current is None else [current.finish()]
                current = _RunImport(store, record)
        imported += [] if current is None else [current.finish()]
    finally:
        if current is not None:
            current.release()
    return imported


class _RunImport:
    """One run that is being imported."""

    def __init__(self, store: Store, run: RunRecord) -> None:
        self._store = store
        self._imported = run
        self._queued: list[AnswerRecord | ResultRecord] = []
        self._results = self._added = 0
        self._is_open = False
        self._summaries: dict[int, dict[str, Any]] = {}
        self._result_times: dict[_ResultKey, float] = {}
        self._answered: set[_QuestionKey] = set()
        self._evaluations: dict[int, EvaluationRecord] = {}
        # Secrets may be unknown where the file was written; markers of another history become ours.
        self._hide = RecordHider(is_live=False).record
        # By the id in the file, so that other imports of it wait; and by the id that it gets.
        self._locks = [_acquire_lock(store, run.id)]
        try:
            self._existing = _existing_run(store, run)
            self._run = self._begin_run() if self._existing is None else self._existing
            self._is_finished = self._run.status == "finished"
            if self._run.id != run.id:
                self._locks.append(_acquire_lock(store, self._run.id))
            if self._existing is not None:
                self._answered, self._result_times = _stored_keys(store, self._run.id)
                evaluations = store.evaluations(self._run.id)
                self._evaluations = {each.number: each for each in evaluations}
        except BaseException:
            self.release()
            raise

    def _begin_run(self) -> RunRecord:
        """Insert the run with the status `running`; under a new id if this one is used."""
        given = self._imported
        arguments = {key: value for key, value in given.arguments.items() if key != _ORIGINAL_ID}
        fresh = replace(given, status="running", finished_at=None, totals={}, arguments=arguments)
        begun = self._store.begin(fresh)
        if begun.id == given.id:
            return begun
        return self._store.begin(replace(begun, arguments={**arguments, _ORIGINAL_ID: given.id}))

    def is_same_run(self, run: RunRecord) -> bool:
        return (run.id, run.started_at) == (self._imported.id, self._imported.started_at)

    def update_run(self, run: RunRecord) -> None:
        """Replace the record of the run by a later one, after its end."""
        self._imported = run

    def add(self, record: EvaluationRecord | ResultRecord | AnswerRecord) -> None:
        if self._is_finished:
            self._results += isinstance(record, ResultRecord)
            return
        record = self._hide(replace(record, run=self._run.id))
        if isinstance(record, EvaluationRecord):
            self._add_evaluation(sanitize_evaluation(record))
            return
        if isinstance(record, AnswerRecord):
            question = (pack_digest(record.question), record.trial)
            if question in self._answered:
                return
            self._answered.add(question)
        else:
            self._results += 1
            key = _key_of(record)
            if self._result_times.get(key, -1.0) >= record.finished_at:
                return
            self._result_times[key] = record.finished_at
            self._added += 1
        self._queued.append(record)
        if len(self._queued) >= _RECORDS_PER_TRANSACTION:
            self._flush()

    def _add_evaluation(self, record: EvaluationRecord) -> None:
        """Save a new evaluation; its summary is saved at the end, if the run is complete."""
        if record.summary:
            self._summaries[record.number] = record.summary
        if record.number not in self._evaluations:
            self._evaluations[record.number] = replace(record, summary={})
            self._reopen()
            self._store.add_evaluation(self._evaluations[record.number])

    def _reopen(self) -> None:
        """Mark an existing run as running before it is changed: one that ended is not to be changed.

        If this process is killed, the same import completes it.
        """
        if self._existing is not None and not self._is_open:
            self._store.begin(replace(self._existing, status="running"))
            self._is_open = True

    def _flush(self) -> None:
        if self._queued:
            self._reopen()
            self._store.save_results(self._queued)
            self._queued = []

    def finish(self) -> ImportedRun:
        """Write the queued records, and how the run ended."""
        self._flush()
        missing = self._missing_results()
        for number, summary in () if missing else self._summaries.items():
            known = self._evaluations[number]
            if not known.summary:
                self._reopen()
                self._store.add_evaluation(replace(known, summary=summary))
        ended = self._finished_run(is_whole=not missing)
        if ended != self._run or self._existing is None or self._is_open:
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
        """How many results of the finished run are not stored here."""
        if self._imported.status != "finished" or self._is_finished:
            return 0
        return max(0, number_of_results(self._imported.totals) - len(self._result_times))

    def _finished_run(self, *, is_whole: bool) -> RunRecord:
        imported, existing = self._imported, self._existing
        if existing and (self._is_finished or imported.status != "finished"):
            return existing
        # It may still be running where it comes from, but not here.
        is_ended = imported.status == "finished" and is_whole
        return replace(
            self._run,
            status="finished" if is_ended else "interrupted",
            finished_at=imported.finished_at,
            totals=imported.totals if is_whole else {},  # they include the missing results
        )

    def release(self) -> None:
        for lock in self._locks:
            lock.release()


def _acquire_lock(store: Store, run: str) -> RunLock | ServerLock:
    """The lock of a run; waits for another import of the same run to finish."""
    lock = store.lock(run)
    deadline = monotonic() + _LOCK_TIMEOUT
    while not lock.take():
        if monotonic() > deadline:
            raise InvalidSettings(
                f"the run {run} is in use by another process. Try again when that process has finished"
            )
        sleep(_LOCK_PAUSE)
    return lock


@with_retries
def _stored_keys(store: Store, run: str) -> tuple[set[_QuestionKey], dict[_ResultKey, float]]:
    """The questions of a run that have an answer, and when each of its results was written."""
    with store.reading() as connection:
        saved = run_queries.saved_run(connection, run)
        columns = ("evaluation", "case_id", "trial", "finished_at")
        rows = queries.result_rows(connection, saved, *columns)
        times = {(evaluation, case, trial): at for evaluation, case, trial, at in rows}
        return queries.answered_questions(connection, saved), times


def sanitize_evaluation(record: EvaluationRecord) -> EvaluationRecord:
    """A foreign evaluation without file paths outside the project and without a judge server.

    Files are read from the location of an evaluation, and a judge is sent a key: an imported run must
    not choose either.
    """
    settings: dict[str, Any] = dict(record.settings)
    judge = settings.get("judge")
    if isinstance(judge, dict):
        model = judge.get("model")
        settings["judge"] = {"model": model, "base_url": None, "key_variable": _KEY_VARIABLE}
    elif judge is not None:
        settings["judge"] = None
    file, separator, name = record.place.partition(_SEPARATOR)
    posix, windows = PurePosixPath(file), PureWindowsPath(file)
    is_outside = posix.is_absolute() or bool(windows.anchor) or ".." in windows.parts
    place = f"{separator}{name}" if is_outside else record.place
    return replace(record, settings=settings, place=place)


def export_lines(store: Store, run: RunRecord) -> Iterator[tuple[bytes, int]]:
    """The lines of a run, each with its number of results: 1 or 0.

    An unfinished run includes its answers, so that it can be resumed elsewhere.
    """
    evaluations = store.evaluations(run.id)
    hide = RecordHider(is_live=False).record
    yield encode_line(run, has_end=True), 0
    for record in evaluations:
        yield encode_line(hide(record)), 0
    if run.status != "finished":
        for answer in run_answers(store, run.id):
            yield encode_line(hide(answer)), 0
    count = 0
    for result in store.results(run.id):
        yield encode_line(hide(result)), 1
        count += 1
    yield end_line(evaluations=len(evaluations), results=count), 0


def run_answers(store: Store, run: str) -> Iterator[AnswerRecord]:
    """The answers of a run in order, read page by page."""
    after = -1
    while True:
        page, after = _answers_page(store, run, after)
        yield from page
        if len(page) < _ANSWERS_PER_PAGE:
            return


@with_retries
def _answers_page(store: Store, run: str, after: int) -> tuple[list[AnswerRecord], int]:
    with store.reading() as connection:
        found = queries.answers_of_run(connection, run, after=after, limit=_ANSWERS_PER_PAGE)
        return [record for _, record in found], found[-1][0] if found else after
