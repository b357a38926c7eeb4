"""Keeps answers and results while a run goes on, without holding it up."""

from __future__ import annotations

from contextlib import suppress
from threading import Condition, Thread
from time import monotonic
from typing import TYPE_CHECKING, Self

from callscore.errors import CallscoreError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from callscore.history.records import AnswerRecord, ResultRecord
    from callscore.history.store import Store

__all__ = ["Writer"]

# A transaction costs as much as ten records. What comes within this time shares one.
_PAUSE = 0.01
# More would make others wait who write to the same database.
_MOST = 500
# With how many waiting the thread is woken; being woken by each would cost more than keeping it.
_CALLS = (1, _MOST)


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
        self._changed = Condition()
        self._waiting: list[tuple[AnswerRecord | ResultRecord, Callable[[], None] | None]] = []
        self._given = 0
        self._done = 0
        self._wanted = 0  # how many somebody is waiting for
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
        with self._changed:
            if self._is_closed:
                raise RuntimeError("the writer is closed: nothing more can be kept")
            self._waiting.append((record, on_kept))
            self._given += 1
            if len(self._waiting) in _CALLS:
                self._changed.notify_all()

    def flush(self) -> None:
        """Wait until all that was given is kept and reported."""
        with self._changed:
            given = self._given
            self._wanted = max(self._wanted, given)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._done >= given)

    def close(self) -> None:
        """Keep what is waiting, and end the thread."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        last = -_PAUSE
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._is_closed)
                self._changed.wait_for(self._is_pressing, timeout=last + _PAUSE - monotonic())
                batch = self._waiting[:_MOST]
                del self._waiting[:_MOST]
            if not batch:
                return
            last = monotonic()
            self._keep([record for record, _ in batch])
            for _, on_kept in batch:
                if on_kept is not None:
                    # Whoever listens may be gone by now; the others have not deserved that.
                    with suppress(Exception):
                        on_kept()
            with self._changed:
                self._done += len(batch)
                self._changed.notify_all()

    def _is_pressing(self) -> bool:
        many = len(self._waiting) >= _MOST
        return many or self._is_closed or self._wanted > self._done

    def _keep(self, records: list[AnswerRecord | ResultRecord]) -> None:
        if self.problem is not None:
            return
        try:
            self._store.keep(records)
        except CallscoreError as error:
            self.problem = str(error)
        except Exception as error:  # noqa: BLE001  (a thread that ends would leave the run waiting)
            self.problem = f"{self._store.place}: {type(error).__name__}: {error}"
