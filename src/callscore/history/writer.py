"""Writes a run to the history in a background thread; failures go to a fallback file."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic, time
from typing import TYPE_CHECKING, Any, Self, Union

from msgspec.structs import replace

from callscore.core.phrases import Language, Phrase, say
from callscore.errors import CallscoreError, UnusableStore
from callscore.history.hidden_records import RecordHider
from callscore.history.locks import RunLock
from callscore.history.opening import default_path, make_store_folder, store_file_path
from callscore.history.postgres import store_arguments

if TYPE_CHECKING:
    from callscore.history.exchange.json_lines import Record
    from callscore.history.records import (
        AnswerRecord,
        EvaluationRecord,
        ResultRecord,
        RunRecord,
        RunStatus,
    )
    from callscore.history.store import Store

# --- the fallback file, which `callscore import` reads later ----------------------------------

# Warning before a run whose history cannot be used.
USING_FALLBACK = Phrase(
    "the history cannot be used; results are saved to a file beside it: {problem}",
    "история недоступна, результаты сохраняются в файл рядом с ней: {problem}",
)
_SAVED = Phrase(
    "Results that are not in the history are saved in {files}. Import them later: {command}",
    "Результаты, которых нет в истории, сохранены в {files}. Добавить их позже: {command}",
)
_UNSAVED = "unsaved-{name}.jsonl"
_MAX_NAME = 100
_MAX_FILES = 20  # of a run in one folder
_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
_APPEND_FLAGS = os.O_WRONLY | getattr(os, "O_CLOEXEC", 0)


# The id of a run, how it ended, its totals, and the summaries of its evaluations.
FinishArguments = tuple[str, "RunStatus", "Mapping[str, Any]", "Mapping[int, Mapping[str, Any]]"]


class FallbackStore:
    """Writes records to a file when the history cannot, or in place of a history.

    The file is created with the first record: beside the history, else in the working directory,
    else in the folder for temporary files. If one is full or read-only, the next one is used.

    Attributes:
        place: the name in messages.
        path: None, as for every history that is not an SQLite file.
        command_options: the arguments with which a command finds the history, see `store_arguments`.
        files: the files that were written.
    """

    def __init__(self, history: Path | None = None, command_options: str = "") -> None:
        self.command_options = command_options
        self.place = "unsaved results"
        self.path: Path | None = None
        self.files: list[Path] = []
        self._run: RunRecord | None = None
        self._evaluations: dict[int, EvaluationRecord] = {}
        self._folders = _folders(history)
        self._file: Path | None = None

    def lock(self, run: str) -> RunLock:
        """A lock that is always free: no other process can access the run."""
        return RunLock(None, run)

    def begin(self, run: RunRecord) -> RunRecord:
        """Remember the run, for the first lines of the file."""
        self._run = run
        return run

    def evaluations(self, run: str) -> list[EvaluationRecord]:
        """The evaluations of the run so far."""
        return [each for each in self._evaluations.values() if each.run == run]

    def add_evaluation(self, record: EvaluationRecord) -> None:
        """Remember an evaluation of the run."""
        self._evaluations[record.number] = record

    def save_results(self, records: Iterable[AnswerRecord | ResultRecord]) -> None:
        """Write answers and results to the file.

        Raises:
            UnusableStore: no file can be written anywhere.
        """
        self._write(_encoded(records))

    def finish(
        self,
        run: str,
        status: RunStatus,
        totals: Mapping[str, Any],
        summaries: Mapping[int, Mapping[str, Any]],
    ) -> None:
        """Write how the run ended; the arguments are those of `Store.finish`.

        Raises:
            UnusableStore: no file can be written anywhere.
        """
        if self._run is None or self._run.id != run:
            return
        self._run = replace(self._run, status=status, finished_at=time(), totals=dict(totals))
        for number, summary in summaries.items():
            if number in self._evaluations:
                known = self._evaluations[number]
                self._evaluations[number] = replace(known, summary=dict(summary))
        others = [file for file in self.files if file != self._file]
        # A new file begins with these lines anyway.
        self._write([] if self._file is None else self._header_lines())
        for file in others:  # any of them may be imported last
            with suppress(OSError):
                _append(file, b"".join(self._header_lines()), _APPEND_FLAGS)

    def finish_both(
        self, store: Store | FallbackStore, ended: FinishArguments, *, is_whole: bool = True
    ) -> str:
        """Store how the run ended in the history, and in the file if there is one.

        If the history (which may be this object) lacks results, the run is stored as interrupted,
        without totals; the file has them for a later import. `is_whole` means that all results were
        saved somewhere.

        Returns why the history did not save it, and where it is instead; empty if it did.
        """
        had_files = bool(self.files)
        has_all = store is self or (is_whole and not had_files)
        problem = ""
        try:
            if has_all:
                store.finish(*ended)
            else:
                store.finish(ended[0], "interrupted", {}, {})
        except CallscoreError as error:
            problem = str(error)
        if store is not self and (problem or had_files):
            with suppress(UnusableStore):
                self.finish(*ended)
        return f"{problem} {self.location_text()}" if problem and not had_files else problem

    def location_text(self, lang: Language = "en") -> str:
        """Which files were written, and how to import them; empty if there are none."""
        if not self.files:
            return ""
        names = []
        for path in self.files:
            name = str(path)
            with suppress(OSError, ValueError):
                name = str(path.relative_to(Path.cwd()))
            names.append(name)
        command = shlex.join(["callscore", "import", *names]) + self.command_options
        return say(_SAVED, lang, files=", ".join(names), command=command)

    def _header_lines(self) -> list[bytes]:
        """The lines of the run and its evaluations."""
        run: list[Record] = [] if self._run is None else [self._run]
        return _encoded([*run, *self._evaluations.values()])

    def _write(self, lines: list[bytes]) -> None:
        """Append the lines to the file; if that fails, start a new file elsewhere."""
        if self._file is not None:
            with suppress(OSError):
                _append(self._file, b"".join(lines), _APPEND_FLAGS)
                return
        content = b"".join([*self._header_lines(), *lines])
        for path in self._new_paths():
            with suppress(OSError, UnusableStore):
                make_store_folder(path)
                _append(path, content, _CREATE_FLAGS)
                self._file = path
                self.files.append(path)
                return
        self._file = None
        raise UnusableStore(self.place, "no file can be written. Free some space on the disk.")

    def _new_paths(self) -> Iterator[Path]:
        name = "run" if self._run is None else self._run.id[:_MAX_NAME].replace("/", "-")
        for folder in self._folders:
            for ending in ("", *[f"-{number}" for number in range(2, _MAX_FILES)]):
                yield folder / _UNSAVED.format(name=f"{name}{ending}")


def _encoded(records: Iterable[Record]) -> list[bytes]:
    # Imported late because it is rarely needed.
    from callscore.history.exchange.json_lines import encode_line

    return [encode_line(record) for record in records]


def fallback_store_for(place: Path | str | None) -> FallbackStore:
    """The fallback for a history (`--store`) that cannot be opened."""
    return FallbackStore(_file_of(place), store_arguments(place))


def _file_of(place: Path | str | None) -> Path | None:
    with suppress(UnusableStore):  # an address that cannot be read
        return store_file_path(place)
    return None


def unsaved_file_after(run: str, history: Path | str | None) -> tuple[str, Path] | None:
    """The newest run that is only in a file beside a history, if it began after `run`; and the file.

    The folder for temporary files is left out: the files of other projects are there, too.
    """
    found: list[tuple[str, Path]] = []
    for folder in _folders_beside(_file_of(history)):
        for path in folder.glob(_UNSAVED.format(name="*")):
            # A file whose history was opened has the id of its run; ids are ordered by time.
            name = "-".join(path.stem.split("-")[1:4])
            if name[:1].isdigit() and name > run:
                found.append((name, path))
    return max(found, default=None)


def _folders(history: Path | None) -> list[Path]:
    import tempfile  # imports random numbers and compression

    found = _folders_beside(history)
    with suppress(OSError):
        found.append(Path(tempfile.gettempdir()))
    return found


def _folders_beside(history: Path | None) -> list[Path]:
    with suppress(OSError):  # the working directory is gone
        beside = default_path() if history is None else history.absolute()
        return [beside.parent, Path.cwd()]
    return []


def _append(path: Path, content: bytes, how: int) -> None:
    """Append all of the content to the file, or nothing."""
    file = os.open(path, how, 0o600)
    try:
        before = os.lseek(file, 0, os.SEEK_END)
        try:
            remaining = memoryview(content)
            while remaining:
                remaining = remaining[os.write(file, remaining) :]
        except OSError:
            os.ftruncate(file, before)
            if how == _CREATE_FLAGS:
                path.unlink()
            raise
    finally:
        os.close(file)


# --- the background thread --------------------------------------------------------------------

# A transaction costs as much as ten records: records that arrive within this time share one,
# unless `flush_soon` is called.
_BATCH_SECONDS = 0.05
# So many records are written at once, without waiting for others: some 40 milliseconds, for which other
# writers of the same database have to wait.
_MAX_BATCH = 1_000
# Seconds between two writes without a thread, if records come slowly.
_DIRECT_SECONDS = 1.0
# Records kept in memory while the database cannot be written.
_MAX_PENDING = 10_000
# Seconds between two attempts to write to such a database.
_RETRY_SECONDS = 1.0

# A record and its callback. Without a record only the callback is called; without both the
# thread ends.
_Record = Union["AnswerRecord", "ResultRecord"]
_Item = tuple[_Record | None, "Callable[[], None] | None"]
_END: _Item = (None, None)


class BackgroundWriter:
    """A thread that writes records in batches, one transaction for each batch.

    A record that is reported as kept survives a kill of the process. If the database cannot be
    written, records are reported anyway, so that the run continues; they stay in memory, and are
    retried with the next batch and at the end. What still fails then goes to the fallback.

    The thread starts with the first record. `fallback` receives the records that the history does
    not accept; without it they are dropped. With `is_direct` there is no thread: `put` writes a batch
    when it is full, or when the last one was written some time ago.
    """

    def __init__(
        self,
        store: Store | FallbackStore,
        fallback: FallbackStore | None = None,
        *,
        is_direct: bool = False,
    ) -> None:
        self._store = store
        self._fallback = fallback
        self._is_direct = is_direct
        # A queue without a lock: `put` never waits for the thread.
        self._queue: SimpleQueue[_Item] = SimpleQueue()
        self._unsaved: list[_Record] = []  # taken from the queue, to be written or retried
        self._problem: str | None = None
        self._last_error = ""
        self._last_write = -_DIRECT_SECONDS
        self._retry_after = 0.0
        self._flush_now = Event()
        self._is_closed = False
        self._thread: Thread | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def problem(self) -> str | None:
        """Why records are not in the history, and where they are instead; None if all are."""
        if self._problem is None or self._fallback is None or not self._fallback.location_text():
            return self._problem
        return f"{self._problem} {self._fallback.location_text()}"

    def put(
        self, record: AnswerRecord | ResultRecord, on_saved: Callable[[], None] | None = None
    ) -> None:
        """Queue a record to be written soon; from any thread, without waiting.

        `on_saved` is called in the writing thread when it is stored.

        Raises:
            RuntimeError: the writer is closed.
        """
        if self._is_closed:
            raise RuntimeError("the writer is closed: nothing more can be saved")
        self._queue.put((record, on_saved))
        is_full = self._queue.qsize() >= _MAX_BATCH
        if self._is_direct:
            if is_full or monotonic() - self._last_write >= _DIRECT_SECONDS:
                self._write_batch([])
            return
        if is_full and not self._flush_now.is_set():
            self._flush_now.set()
        if self._thread is None:
            self._thread = Thread(target=self._write_batches, name="callscore-history", daemon=True)
            self._thread.start()

    def flush_soon(self) -> None:
        """Write the queued records at once, without waiting for others to share the transaction."""
        self._flush_now.set()

    def flush(self) -> None:
        """Wait until all queued records are written and reported."""
        if self._is_direct:
            self._write_batch([])
        elif self._thread is not None and not self._is_closed:
            is_done = Event()
            self._queue.put((None, is_done.set))
            self._flush_now.set()
            is_done.wait()

    def close(self) -> None:
        """Write the queued records, and end the thread."""
        if not self._is_closed:
            self._is_closed = True
            self._queue.put(_END)
            self._flush_now.set()
            if self._thread is None:
                self._write_batches()
        if self._thread is not None:
            self._thread.join()

    def _write_batches(self) -> None:
        is_last = False
        while not is_last:
            first = self._queue.get()
            if self._queue.qsize() < _MAX_BATCH - 1:
                self._flush_now.wait(self._last_write + _BATCH_SECONDS - monotonic())
            self._flush_now.clear()
            is_last = self._write_batch([first])

    def _write_batch(self, batch: list[_Item]) -> bool:
        """Write these records and those that are queued now; returns whether they were the last."""
        with suppress(Empty):
            while len(batch) < _MAX_BATCH:
                batch.append(self._queue.get_nowait())
        is_last = _END in batch
        self._unsaved += [record for record, _ in batch if record is not None]
        if self._unsaved and (is_last or monotonic() >= self._retry_after):
            self._write()
        if self._unsaved and (is_last or len(self._unsaved) > _MAX_PENDING):
            self._problem = self._problem or self._last_error
            if self._write_to_fallback(self._unsaved):
                self._unsaved = []
            del self._unsaved[_MAX_PENDING:]
        self._last_write = monotonic()
        for _, on_saved in batch:
            if on_saved is not None:
                # A failing callback must not keep the others from being called.
                with suppress(Exception):
                    on_saved()
        return is_last

    def _write(self) -> None:
        """Write the unsaved records to the history; if it cannot be written now, they stay unsaved."""
        from callscore.history.database import is_record_error

        started = monotonic()
        try:
            self._store.save_results(self._unsaved)
        except Exception as error:  # noqa: BLE001  (a thread that ends would leave the run waiting)
            if isinstance(error, UnusableStore) and not is_record_error(error.__cause__):
                self._last_error = str(error)  # it may pass
                ended = monotonic()
                self._retry_after = ended + max(_RETRY_SECONDS, ended - started)
                return
            self._write_one_by_one()
        self._unsaved = []

    def _write_one_by_one(self) -> None:
        """Write each record on its own; those that are refused go to the fallback."""
        refused: list[_Record] = []
        for record in self._unsaved:
            try:
                self._store.save_results([record])
            except Exception as error:  # noqa: BLE001  (as above)
                text = str(error)
                if not isinstance(error, CallscoreError):
                    text = f"{self._store.place}: {type(error).__name__}: {error}"
                self._problem = self._problem or text
                refused.append(record)
        if refused:
            with suppress(Exception):  # as above; records that cannot be encoded are lost
                self._write_to_fallback(refused)

    def _write_to_fallback(self, records: list[_Record]) -> bool:
        """Write records to the fallback file; returns whether that worked."""
        if self._fallback is None:
            return False
        try:
            self._fallback.save_results(records)
        except UnusableStore as error:
            self._problem = f"{self._problem or self._last_error} And {error.problem}"
            return False
        return True


class RunWriter(BackgroundWriter):
    """Writes one run without the secrets in it; errors of the history do not stop the run.

    `is_live` means that the results are new, and not computed from those of a history; for `is_direct`
    see `BackgroundWriter`.

    Attributes:
        run: the run, as it is stored.
        problems: problems with the history, in sentences.
        is_aside: whether everything goes to a fallback file, in place of the history.
    """

    def __init__(
        self,
        store: Store | FallbackStore,
        run: RunRecord,
        lock: RunLock | None = None,
        *,
        is_live: bool = True,
        is_direct: bool = False,
    ) -> None:
        self.run = run
        self.problems: list[str] = []
        self.is_aside = isinstance(store, FallbackStore)
        if isinstance(store, FallbackStore):
            self._file = store
            super().__init__(store, is_direct=is_direct)
        else:
            self._file = FallbackStore(store.path, store.command_options)
            super().__init__(store, self._file, is_direct=is_direct)
        self._hider = RecordHider(is_live=is_live)
        self._file.begin(run)
        self._lock = lock
        self._missing: list[EvaluationRecord] = []

    def add_evaluation(self, record: EvaluationRecord) -> None:
        """Save an evaluation of the run.

        Raises:
            UnusableStore: the history cannot save it now; `finish` tries once more.
        """
        record = self._hider.record(record)
        self._file.add_evaluation(record)
        try:
            self._store.add_evaluation(record)
        except UnusableStore:
            self._missing.append(record)
            raise

    def put(
        self, record: AnswerRecord | ResultRecord, on_saved: Callable[[], None] | None = None
    ) -> None:
        """Queue a record without the secrets in it."""
        super().put(self._hider.record(record), on_saved)

    def close(self) -> None:
        """Write the queued records, and note what could not be written."""
        super().close()
        if self.problem is not None:
            self.note(self.problem)

    def finish(
        self, status: RunStatus, totals: Mapping[str, Any], summaries: Mapping[int, Any]
    ) -> None:
        """Save how the run ended; if records are missing, that it was interrupted."""
        self.close()
        is_whole = self.problem is None
        try:
            while self._missing:
                self._store.add_evaluation(self._missing[-1])
                self._missing.pop()
        except UnusableStore:
            is_whole = False
        ended = (self.run.id, status, totals, summaries)
        problem = self._file.finish_both(self._store, ended, is_whole=is_whole)
        if problem:
            self.note(problem)

    def saved(self, lang: Language = "en") -> str:
        """Where the run is if it is not in the history; else empty."""
        return self._file.location_text(lang) if self.is_aside else ""

    def release(self) -> None:
        """Release the lock, so that other processes can resume the run."""
        if self._lock is not None:
            self._lock.release()

    def note(self, problem: str) -> None:
        """Add a problem once; of two that start alike keep the longer one."""
        if not any(known.startswith(problem) for known in self.problems):
            others = [known for known in self.problems if not problem.startswith(known)]
            self.problems[:] = [*others, problem]
