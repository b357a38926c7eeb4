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

_FEW_WORKERS = 16  # workers, with whom waiting for the disk costs nothing
_SLOW_SECONDS = 1.0  # seconds, which are dearer than waiting for the disk


class _ActiveQuestion:
    """A question that is being asked.

    Attributes:
        group: the number of its group.
        position: its place in the group.
        question: the question.
        digests: of the question and of the text of its task, where anything is kept.
        is_stuck: whether nobody waits for its answer any more.
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
        limits: how patient to be with each.
        recorder: what keeps the answers; None if nothing is kept.

    Attributes:
        is_interrupted: whether somebody wanted it to stop.
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
        self._waiting = 0  # for being kept
        self._stored: deque[tuple[Callable[[], None], asyncio.Future[None]]] = deque()
        self._pending_by_job: dict[int, asyncio.Future[None]] = {}
        self._error: BaseException | None = None

    async def run(self, report: Report, on_started: Callable[[Question], None]) -> None:
        """Ask all questions; or those that were begun before somebody wanted it to stop.

        Args:
            report: is told what became of a question once that is kept: the number of its group,
                its place there, the question, and its result.
            on_started: is told of each question that is going to be asked.
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
        """Ask nothing more, and wait for nothing that is being asked."""
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
        """A worker ends, or is given up."""
        if task not in self._tasks:
            return
        self._tasks.discard(task)
        if task.done() and not task.cancelled() and task.exception() is not None:
            self._fail(task.exception())
        if not self._tasks:
            self._ended.set()

    async def _run_worker(self, job: int) -> None:
        run_limits.set(self._limits)  # for judges, and in this task alone
        for group, position, question in self._queue:
            if self._is_ending:  # and the last task made an answer of being told so
                return
            self._started(question)
            asked = _ActiveQuestion(group, position, question)
            answer = await self._get_answer(job, asked)
            if asked.is_stuck:
                return  # somebody else does the rest
            await self._finish(job, asked, answer)

    async def _get_answer(self, job: int, asked: _ActiveQuestion) -> Answer | Failure:
        recorder, question = self._recorder, asked.question
        if recorder is not None:
            try:
                asked.digests = recorder.digests(question)
            except Exception as error:  # noqa: BLE001  (a task that cannot say what it asks)
                return failure_from_error(question, error)
            known = recorder.known(question, asked.digests)
            if known is not None:
                return known
        answer = await self._ask(job, asked)
        if recorder is not None and not isinstance(answer, Failure) and not asked.is_stuck:
            recorder.answer(question, asked.digests, answer)
        return answer

    async def _ask(self, job: int, asked: _ActiveQuestion) -> Answer | Failure:
        question = asked.question
        task: Any = asyncio.current_task()

        def go_on_without(failure: Failure) -> None:
            asked.is_stuck = True
            self._start_worker(self._finish_stuck(job, asked, failure))
            self._on_worker_done(task)
            abandon_task(task)

        try:
            return await ask_in_task(
                question, self._limits, on_stuck=go_on_without, takes_interrupts=True
            )
        except asyncio.CancelledError:
            if self._is_ending:
                raise
            while task.uncancel():  # nobody here has done it
                continue
            return make_failure(question, "raised", "the task cancelled the one that asked it")

    async def _finish_stuck(self, job: int, asked: _ActiveQuestion, failure: Failure) -> None:
        """Take the place of a worker whose task does not listen."""
        await self._finish(job, asked, failure)
        await self._run_worker(job)

    async def _finish(self, job: int, asked: _ActiveQuestion, answer: Answer | Failure) -> None:
        result = await self._score(asked.question, answer)

        def report() -> None:
            self._report(asked.group, asked.position, asked.question, result)

        if self._recorder is None:
            report()
            return
        is_kept = self._loop.create_future()
        try:
            self._recorder.result(
                asked.group,
                asked.question,
                result,
                digest=asked.digests[0],
                on_kept=self._on_stored(report, is_kept),
            )
        except Exception as error:  # noqa: BLE001  (a case that cannot be data: nested too deeply, say)
            told = f"{_question_label(asked.question)} is not kept: {type(error).__name__}: {error}"
            self._recorder.problems.append(told)
            report()
            return
        self._waiting += 1  # its report comes through the loop, and so not before this
        seconds = 0.0 if result.answer is None else result.answer.seconds
        await self._wait_until_stored(job, is_kept, self._recorder, seconds)

    async def _wait_until_stored(
        self, job: int, is_kept: asyncio.Future[None], recorder: Recorder, seconds: float
    ) -> None:
        """Wait until the answer is stored before the next question is asked.

        Of many workers with quick answers each may be ahead by one. If they all waited, their
        connections would be idle in the meantime, and SDKs look through all idle ones each time.
        """
        is_strict = self._jobs <= _FEW_WORKERS or seconds >= _SLOW_SECONDS
        if is_strict or self._waiting >= len(self._tasks):
            recorder.flush_soon()  # nobody else brings anything that could share a transaction
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
        """What to call, in whatever thread, when something is kept; the loop is woken once for many."""

        def kept() -> None:
            self._stored.append((report, is_kept))
            if len(self._stored) == 1:
                self._loop.call_soon_threadsafe(self._report_stored)

        return kept

    def _report_stored(self) -> None:
        # What comes meanwhile wakes nobody as long as there is something left.
        while self._stored:
            report, is_kept = self._stored[0]
            try:
                report()
            except Exception as error:  # noqa: BLE001  (of whoever listens: the run ends with it)
                self._fail(error)
            self._stored.popleft()
            self._waiting -= 1
            if not is_kept.done():  # or its worker was told to end
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
