"""Writes a run to the history in a background thread; what it does not take goes to a file beside it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic, time
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.core.phrases import Language, Phrase, say
from callscore.core.totals import summary_payload
from callscore.errors import CallscoreError, UnusableStore
from callscore.history.hidden_records import RecordHider
from callscore.history.opening import (
    default_path,
    display_path,
    make_store_folder,
    store_file_path,
)
from callscore.history.postgres import store_arguments

if TYPE_CHECKING:
    from callscore.core.results import EvaluationResults
    from callscore.history.locks import RunLock
    from callscore.history.records import (
        AnswerRecord,
        EvaluationRecord,
        ResultRecord,
        RunRecord,
        RunStatus,
    )
    from callscore.history.store import Store

    _Record = AnswerRecord | ResultRecord
    # A record and its callback. Without a record only the callback is called; without both the
    # thread ends.
    _Item = tuple[_Record | None, Callable[[], None] | None]

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
_ENDINGS = ("", *[f"-{number}" for number in range(2, 20)])  # of files of a run in one folder


class FallbackFile:
    """Writes records to a file when the history cannot, or in place of a history.

    The file is created with the first record: beside the history, else in the working directory,
    else in the folder for temporary files. If one is full or read-only, the next one is used.

    Attributes:
        command_options: the arguments with which a command finds the history, see `store_arguments`.
        files: the files that were written.
    """

    def __init__(self, history: Path | None = None, command_options: str = "") -> None:
        self.command_options = command_options
        self.files: list[Path] = []
        self._run: RunRecord | None = None
        self._evaluations: dict[int, EvaluationRecord] = {}
        self._folders = _folders_beside(history)

    def begin(self, run: RunRecord) -> None:
        """Remember the run, for the first lines of the file."""
        self._run = run

    def add_evaluation(self, record: EvaluationRecord) -> None:
        """Remember an evaluation of the run."""
        self._evaluations[record.number] = record

    def save_results(self, records: Iterable[_Record]) -> None:
        """Write answers and results to the file.

        Raises:
            UnusableStore: no file can be written anywhere.
        """
        self._write(_encoded(records))

    def finish(
        self,
        _: str,
        status: RunStatus,
        totals: Mapping[str, Any],
        summaries: Mapping[int, Mapping[str, Any]],
    ) -> None:
        """Write how the run ended; the arguments are those of `Store.finish`.

        Raises:
            UnusableStore: no file can be written anywhere.
        """
        if self._run is None:
            return
        self._run = replace(self._run, status=status, finished_at=time(), totals=dict(totals))
        for number, record in self._evaluations.items():
            summary = dict(summaries.get(number, record.summary))
            self._evaluations[number] = replace(record, summary=summary)
        end = self._header()
        for file in self.files[:-1]:  # any of them may be imported last
            with suppress(OSError):
                _append(file, end, "ab")
        self._write(end if self.files else b"")  # a new file begins with it

    def location_text(self, lang: Language = "en") -> str:
        """Which files were written, and how to import them; empty if there are none."""
        if not self.files:
            return ""
        names = [display_path(path) for path in self.files]
        command = shlex.join(["callscore", "import", *names]) + self.command_options
        return say(_SAVED, lang, files=", ".join(names), command=command)

    def _header(self) -> bytes:
        """The lines of the run and its evaluations."""
        return _encoded([*([] if self._run is None else [self._run]), *self._evaluations.values()])

    def _write(self, lines: bytes) -> None:
        """Append the lines to the file; if that fails, to a new file elsewhere."""
        if self.files:
            with suppress(OSError):
                _append(self.files[-1], lines, "ab")
                return
        name = "run" if self._run is None else self._run.id[:_MAX_NAME].replace("/", "-")
        content = self._header() + lines
        for folder in [*self._folders, *_temporary_folders()]:
            for ending in _ENDINGS:
                path = folder / _UNSAVED.format(name=f"{name}{ending}")
                with suppress(OSError, UnusableStore):
                    make_store_folder(path)
                    _append(path, content, "xb")
                    self.files.append(path)
                    return
        raise UnusableStore(
            "unsaved results", "no file can be written. Free some space on the disk."
        )


def _encoded(records: Iterable[Any]) -> bytes:
    # Imported late because it is rarely needed.
    from callscore.history.exchange.json_lines import encode_line

    return b"".join([encode_line(record) for record in records])


def _append(path: Path, content: bytes, mode: str) -> None:
    """Append all of the content to the file, or nothing."""
    with open(path, mode, buffering=0, opener=partial(os.open, mode=0o600)) as file:
        before, written = file.seek(0, os.SEEK_END), 0
        with suppress(OSError):
            written = file.write(content)
        if written < len(content):
            file.truncate(before)
            if mode == "xb":
                path.unlink()
            raise OSError("the disk is full")


def fallback_file_for(place: Path | str | None) -> FallbackFile:
    """The fallback for a history (`--store`) that cannot be opened."""
    return FallbackFile(_file_of(place), store_arguments(place))


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


def _folders_beside(history: Path | None) -> list[Path]:
    with suppress(OSError):  # the working directory is gone
        beside = default_path() if history is None else history.absolute()
        return [beside.parent, Path.cwd()]
    return []


def _temporary_folders() -> list[Path]:
    import tempfile  # imports random numbers and compression

    with suppress(OSError):
        return [Path(tempfile.gettempdir())]
    return []


# --- the writer of a run ----------------------------------------------------------------------

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
_END: _Item = (None, None)


class RunWriter:
    """Writes one run without the secrets in it; errors of the history do not stop the run.

    A thread, which starts with the first record, writes records in batches, one transaction for each
    batch. A record that is reported as saved survives a kill of the process. If the database cannot be
    written, records are reported anyway, so that the run continues; they stay in memory, and are
    retried with the next batch and at the end. What still fails then goes to a file beside the history,
    as do the records that it does not accept.

    `is_live` means that the results are new, and not computed from those of a history. With `is_direct`
    there is no thread: `put` writes a batch when it is full, or when the last one was written some time ago.

    Attributes:
        run: the run, as it is stored.
        problems: problems with the history, in sentences.
        is_aside: whether everything goes to a fallback file, in place of the history.
    """

    def __init__(
        self,
        store: Store | FallbackFile,
        run: RunRecord,
        lock: RunLock | None = None,
        *,
        is_live: bool = True,
        is_direct: bool = False,
    ) -> None:
        self.run = run
        self.problems: list[str] = []
        self.is_aside = isinstance(store, FallbackFile)
        self._store = store
        if isinstance(store, FallbackFile):
            self._file = store
        else:
            self._file = FallbackFile(store.path, store.command_options)
        self._file.begin(run)
        self._lock = lock
        self._hider = RecordHider(is_live=is_live)
        self._is_direct = is_direct
        # A queue without a lock: `put` never waits for the thread.
        self._queue: SimpleQueue[_Item] = SimpleQueue()
        self._unsaved: list[_Record] = []  # taken from the queue, to be written or retried
        self._missing: list[EvaluationRecord] = []
        self._problem = ""  # why records are not in the history
        self._last_error = ""
        self._last_write = -_DIRECT_SECONDS
        self._retry_after = 0.0
        self._flush_now = Event()
        self._is_closed = False
        self._thread: Thread | None = None

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
        """Queue a record to be written soon; from any thread, without waiting.

        `on_saved` is called in the writing thread when it is stored.

        Raises:
            RuntimeError: the writer is closed.
        """
        if self._is_closed:
            raise RuntimeError("the writer is closed: nothing more can be saved")
        self._queue.put((self._hider.record(record), on_saved))
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

    def close(self) -> None:
        """Write the queued records, end the thread, and note what could not be written."""
        if not self._is_closed:
            self._is_closed = True
            self._queue.put(_END)
            self._flush_now.set()
            if self._thread is None:
                self._write_batches()
        if self._thread is not None:
            self._thread.join()
        if self._problem:
            where = "" if self.is_aside else self._file.location_text()
            self.note(f"{self._problem} {where}".rstrip())

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
        started = monotonic()
        if self._unsaved and (is_last or started >= self._retry_after):
            self._unsaved = self._write(self._unsaved)
            if self._unsaved:
                self._retry_after = max(monotonic() + _RETRY_SECONDS, 2 * monotonic() - started)
        if self._unsaved and (is_last or len(self._unsaved) > _MAX_PENDING):
            self._problem = self._problem or self._last_error
            if self._write_aside(self._unsaved):
                self._unsaved = []
            del self._unsaved[_MAX_PENDING:]
        self._last_write = monotonic()
        for _, on_saved in batch:
            if on_saved is not None:
                # A failing callback must not keep the others from being called.
                with suppress(Exception):
                    on_saved()
        return is_last

    def _write(self, records: list[_Record]) -> list[_Record]:
        """Write records to the history; returns those that cannot be written now."""
        from callscore.history.database import is_record_error

        try:
            self._store.save_results(records)
        except Exception as error:  # noqa: BLE001  (a thread that ends would leave the run waiting)
            if isinstance(error, UnusableStore) and not is_record_error(error.__cause__):
                self._last_error = str(error)  # it may pass
                return records
            if len(records) > 1:  # only some of them are refused
                return [*chain.from_iterable([self._write([record]) for record in records])]
            self._problem = self._problem or str(error)
            with suppress(Exception):  # a record that cannot be encoded is lost
                self._write_aside(records)
        return []

    def _write_aside(self, records: list[_Record]) -> bool:
        """Write records to the file beside the history; returns whether that worked."""
        if self.is_aside:
            return False
        try:
            self._file.save_results(records)
        except UnusableStore as error:
            self._problem = f"{self._problem} And {error.problem}"
            return False
        return True

    def finish(
        self, status: RunStatus, totals: Mapping[str, Any], summaries: Mapping[int, Any]
    ) -> None:
        """Save how the run ended: in the history, and in the file if there is one.

        If the history lacks records, the run is interrupted there, without totals; the file has them for a
        later import.
        """
        self.close()
        is_whole = self.is_aside or not self._problem
        problem, had_files = "", bool(self._file.files)
        try:
            while self._missing:
                self._store.add_evaluation(self._missing[-1])
                self._missing.pop()
            ended = (status, totals, summaries) if is_whole else ("interrupted", {}, {})
            self._store.finish(self.run.id, *ended)
        except CallscoreError as error:
            problem = str(error)
        if not self.is_aside and (problem or had_files):
            with suppress(UnusableStore):
                self._file.finish(self.run.id, status, totals, summaries)
        if problem:
            where = "" if had_files else self._file.location_text()
            self.note(f"{problem} {where}".rstrip())

    def finish_with(
        self, status: RunStatus, found: Mapping[int, EvaluationResults], *, unreadable: int = 0
    ) -> None:
        """Save how the run ended: the results of its evaluations by number."""
        summaries = {number: summary_payload([each]) for number, each in found.items()}
        # Of one evaluation, they are the same.
        (totals,) = summaries.values() if len(found) == 1 else [summary_payload([*found.values()])]
        self.finish(status, totals | ({"unreadable": unreadable} if unreadable else {}), summaries)

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
