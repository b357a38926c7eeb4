"""Keeps what a run asks and what it gets, as it comes: what is reported is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.engines.run_totals import summary_payload
from callscore.errors import CallscoreError, UnusableStore
from callscore.history.rescue import Rescue
from callscore.history.writer import Writer
from callscore.runner.digests import Digests
from callscore.runner.result_records import (
    answer_record,
    evaluation_record,
    result_record,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callscore.core.run import EvaluationResults
    from callscore.evaluations.evaluation import Answer, Question
    from callscore.evaluations.plan import Group
    from callscore.history.records import EvaluationRecord, RunRecord, RunStatus
    from callscore.history.rescue import Ended
    from callscore.history.run_lock import RunLock
    from callscore.history.server_lock import ServerLock
    from callscore.history.store import Store
    from callscore.runner.result_records import Finished
    from callscore.runner.resuming import Known

__all__ = ["Recorder"]


class Recorder:
    """Keeps a run in the history.

    Args:
        store: the history.
        run: the run, as the history holds it.
        groups: what is asked.
        known: finds answers that are there already.
        lock: what keeps other processes away from the run.

    Attributes:
        run: the run.
        problems: what went wrong with the history, in sentences; the run goes on all the same.
        is_aside: whether there is no history, and everything goes to a file beside it.
    """

    def __init__(
        self,
        store: Store | Rescue,
        run: RunRecord,
        groups: Sequence[Group],
        known: Known,
        lock: RunLock | ServerLock | None = None,
    ) -> None:
        self.run = run
        self.problems: list[str] = []
        self.is_aside = isinstance(store, Rescue)
        self._store = store
        self._rescue = store if isinstance(store, Rescue) else Rescue(store.path)
        self._rescue.begin(run)
        self._known = known
        self._lock = lock
        self._numbers = self._keep_evaluations(groups)
        self._digests = Digests()
        self._writer = Writer(store, None if self.is_aside else self._rescue)

    def _keep_evaluations(self, groups: Sequence[Group]) -> list[int]:
        """The number of each group in the run; a run that goes on knows some of them already."""
        before = {
            (record.place, record.variant): record.number
            for record in self._store.evaluations(self.run.id)
        }
        free = max(before.values(), default=-1) + 1
        numbers = []
        for group in groups:
            number = before.get((group.evaluation.key, group.variant))
            if number is None:
                number, free = free, free + 1
            record = evaluation_record(self.run.id, number, group.evaluation, group.variant)
            self._keep_evaluation(record)
            numbers.append(number)
        return numbers

    def _keep_evaluation(self, record: EvaluationRecord) -> None:
        """Keep what is evaluated; of a run that goes on, what is there is worth more than that."""
        self._rescue.add_evaluation(record)
        try:
            self._store.add_evaluation(record)
        except UnusableStore as error:
            if self._known.run is None:
                raise
            self._note(str(error))

    def digests(self, question: Question) -> tuple[str, str]:
        """The digests of a question, and of the text of its task."""
        return self._digests.of(question)

    def known(self, question: Question, digests: tuple[str, str]) -> Answer | None:
        """The answer to a question where it need not be asked again."""
        if not self._known.is_asked:
            return None
        try:
            return self._known.answer(question, digests)
        except CallscoreError as error:
            self._note(str(error))
            return None

    def answer(self, question: Question, digests: tuple[str, str], answer: Answer) -> None:
        """Keep an answer, soon."""
        self._writer.put(answer_record(self.run.id, question, digests, answer))

    def result(self, group: int, finished: Finished, on_kept: Callable[[], None]) -> None:
        """Keep what became of a question, soon.

        Args:
            group: the place of the question's group among all.
            finished: what became of it.
            on_kept: called when it is kept, in another thread.
        """
        self._writer.put(result_record(self.run.id, self._numbers[group], finished), on_kept)

    def hurry(self) -> None:
        """Have what is waiting kept at once."""
        self._writer.hurry()

    def close(self) -> None:
        """Keep what is waiting, and let go of the history."""
        self._writer.close()
        if self._writer.problem is not None:
            self._note(self._writer.problem)

    def finish(self, status: RunStatus, results: Sequence[EvaluationResults]) -> None:
        """Keep how the run ended."""
        summaries = {
            number: summary_payload([each])
            for number, each in zip(self._numbers, results, strict=True)
        }
        ended: Ended = (self.run.id, status, summary_payload(results), summaries)
        trouble = self._rescue.finish_with(self._store, ended)
        if trouble:
            self._note(trouble)

    @property
    def saved(self) -> str:
        """Where the run is, where it is not in the history; empty where nothing is anywhere."""
        return self._rescue.sentence if self.is_aside else ""

    def release(self) -> None:
        """Let other processes go on with the run, where it did not end."""
        if self._lock is not None:
            self._lock.release()

    def _note(self, problem: str) -> None:
        """Note it, unless that is noted; of two sentences that begin alike, the longer one."""
        if not any(known.startswith(problem) for known in self.problems):
            others = [known for known in self.problems if not problem.startswith(known)]
            self.problems[:] = [*others, problem]
