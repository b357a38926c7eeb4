"""Writes a run to the history in a background thread; failures go to a fallback file."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Self, Union

from callscore.errors import CallscoreError, UnusableStore
from callscore.history.database import is_record_error
from callscore.history.fallback_store import FallbackStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

    from callscore.core.phrases import Language
    from callscore.history.locks import RunLock, ServerLock
    from callscore.history.records import (
        AnswerRecord,
        EvaluationRecord,
        ResultRecord,
        RunRecord,
        RunStatus,
    )
    from callscore.history.store import Store

__all__ = ["BackgroundWriter", "RunWriter"]


# Keeps answers and results while a run goes on, without holding it up.

# A transaction costs as much as ten records. What comes within this time shares one, unless somebody
# is in a hurry.
_BATCH_SECONDS = 0.05
# More would make others wait who write to the same database.
_MAX_BATCH = 500
# What waits in memory for a database that cannot be written.
_MAX_PENDING = 10_000
# Seconds between two tries to write to one.
_RETRY_SECONDS = 1.0

# What to keep, and whom to tell; without a record only whom to tell, and without both it is the end.
_Record = Union["AnswerRecord", "ResultRecord"]
_Item = tuple[_Record | None, "Callable[[], None] | None"]
_END: _Item = (None, None)


class BackgroundWriter:
    """A thread that writes records in batches, one transaction for each batch.

    A record that is reported kept is there even if the process is killed. Where the database cannot
    be written, records are reported all the same, so that the run goes on; they stay in memory, and
    are tried again with those that come, and at the end. What still cannot be kept then is rescued.

    Args:
        store: where records are kept.
        rescue: takes what cannot be kept there; None where that is lost.
    """

    def __init__(self, store: Store | FallbackStore, rescue: FallbackStore | None = None) -> None:
        self._store = store
        self._rescue = rescue
        self._problem: str | None = None
        self._left: list[_Record] = []  # to be tried again
        self._trouble = ""
        self._rests_until = 0.0
        # No lock of our own: whoever puts something would wait for it until this thread had its turn.
        self._waiting: SimpleQueue[_Item] = SimpleQueue()
        self._hurry = Event()  # somebody waits
        self._is_closed = False
        self._thread = Thread(target=self._run, name="callscore-history", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def problem(self) -> str | None:
        """Why something is not kept, in a sentence, and where it is then; None while all is."""
        if self._problem is None or self._rescue is None or not self._rescue.sentence:
            return self._problem
        return f"{self._problem} {self._rescue.sentence}"

    def put(
        self, record: AnswerRecord | ResultRecord, on_kept: Callable[[], None] | None = None
    ) -> None:
        """Have a record kept, soon; from any thread, and without waiting.

        Args:
            record: what to keep. It must not be changed any more.
            on_kept: called when it is kept, in the thread that keeps it.

        Raises:
            RuntimeError: the writer is closed.
        """
        if self._is_closed:
            raise RuntimeError("the writer is closed: nothing more can be kept")
        self._waiting.put((record, on_kept))

    def hurry(self) -> None:
        """Keep what is waiting at once: nothing more comes that could share the transaction."""
        self._hurry.set()

    def flush(self) -> None:
        """Wait until all that was given is kept and reported."""
        if self._is_closed:
            return
        is_done = Event()
        self._waiting.put((None, is_done.set))
        self.hurry()
        is_done.wait()

    def close(self) -> None:
        """Keep what is waiting, and end the thread."""
        if not self._is_closed:
            self._is_closed = True
            self._waiting.put(_END)
            self._hurry.set()
        self._thread.join()

    def _run(self) -> None:
        last = -_BATCH_SECONDS
        batch: list[_Item] = []
        while _END not in batch:
            first = self._waiting.get()
            self._hurry.wait(last + _BATCH_SECONDS - monotonic())
            batch = [first, *self._at_hand(_MAX_BATCH - 1)]
            last = monotonic()
            self._hurry.clear()
            self._left += [record for record, _ in batch if record is not None]
            self._keep(is_last=_END in batch)
            for _, on_kept in batch:
                if on_kept is not None:
                    # Whoever listens may be gone by now; the others have not deserved that.
                    with suppress(Exception):
                        on_kept()

    def _at_hand(self, most: int) -> Iterator[_Item]:
        """What is waiting now, up to so many."""
        for _ in range(most):
            try:
                yield self._waiting.get_nowait()
            except Empty:
                return

    def _keep(self, *, is_last: bool) -> None:
        """Keep what is left, unless that has just failed; at the end nothing may be left."""
        started = monotonic()
        if self._left and (is_last or started >= self._rests_until):
            self._try(started)
        if self._left and (is_last or len(self._left) > _MAX_PENDING):
            self._problem = self._problem or self._trouble
            if self._is_rescued(self._left):
                self._left = []
            del self._left[_MAX_PENDING:]

    def _is_rescued(self, records: list[_Record]) -> bool:
        """Whether what cannot be kept is in a file now."""
        if self._rescue is None:
            return False
        try:
            self._rescue.keep(records)
        except UnusableStore as error:
            self._problem = f"{self._problem or self._trouble} And {error.problem}"
            return False
        return True

    def _try(self, started: float) -> None:
        try:
            self._store.keep(self._left)
        except UnusableStore as error:
            if not is_record_error(error.__cause__):  # it may pass
                self._trouble = str(error)
                took = monotonic() - started
                self._rests_until = monotonic() + max(_RETRY_SECONDS, took)
                return
            self._keep_each()
        except Exception:  # noqa: BLE001  (a thread that ends would leave the run waiting)
            self._keep_each()
        self._left = []

    def _keep_each(self) -> None:
        """Keep what can be kept, where something among it cannot; that is rescued."""
        refused: list[_Record] = []
        for record in self._left:
            try:
                self._store.keep([record])
            except CallscoreError as error:
                self._problem = self._problem or str(error)
                refused.append(record)
            except Exception as error:  # noqa: BLE001  (as above)
                told = f"{self._store.place}: {type(error).__name__}: {error}"
                self._problem = self._problem or told
                refused.append(record)
        if refused:
            with suppress(Exception):  # as above: what is not even a line of JSON is lost
                self._is_rescued(refused)


# Keeps one run while it goes on: in the history as long as that takes it, else in a file beside
# it.


class RunWriter:
    """Writes one run; errors of the history are collected and do not stop the run.

    Args:
        store: the history; a rescue where there is none.
        run: the run, as the history holds it.
        lock: what keeps other processes away from the run.

    Attributes:
        run: the run.
        problems: what went wrong with the history, in sentences.
        is_aside: whether there is no history, and everything goes to a file beside it.
    """

    def __init__(
        self, store: Store | FallbackStore, run: RunRecord, lock: RunLock | ServerLock | None = None
    ) -> None:
        self.run = run
        self.problems: list[str] = []
        self.is_aside = isinstance(store, FallbackStore)
        self._store = store
        self._rescue = (
            store if isinstance(store, FallbackStore) else FallbackStore(store.path, store.words)
        )
        self._rescue.begin(run)
        self._lock = lock
        self._writer: BackgroundWriter | None = None
        self._missing: list[EvaluationRecord] = []

    def add_evaluation(self, record: EvaluationRecord) -> None:
        """Keep what is evaluated.

        Raises:
            UnusableStore: the history does not take it now; it is tried once more at the end.
        """
        self._rescue.add_evaluation(record)
        try:
            self._store.add_evaluation(record)
        except UnusableStore:
            self._missing.append(record)
            raise

    def put(
        self, record: AnswerRecord | ResultRecord, on_kept: Callable[[], None] | None = None
    ) -> None:
        """Keep an answer or a result, soon.

        Args:
            record: what to keep.
            on_kept: called when it is kept, in another thread.
        """
        if self._writer is None:
            self._writer = BackgroundWriter(self._store, None if self.is_aside else self._rescue)
        self._writer.put(record, on_kept)

    def hurry(self) -> None:
        """Have what is waiting kept at once."""
        if self._writer is not None:
            self._writer.hurry()

    def flush(self) -> None:
        """Wait until all that was given is kept."""
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        """Keep what is waiting."""
        if self._writer is not None:
            self._writer.close()
            if self._writer.problem is not None:
                self.note(self._writer.problem)

    def finish(
        self, status: RunStatus, totals: Mapping[str, Any], summaries: Mapping[int, Any]
    ) -> None:
        """Keep how the run ended; where something of it is missing, that it did not.

        Args:
            status: whether it came to its end.
            totals: its counts.
            summaries: what the results of each evaluation come to, by its number.
        """
        self.close()
        is_whole = self._writer is None or self._writer.problem is None
        is_whole = self._are_evaluations_kept() and is_whole
        ended = (self.run.id, status, totals, summaries)
        trouble = self._rescue.finish_with(self._store, ended, is_whole=is_whole)
        if trouble:
            self.note(trouble)

    def _are_evaluations_kept(self) -> bool:
        """Whether the history takes now what it did not take before."""
        try:
            while self._missing:
                self._store.add_evaluation(self._missing[-1])
                self._missing.pop()
        except UnusableStore:
            return False
        return True

    def saved(self, lang: Language = "en") -> str:
        """Where the run is, where it is not in the history; empty where nothing is anywhere."""
        return self._rescue.told(lang) if self.is_aside else ""

    def release(self) -> None:
        """Let other processes go on with the run, where it did not end."""
        if self._lock is not None:
            self._lock.release()

    def note(self, problem: str) -> None:
        """Add a problem once; of two that start alike keep the longer one."""
        if not any(known.startswith(problem) for known in self.problems):
            others = [known for known in self.problems if not problem.startswith(known)]
            self.problems[:] = [*others, problem]
