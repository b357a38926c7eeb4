"""Keeps answers and results while a run goes on, without holding it up."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Self

from callscore.errors import CallscoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from callscore.history.records import AnswerRecord, ResultRecord
    from callscore.history.store import Store

__all__ = ["Writer"]

# A transaction costs as much as ten records. What comes within this time shares one, unless somebody
# is in a hurry.
_PAUSE = 0.05
# More would make others wait who write to the same database.
_MOST = 500

# What to keep, and whom to tell; without a record only whom to tell, and without both it is the end.
_Item = tuple["AnswerRecord | ResultRecord | None", "Callable[[], None] | None"]
_END: _Item = (None, None)


class Writer:
    """A thread that keeps what it is given, as many records in one transaction as are waiting.

    A record that is reported kept is there even if the process is killed. Where the database cannot
    be written any more, the first trouble stands in `problem`, and from then on records are dropped,
    and reported all the same, so that the run goes on.

    Attributes:
        problem: what went wrong, in a sentence; None while all is well.
    """

    def __init__(self, store: Store) -> None:
        self.problem: str | None = None
        self._store = store
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
            self._keep([record for record, _ in batch if record is not None])
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

    def _keep(self, records: list[AnswerRecord | ResultRecord]) -> None:
        if self.problem is not None or not records:
            return
        try:
            self._store.keep(records)
        except CallscoreError as error:
            self.problem = str(error)
        except Exception as error:  # noqa: BLE001  (a thread that ends would leave the run waiting)
            self.problem = f"{self._store.place}: {type(error).__name__}: {error}"
