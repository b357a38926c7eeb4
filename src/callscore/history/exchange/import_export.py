"""Exports and imports runs: existing runs are completed, nothing is stored twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import PurePosixPath, PureWindowsPath
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

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
        known = _known(store, run)
        if known.run is None:
            require_no_baseline(run.name, store.baselines())
        hide = RecordHider(is_live=False).record  # as it is imported: an id may be another one then
        for run, record in pairs:
            problem = "" if isinstance(record, RunRecord) else _problem_in(hide(record), run, known)
            if problem:
                raise UnreadableInput(name, problem)


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


class _Known(Struct):
    """What the history has of a run in a file.

    Attributes:
        run: None if it has nothing of it.
        evaluations: by their numbers.
        times: when each result was written, by evaluation, case and trial.
        answered: the questions with an answer: the digest, and the trial.
    """

    run: RunRecord | None
    evaluations: dict[int, EvaluationRecord] = {}
    times: dict[tuple[int, str, int], float] = {}
    answered: set[tuple[str, int]] = set()

    @property
    def is_finished(self) -> bool:
        """Whether nothing of it is changed any more."""
        return self.run is not None and self.run.status == "finished"

    def add(self, record: Record) -> bool:
        """Note that there is such a record now; returns whether there was none, or an older one."""
        if isinstance(record, EvaluationRecord):
            return self.evaluations.setdefault(record.number, record) is record
        if isinstance(record, AnswerRecord):
            before = len(self.answered)
            self.answered.add((record.question, record.trial))
            return len(self.answered) > before
        if isinstance(record, RunRecord):
            return False
        result = record.evaluation, record.case, record.trial
        is_new = self.times.get(result, -1.0) < record.finished_at
        if is_new:
            self.times[result] = record.finished_at
        return is_new


@with_retries
def _known(store: Store, run: RunRecord) -> _Known:
    """What is stored of the run with this id and start time; it may have been imported under another id."""
    with store.reading() as connection:
        every = reversed(run_records(run_queries.all_runs(connection).rows))
        same = [
            each
            for each in every
            if each.started_at == run.started_at
            and run.id in (each.id, each.arguments.get(_ORIGINAL_ID))
        ]
        if not same:
            return _Known(None)
        found = min(same, key=lambda each: each.id != run.id)
        saved = run_queries.saved_run(connection, found.id)
        evaluations = run_queries.evaluations_of_run(connection, saved)
        columns = ("evaluation", "case_id", "trial", "finished_at")
        return _Known(
            found,
            {record.number: record for record in evaluations},
            {
                (row[0], row[1], row[2]): row[3]
                for row in queries.result_rows(connection, saved, *columns)
            },
            queries.answered_questions(connection, saved),
        )


_FINISHED = (
    "run {run} is finished in this history, and the file has other results of it. To look at them, import the"
    " file into another history: callscore import FILE --store other.db"
)


def _problem_in(record: Record, run: RunRecord, known: _Known) -> str:
    """Why a record of a run cannot be imported; empty if it can."""
    if known.add(record) and known.is_finished and not isinstance(record, AnswerRecord):
        return _FINISHED.format(run=run.id)
    if isinstance(record, EvaluationRecord):
        if record.summary.get(COUNTS_KEY) is not None and saved_cases_of(run) == "all":
            return f"evaluation {record.number} has {COUNTS_KEY}, but its run has every case."
    elif isinstance(record, ResultRecord) and record.evaluation not in known.evaluations:
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
        known = _known(store, given)
        begun = _begin(store, given) if known.run is None else known.run
        if begun.id != given.id:
            _lock(locks, store, begun.id)
        if known.is_finished:
            results = sum(isinstance(record, ResultRecord) for _, record in pairs)
            found = ImportedRun(begun, is_new=False, results=results, added=0)
        else:
            if known.run is not None:  # if this process is killed, the same import completes it
                store.begin(replace(begun, status="running"))
            found = _add_records(store, begun, known, given, pairs)
    return found if found.run.id == given.id else replace(found, given=given.id)


def _begin(store: Store, given: RunRecord) -> RunRecord:
    """Insert the run with the status `running`; under a new id if this one is used."""
    arguments = {key: value for key, value in given.arguments.items() if key != _ORIGINAL_ID}
    fresh = replace(given, status="running", finished_at=None, totals={}, arguments=arguments)
    begun = store.begin(fresh)
    if begun.id == given.id:
        return begun
    return store.begin(replace(begun, arguments={**arguments, _ORIGINAL_ID: given.id}))


def _add_records(
    store: Store, begun: RunRecord, known: _Known, given: RunRecord, pairs: Iterator[_Pair]
) -> ImportedRun:
    """Add to a run what is new of it in a file, and how it ended."""
    # Secrets may be unknown where the file was written; its markers stay as they are.
    hide = RecordHider(is_live=False).record
    results = added = 0
    summaries: dict[int, dict[str, Any]] = {}
    new: list[AnswerRecord | ResultRecord] = []
    for given, found in pairs:  # noqa: B007, PLR1704  (the last one says how it ended)
        if isinstance(found, RunRecord):
            continue
        record = hide(replace(found, run=begun.id))  # first: an id may be another one then
        if isinstance(record, EvaluationRecord):
            # Saved at the end, if the run is complete. Of several files, only some may have it.
            summaries[record.number] = record.summary or summaries.get(record.number, {})
            record = replace(sanitize_evaluation(record), summary={})
            if known.add(record):
                store.add_evaluation(record)
            continue
        is_new = known.add(record)
        results += isinstance(record, ResultRecord)
        added += is_new and isinstance(record, ResultRecord)
        new += [record] if is_new else []
        if len(new) == _RECORDS_PER_TRANSACTION:
            store.save_results(new)
            new = []
    store.save_results(new)
    expected = number_of_results(given.totals) if given.status == "finished" else 0
    missing = max(0, expected - len(known.times))
    for number, summary in () if missing else summaries.items():
        if summary and not known.evaluations[number].summary:
            store.add_evaluation(replace(known.evaluations[number], summary=summary))
    ended = store.begin(_ended(begun, known, given, is_whole=not missing))
    return ImportedRun(ended, known.run is None, results, added, missing)


def _ended(begun: RunRecord, known: _Known, given: RunRecord, *, is_whole: bool) -> RunRecord:
    """The run after the import; it may still be running where it comes from, but not here."""
    if known.run is not None and given.status != "finished":
        return known.run
    return replace(
        begun,
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


@with_retries
def run_answers(store: Store, run: str) -> list[AnswerRecord]:
    """The answers of a run in order."""
    with store.reading() as connection:
        return queries.answers_of_run(connection, run_queries.saved_run(connection, run))
