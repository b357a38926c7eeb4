"""Keeps one run while it goes on: in the history as long as that takes it, else in a file beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.errors import UnusableStore
from callscore.history.rescue import Rescue
from callscore.history.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from callscore.core.phrase import Language
    from callscore.history.records import (
        AnswerRecord,
        EvaluationRecord,
        ResultRecord,
        RunRecord,
        RunStatus,
    )
    from callscore.history.run_lock import RunLock
    from callscore.history.server_lock import ServerLock
    from callscore.history.store import Store

__all__ = ["RunKeeper"]


class RunKeeper:
    """Keeps what it is given of one run; what goes wrong with the history stops nobody.

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
        self, store: Store | Rescue, run: RunRecord, lock: RunLock | ServerLock | None = None
    ) -> None:
        self.run = run
        self.problems: list[str] = []
        self.is_aside = isinstance(store, Rescue)
        self._store = store
        self._rescue = store if isinstance(store, Rescue) else Rescue(store.path, store.words)
        self._rescue.begin(run)
        self._lock = lock
        self._writer: Writer | None = None
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
            self._writer = Writer(self._store, None if self.is_aside else self._rescue)
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
        """Note it, unless that is noted; of two sentences that begin alike, the longer one."""
        if not any(known.startswith(problem) for known in self.problems):
            others = [known for known in self.problems if not problem.startswith(known)]
            self.problems[:] = [*others, problem]
