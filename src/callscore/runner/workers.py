"""Asks the questions of a run with several workers; reports results once they are stored."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any

from callscore.core.results import Failure
from callscore.models.limits import run_limits
from callscore.models.timeouts import abandon_task, create_abandonable_task
from callscore.runner.answer_scoring import score_answer, unanswered
from callscore.runner.answers import failure_from_error, make_failure
from callscore.runner.asking import ask_in_task

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Sequence

    from callscore.core.results import Answer, Result
    from callscore.evaluations.evaluation import Question
    from callscore.evaluations.plan import Group
    from callscore.models.limits import Limits
    from callscore.runner.recorder import Recorder

__all__ = ["Workers"]

if TYPE_CHECKING:
    Report = Callable[[int, int, Question, Result], None]

# Up to this many workers, or for answers that took this long, waiting for the disk costs nothing.
_FEW_WORKERS = 16
_SLOW_SECONDS = 1.0


class _ActiveQuestion:
    """A question that is being asked.

    Attributes:
        group: the number of its group.
        position: its position in the group.
        question: the question.
        digests: of the question and of the code of its task, if the run is recorded.
        is_stuck: whether its answer is not awaited any more.
    """

    def __init__(self, group: int, position: int, question: Question) -> None:
        self.group = group
        self.position = position
        self.question = question
        self.digests = ("", "")
        self.is_stuck = False


class Workers:
    """Asks the questions of a run.

    Args:
        groups: the questions.
        jobs: how many to ask at once.
        limits: timeout, retries and rate.
        recorder: records the answers; None to record nothing.

    Attributes:
        is_interrupted: whether `stop` was called.
    """

    def __init__(
        self,
        groups: Sequence[Group],
        *,
        jobs: int,
        limits: Limits,
        recorder: Recorder | None,
    ) -> None:
        self.is_interrupted = False
        self._queue = _numbered_questions(groups)
        self._jobs = jobs
        self._limits = limits
        self._recorder = recorder
        self._is_ending = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._started: Callable[[Question], None] = _ignore
        self._waiting = 0  # results that are not stored yet
        self._stored: deque[tuple[Callable[[], None], asyncio.Future[None]]] = deque()
        self._pending_by_job: dict[int, asyncio.Future[None]] = {}
        self._error: BaseException | None = None

    async def run(self, report: Report, on_started: Callable[[Question], None]) -> None:
        """Ask all questions; or those that were started before `stop`.

        Args:
            report: called when a result is stored, with the number of its group, its position
                there, the question, and the result.
            on_started: called with each question before it is asked.
        """
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._all_stored = asyncio.Event()
        self._report = report
        self._started = on_started
        for job in range(self._jobs):
            self._start_worker(self._run_worker(job))
        await self._ended.wait()
        self._all_stored.clear()
        if self._waiting:
            await self._all_stored.wait()
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """Cancel the running questions, and ask no more."""
        self.is_interrupted = True
        self._cancel_all()

    def _cancel_all(self) -> None:
        self._is_ending = True
        for task in tuple(self._tasks):
            task.cancel()

    def _start_worker(self, work: Coroutine[Any, Any, None]) -> None:
        task = create_abandonable_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._on_worker_done)

    def _on_worker_done(self, task: asyncio.Task[None]) -> None:
        """Handle a worker that has ended, or is abandoned."""
        if task not in self._tasks:
            return
        self._tasks.discard(task)
        if task.done() and not task.cancelled() and task.exception() is not None:
            self._fail(task.exception())
        if not self._tasks:
            self._ended.set()

    async def _run_worker(self, job: int) -> None:
        run_limits.set(self._limits)  # for judges, in this asyncio task only
        for group, position, question in self._queue:
            if self._is_ending:  # and the task turned its cancellation into an answer
                return
            self._started(question)
            active = _ActiveQuestion(group, position, question)
            answer = await self._get_answer(job, active)
            if active.is_stuck:
                return  # another worker has taken over
            await self._finish(job, active, answer)

    async def _get_answer(self, job: int, active: _ActiveQuestion) -> Answer | Failure:
        recorder, question = self._recorder, active.question
        if recorder is not None:
            try:
                active.digests = recorder.digests(question)
            except Exception as error:  # noqa: BLE001  (the identity of a task is user code)
                return failure_from_error(question, error)
            known = recorder.known(question, active.digests)
            if known is not None:
                return known
        answer = await self._ask(job, active)
        if recorder is not None and not isinstance(answer, Failure) and not active.is_stuck:
            recorder.answer(question, active.digests, answer)
        return answer

    async def _ask(self, job: int, active: _ActiveQuestion) -> Answer | Failure:
        question = active.question
        task: Any = asyncio.current_task()

        def go_on_without(failure: Failure) -> None:
            active.is_stuck = True
            self._start_worker(self._finish_stuck(job, active, failure))
            self._on_worker_done(task)
            abandon_task(task)

        try:
            return await ask_in_task(
                question, self._limits, on_stuck=go_on_without, takes_interrupts=True
            )
        except asyncio.CancelledError:
            if self._is_ending:
                raise
            while task.uncancel():  # it was not this class
                continue
            return make_failure(question, "raised", "the task cancelled the one that asked it")

    async def _finish_stuck(self, job: int, active: _ActiveQuestion, failure: Failure) -> None:
        """Replace a worker whose task ignores its cancellation."""
        await self._finish(job, active, failure)
        await self._run_worker(job)

    async def _finish(self, job: int, active: _ActiveQuestion, answer: Answer | Failure) -> None:
        result = await self._score(active.question, answer)

        def report() -> None:
            self._report(active.group, active.position, active.question, result)

        if self._recorder is None:
            report()
            return
        is_kept = self._loop.create_future()
        try:
            self._recorder.result(
                active.group,
                active.question,
                result,
                digest=active.digests[0],
                on_kept=self._on_stored(report, is_kept),
            )
        except Exception as error:  # noqa: BLE001  (a case may be nested too deeply to be data)
            text = (
                f"{_question_label(active.question)} is not kept: {type(error).__name__}: {error}"
            )
            self._recorder.problems.append(text)
            report()
            return
        self._waiting += 1  # before its report, which comes through the loop
        seconds = 0.0 if result.answer is None else result.answer.seconds
        await self._wait_until_stored(job, is_kept, self._recorder, seconds)

    async def _wait_until_stored(
        self, job: int, is_kept: asyncio.Future[None], recorder: Recorder, seconds: float
    ) -> None:
        """Wait until the answer is stored before the next question is asked.

        With many workers and quick answers, each may be one question ahead. If they all waited, their
        connections would be idle meanwhile, and SDKs scan all idle connections for each request.
        """
        is_strict = self._jobs <= _FEW_WORKERS or seconds >= _SLOW_SECONDS
        if is_strict or self._waiting >= len(self._tasks):
            recorder.flush_soon()  # no other worker will add to this transaction
        before = self._pending_by_job.pop(job, None)
        if before is not None:
            await before
        if is_strict:
            await is_kept
        else:
            self._pending_by_job[job] = is_kept

    async def _score(self, question: Question, answer: Answer | Failure) -> Result:
        if isinstance(answer, Failure):
            return unanswered(question, answer)
        return await score_answer(question, answer, seconds=self._limits.timeout)

    def _on_stored(
        self, report: Callable[[], None], is_kept: asyncio.Future[None]
    ) -> Callable[[], None]:
        """A callback for any thread when a result is stored; the loop is woken once for many."""

        def kept() -> None:
            self._stored.append((report, is_kept))
            if len(self._stored) == 1:
                self._loop.call_soon_threadsafe(self._report_stored)

        return kept

    def _report_stored(self) -> None:
        # Results that arrive meanwhile do not wake the loop again.
        while self._stored:
            report, is_kept = self._stored[0]
            try:
                report()
            except Exception as error:  # noqa: BLE001  (an error of a hook ends the run)
                self._fail(error)
            self._stored.popleft()
            self._waiting -= 1
            if not is_kept.done():  # its worker may be cancelled
                is_kept.set_result(None)
        if not self._waiting:
            self._all_stored.set()

    def _fail(self, error: BaseException | None) -> None:
        self._error = self._error or error
        self._cancel_all()


def _numbered_questions(groups: Sequence[Group]) -> Iterator[tuple[int, int, Question]]:
    for number, group in enumerate(groups):
        for position, question in enumerate(group.questions):
            yield number, position, question


def _question_label(question: Question) -> str:
    name = question.evaluation.name
    variant = "" if question.variant is None else f"[{question.variant}]"
    trial = f" #{question.trial}" if question.trials > 1 else ""
    return f"{name}{variant} {question.case.id}{trial}"


def _ignore(_: Question) -> None:
    """Do nothing."""
