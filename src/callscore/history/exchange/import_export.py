"""Exports and imports runs: existing runs are completed, nothing is stored twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import groupby, islice
from pathlib import PurePosixPath, PureWindowsPath
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from callscore.errors import InvalidSettings, UnreadableInput
from callscore.history import queries, run_queries
from callscore.history.database import with_retries
from callscore.history.exchange.json_lines import Record, encode_line, end_line
from callscore.history.hidden_records import RecordHider
from callscore.history.records import (
    AnswerRecord,
    EvaluationRecord,
    ResultRecord,
    RunRecord,
)
from callscore.history.rows import run_records
from callscore.history.run_metadata import require_no_baseline
from callscore.history.saved_totals import COUNTS_KEY, number_of_results, saved_cases_of

if TYPE_CHECKING:
    from callscore.history.store import Store

_RECORDS_PER_TRANSACTION = 500
_ANSWERS_PER_PAGE = 200
_SEPARATOR = "::"
_KEY_VARIABLE = "OPENAI_API_KEY"

# Argument of a run with its id in the file, if another run had that id here.
_ORIGINAL_ID = "imported_as"
# Seconds to wait for another process that imports the same run.
_LOCK_TIMEOUT = 10.0
_LOCK_PAUSE = 0.1


class ImportedRun(Struct, frozen=True):
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
    for pairs in _by_run(records):
        run, _ = next(pairs)
        stored = _stored(store, run)
        hide = RecordHider(is_live=False).record  # as it is imported: an id may be another one then
        if stored.run is None:
            require_no_baseline(run.name, store.baselines())
        for run, record in pairs:
            if stored.is_finished and isinstance(record, ResultRecord):
                record = hide(record)  # noqa: PLW2901
            problem = _problem_in(record, run, stored)
            if problem:
                raise UnreadableInput(name, problem)
            if isinstance(record, EvaluationRecord):
                stored.evaluations[record.number] = record


# A record of a file, and its run as far as it was read; the run itself may be repeated when it has ended.
_Pair = tuple[RunRecord, "Record"]


def _by_run(records: Iterable[Record]) -> Iterator[Iterator[_Pair]]:
    """The records of each run, of which the first is the run."""
    for _, pairs in groupby(_with_runs(records), lambda pair: (pair[0].id, pair[0].started_at)):
        yield pairs


def _with_runs(records: Iterable[Record]) -> Iterator[_Pair]:
    run: RunRecord | None = None
    for record in records:
        run = record if isinstance(record, RunRecord) else run
        if run is not None:
            yield run, record


class _Stored(NamedTuple):
    """What the history has of a run in a file.

    Attributes:
        run: None if it has nothing of it.
        evaluations: by their numbers.
        answered: the questions with an answer: the digest, and the trial.
        times: when the result of an evaluation, a case and a trial was written.
    """

    run: RunRecord | None
    evaluations: dict[int, EvaluationRecord]
    answered: set[tuple[str, int]]
    times: dict[tuple[int, str, int], float]

    @property
    def is_finished(self) -> bool:
        """Whether nothing of it is changed any more."""
        return self.run is not None and self.run.status == "finished"

    def is_new(self, record: Record) -> bool:
        """Whether there is no such evaluation or result, or an older one."""
        if isinstance(record, ResultRecord):
            return self.times.get(_key_of(record), -1.0) < record.finished_at
        return isinstance(record, EvaluationRecord) and record.number not in self.evaluations

    def add(self, record: AnswerRecord | ResultRecord) -> bool:
        """Note that there is such a record now; returns whether it is new."""
        if isinstance(record, ResultRecord):
            is_new = self.is_new(record)
            if is_new:
                self.times[_key_of(record)] = record.finished_at
            return is_new
        question = (record.question, record.trial)
        is_new = question not in self.answered
        self.answered.add(question)
        return is_new


def _key_of(record: ResultRecord) -> tuple[int, str, int]:
    return record.evaluation, record.case, record.trial


@with_retries
def _stored(store: Store, run: RunRecord) -> _Stored:
    """What is stored of the run with this id and start time; it may have been imported under another id."""
    with store.reading() as connection:
        every = run_records(run_queries.all_runs(connection).rows)
        found = [each for each in reversed(every) if each.started_at == run.started_at]
        same = [each for each in found if each.id == run.id]
        renamed = [each for each in found if each.arguments.get(_ORIGINAL_ID) == run.id]
        existing = next(iter([*same, *renamed]), None)
        if existing is None:
            return _Stored(None, {}, set(), {})
        saved = run_queries.saved_run(connection, existing.id)
        columns = ("evaluation", "case_id", "trial", "finished_at")
        rows = queries.result_rows(connection, saved, *columns)
        return _Stored(
            existing,
            {each.number: each for each in run_queries.evaluations_of_run(connection, saved)},
            queries.answered_questions(connection, saved),
            {(evaluation, case, trial): at for evaluation, case, trial, at in rows},
        )


_FINISHED = (
    "run {run} is finished in this history, and the file has other results of it. To look at them, import the"
    " file into another history: callscore import FILE --store other.db"
)


def _problem_in(record: Record, run: RunRecord, stored: _Stored) -> str:
    """Why a record of a run cannot be imported; empty if it can."""
    if stored.is_finished and stored.is_new(record):
        return _FINISHED.format(run=run.id)
    if isinstance(record, EvaluationRecord):
        if record.summary.get(COUNTS_KEY) is not None and saved_cases_of(run) == "all":
            return f"evaluation {record.number} has {COUNTS_KEY}, but its run has every case."
    elif isinstance(record, ResultRecord) and record.evaluation not in stored.evaluations:
        problem = f"the case {record.case} belongs to evaluation {record.evaluation}"
        return f"{problem}, which is not defined before it."
    return ""


def import_records(store: Store, records: Iterable[Record]) -> list[ImportedRun]:
    """Import runs into a history.

    A run has the status `running` until its import is complete. In an existing run missing results are
    added, and older ones are replaced, unless it is finished: then nothing is changed. Each run comes
    before its evaluations, answers and results.

    Raises:
        InvalidSettings: another process keeps a run locked.
        UnusableStore: the history cannot be written.
    """
    return [_import_run(store, pairs) for pairs in _by_run(records)]


def _import_run(store: Store, pairs: Iterator[_Pair]) -> ImportedRun:
    given, _ = next(pairs)
    with ExitStack() as locks:
        # By the id in the file, so that other imports of it wait; and by the id that it gets.
        _lock(locks, store, given.id)
        stored = _stored(store, given)
        begun = _begin(store, given) if stored.run is None else stored.run
        if begun.id != given.id:
            _lock(locks, store, begun.id)
        if stored.is_finished:
            results = sum(isinstance(record, ResultRecord) for _, record in pairs)
            found = ImportedRun(begun, is_new=False, results=results, added=0)
        else:
            if stored.run is not None:  # if this process is killed, the same import completes it
                store.begin(replace(begun, status="running"))
            adding = _Adding(store, given, begun, stored)
            adding.add_all(pairs)
            found = adding.finish()
    return found if found.run.id == given.id else replace(found, given=given.id)


def _begin(store: Store, given: RunRecord) -> RunRecord:
    """Insert the run with the status `running`; under a new id if this one is used."""
    arguments = {key: value for key, value in given.arguments.items() if key != _ORIGINAL_ID}
    fresh = replace(given, status="running", finished_at=None, totals={}, arguments=arguments)
    begun = store.begin(fresh)
    if begun.id == given.id:
        return begun
    return store.begin(replace(begun, arguments={**arguments, _ORIGINAL_ID: given.id}))


class _Adding:
    """Adds to a run what is new of it in a file."""

    def __init__(self, store: Store, given: RunRecord, begun: RunRecord, stored: _Stored) -> None:
        self._store = store
        self._given = given
        self._begun = begun
        self._stored = stored
        self._results = self._added = 0
        self._summaries: dict[int, dict[str, Any]] = {}
        # Secrets may be unknown where the file was written; its markers stay as they are.
        self._hide = RecordHider(is_live=False).record

    def add_all(self, pairs: Iterator[_Pair]) -> None:
        """Add all records but the run itself."""
        new = self._new_records(pairs)
        while some := list(islice(new, _RECORDS_PER_TRANSACTION)):
            self._store.save_results(some)

    def _new_records(self, pairs: Iterator[_Pair]) -> Iterator[AnswerRecord | ResultRecord]:
        for self._given, record in pairs:
            if isinstance(record, EvaluationRecord):
                self._add_evaluation(self._hide(replace(record, run=self._begun.id)))
            elif not isinstance(record, RunRecord):
                # Hidden first: an id may be another one then.
                hidden = self._hide(replace(record, run=self._begun.id))
                is_new = self._stored.add(hidden)
                if isinstance(record, ResultRecord):
                    self._results += 1
                    self._added += is_new
                if is_new:
                    yield hidden

    def _add_evaluation(self, record: EvaluationRecord) -> None:
        """Save a new evaluation; its summary is saved at the end, if the run is complete."""
        if record.summary:
            self._summaries[record.number] = record.summary
        if self._stored.is_new(record):
            new = replace(sanitize_evaluation(record), summary={})
            self._stored.evaluations[record.number] = new
            self._store.add_evaluation(new)

    def finish(self) -> ImportedRun:
        """Write how the run ended."""
        given = self._given
        expected = number_of_results(given.totals) if given.status == "finished" else 0
        missing = max(0, expected - len(self._stored.times))
        for number, summary in () if missing else self._summaries.items():
            known = self._stored.evaluations[number]
            if not known.summary:
                self._store.add_evaluation(replace(known, summary=summary))
        ended = self._store.begin(self._ended(is_whole=not missing))
        is_new = self._stored.run is None
        return ImportedRun(ended, is_new, self._results, self._added, missing)

    def _ended(self, *, is_whole: bool) -> RunRecord:
        """The run after the import; it may still be running where it comes from, but not here."""
        given = self._given
        if self._stored.run is not None and given.status != "finished":
            return self._stored.run
        return replace(
            self._begun,
            status="finished" if given.status == "finished" and is_whole else "interrupted",
            finished_at=given.finished_at,
            totals=given.totals if is_whole else {},  # they include the missing results
        )


def _lock(locks: ExitStack, store: Store, run: str) -> None:
    """Lock a run; waits for another import of the same run to finish."""
    lock = store.lock(run)
    deadline = monotonic() + _LOCK_TIMEOUT
    while not lock.take():
        if monotonic() > deadline:
            raise InvalidSettings(
                f"the run {run} is in use by another process. Try again when that process has finished"
            )
        sleep(_LOCK_PAUSE)
    locks.callback(lock.release)


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
