"""Keeps answers and results while a run goes on, without holding it up."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Self, Union

from callscore.errors import CallscoreError, UnusableStore
from callscore.history.troubles import is_of_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from callscore.history.records import AnswerRecord, ResultRecord
    from callscore.history.rescue import Rescue
    from callscore.history.store import Store

__all__ = ["Writer"]

# A transaction costs as much as ten records. What comes within this time shares one, unless somebody
# is in a hurry.
_PAUSE = 0.05
# More would make others wait who write to the same database.
_MOST = 500
# What waits in memory for a database that cannot be written.
_MOST_LEFT = 10_000
# Seconds between two tries to write to one.
_REST = 1.0

# What to keep, and whom to tell; without a record only whom to tell, and without both it is the end.
_Record = Union["AnswerRecord", "ResultRecord"]
_Item = tuple[_Record | None, "Callable[[], None] | None"]
_END: _Item = (None, None)


class Writer:
    """A thread that keeps what it is given, as many records in one transaction as are waiting.

    A record that is reported kept is there even if the process is killed. Where the database cannot
    be written, records are reported all the same, so that the run goes on; they stay in memory, and
    are tried again with those that come, and at the end. What still cannot be kept then is rescued.

    Args:
        store: where records are kept.
        rescue: takes what cannot be kept there; None where that is lost.
    """

    def __init__(self, store: Store | Rescue, rescue: Rescue | None = None) -> None:
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
        last = -_PAUSE
        batch: list[_Item] = []
        while _END not in batch:
            first = self._waiting.get()
            self._hurry.wait(last + _PAUSE - monotonic())
            batch = [first, *self._at_hand(_MOST - 1)]
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
        if self._left and (is_last or len(self._left) > _MOST_LEFT):
            self._problem = self._problem or self._trouble
            if self._is_rescued(self._left):
                self._left = []
            del self._left[_MOST_LEFT:]

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
            if not is_of_record(error.__cause__):  # it may pass
                self._trouble = str(error)
                took = monotonic() - started
                self._rests_until = monotonic() + max(_REST, took)
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
