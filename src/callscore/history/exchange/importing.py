"""Takes runs from elsewhere into a history: what is there already is filled up, and nothing doubled."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import select

from callscore.errors import InvalidSettings, UnreadableInput
from callscore.history.records import AnswerRecord, EvaluationRecord, ResultRecord, RunRecord
from callscore.history.rows import run_record
from callscore.history.tables import results, runs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callscore.history.exchange.lines import Record
    from callscore.history.store import Store

__all__ = ["Imported", "harmless", "import_records", "require_whole"]

_AT_ONCE = 500
_SEPARATOR = "::"
_KEY_VARIABLE = "OPENAI_API_KEY"

# The evaluation, the case and the trial of a result.
_Key = tuple[int, str, int]


class Imported(Struct, frozen=True, kw_only=True):
    """What became of a run that was imported.

    Attributes:
        run: the run as it is kept.
        is_new: whether it was not there before.
        results: how many results the file has.
        added: how many of these were not there before, or older.
    """

    run: RunRecord
    is_new: bool
    results: int
    added: int


def require_whole(records: Iterable[Record], name: str, store: Store) -> None:
    """Look through all records before anything is imported: every result has its evaluation.

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
                known = _evaluations_there(store, record)
            is_same = record.id
        elif isinstance(record, EvaluationRecord):
            known.add(record.number)
        elif isinstance(record, ResultRecord) and record.evaluation not in known:
            problem = f"the case {record.case} belongs to evaluation {record.evaluation}"
            raise UnreadableInput(name, f"{problem}, of which nothing is said before it.")


def _evaluations_there(store: Store, run: RunRecord) -> set[int]:
    there = _run_there(store, run)
    return set() if there is None else {each.number for each in store.evaluations(there.id)}


def _run_there(store: Store, run: RunRecord) -> RunRecord | None:
    """The same run, where it is there already: of the same id, begun at the same time."""
    query = select(runs).where(runs.c.id == run.id, runs.c.started_at == run.started_at)
    with store.reading() as connection:
        row = connection.execute(query).first()
        return None if row is None else run_record(row)


def import_records(store: Store, records: Iterable[Record]) -> list[Imported]:
    """Take runs into a history.

    Until all of a new run is there, it counts as one that is running. Of a run that is there already,
    what is missing is added, and what is older is replaced.

    Args:
        store: the history.
        records: the records of the runs, each run before what belongs to it.

    Raises:
        InvalidSettings: a run is under way.
        UnusableStore: the history cannot be written.
    """
    imported: list[Imported] = []
    taking: _Taking | None = None
    try:
        for record in records:
            if not isinstance(record, RunRecord):
                if taking is not None:
                    taking.take(record)
            elif taking is not None and taking.is_of(record):
                taking.go_on(record)
            else:
                imported += [] if taking is None else [taking.finish()]
                taking = _Taking(store, record)
        imported += [] if taking is None else [taking.finish()]
    finally:
        if taking is not None:
            taking.release()
    return imported


class _Taking:
    """One run that is being imported."""

    def __init__(self, store: Store, run: RunRecord) -> None:
        self._store = store
        self._given = run
        self._lock = store.lock(run.id)
        if not self._lock.take():
            raise InvalidSettings(f"the run {run.id} is still under way: another process is at it")
        try:
            self._there = _run_there(store, run)
            self._known: dict[_Key, float] = {}
            self._evaluations: dict[int, EvaluationRecord] = {}
            if self._there is None:
                self._run = store.begin(replace(run, status="running", finished_at=None))
            else:
                self._run = self._there
                self._known = _results_there(store, run.id)
                self._evaluations = {each.number: each for each in store.evaluations(run.id)}
        except BaseException:
            self._lock.release()
            raise
        self._waiting: list[AnswerRecord | ResultRecord] = []
        self._results = self._added = 0

    def is_of(self, run: RunRecord) -> bool:
        """Whether this is the same run once more."""
        return (run.id, run.started_at) == (self._given.id, self._given.started_at)

    def go_on(self, run: RunRecord) -> None:
        """Take what is said of the run later: how it ended, say."""
        self._given = run

    def take(self, record: EvaluationRecord | ResultRecord | AnswerRecord) -> None:
        """Keep a part of the run."""
        record = replace(record, run=self._run.id)
        if isinstance(record, EvaluationRecord):
            self._take_evaluation(harmless(record))
        elif isinstance(record, AnswerRecord):
            if self._store.answer_in(record.run, record.question, record.trial) is None:
                self._keep(record)
        else:
            self._take_result(record)

    def _take_evaluation(self, record: EvaluationRecord) -> None:
        there = self._evaluations.get(record.number)
        if there is not None:
            if there.summary or not record.summary:
                return
            record = replace(there, summary=record.summary)
        self._store.add_evaluation(record)
        self._evaluations[record.number] = record

    def _take_result(self, record: ResultRecord) -> None:
        self._results += 1
        key = (record.evaluation, record.case, record.trial)
        if self._known.get(key, -1.0) < record.finished_at:
            self._known[key] = record.finished_at
            self._added += 1
            self._keep(record)

    def _keep(self, record: AnswerRecord | ResultRecord) -> None:
        self._waiting.append(record)
        if len(self._waiting) >= _AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._store.keep(self._waiting)
            self._waiting = []

    def finish(self) -> Imported:
        """Keep what is left, and how the run ended."""
        self._flush()
        ended = self._ended()
        if ended != self._run or self._there is None:
            self._store.begin(ended)
        self.release()
        return Imported(
            run=ended, is_new=self._there is None, results=self._results, added=self._added
        )

    def _ended(self) -> RunRecord:
        given, there = self._given, self._there
        if there is not None and (there.status == "finished" or given.status != "finished"):
            return there
        # Where it ran, it may run still; here nobody is at it.
        status = "interrupted" if given.status == "running" else given.status
        if there is None:
            return replace(given, id=self._run.id, status=status)
        return replace(there, status=status, finished_at=given.finished_at, totals=given.totals)

    def release(self) -> None:
        """Let others at the run."""
        self._lock.release()


def _results_there(store: Store, run: str) -> dict[_Key, float]:
    """When each result that is there was written."""
    columns = (results.c.evaluation, results.c.case_id, results.c.trial, results.c.finished_at)
    query = select(*columns).join(runs, results.c.run == runs.c.number).where(runs.c.id == run)
    with store.reading() as connection:
        return {(row[0], row[1], row[2]): row[3] for row in connection.execute(query)}


def harmless(record: EvaluationRecord) -> EvaluationRecord:
    """An evaluation of somebody else, without what could do harm here.

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
    return replace(record, settings=settings, place=_within(record.place))


def _within(place: str) -> str:
    """A place within the project; of any other the name alone."""
    file, separator, name = place.partition(_SEPARATOR)
    posix, windows = PurePosixPath(file), PureWindowsPath(file)
    is_outside = posix.is_absolute() or bool(windows.anchor) or ".." in windows.parts
    return f"{separator}{name}" if is_outside else place
