"""Asks tasks: workers for the questions of a run, each call with time limits and retries."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from copy import deepcopy
from functools import partial
from inspect import iscoroutinefunction
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.results import Answer, Failure, Result, Usage
from callscore.evaluations.evaluation import Question
from callscore.evaluations.fingerprints import variant_keywords
from callscore.models.chat_task import Chat
from callscore.models.limits import (
    Limits,
    abandon_task,
    create_abandonable_task,
    run_in_daemon_thread,
    run_limits,
    with_retries,
)
from callscore.models.usage import count_requests, usage_of
from callscore.runner.answers import (
    TaskExited,
    TaskTimeout,
    case_for_task,
    collect_stream,
    failure_from_error,
    make_failure,
    plain_document,
    score_answer,
    unanswered,
)
from callscore.runner.event_loop import SecondInterrupt

if TYPE_CHECKING:
    from callscore.core.case import Case
    from callscore.runner.resuming import RunRecorder

    Report = Callable[["Asked", Result], None]

_BLOCKED = "an `async` task blocked the event loop by waiting without `await`"
_GRACE_SECONDS = 1.0  # for a cancelled task to end


async def ask(
    question: Question, limits: Limits, *, on_stuck: Callable[[Failure], None]
) -> Answer | Failure:
    """Ask a task one question, in the current asyncio task.

    A task that is not a coroutine function runs in a thread. After a timeout a task that cannot be
    stopped continues in the background, but nothing waits for it, not even the end of the process.

    The current task avoids a turn of the loop between an answer and the next question, in which all connections of
    an SDK would be idle: SDKs scan all idle connections for each request.

    If the task ignores its timeout, `on_stuck` is called with the failure, and this coroutine must
    not be awaited any more.
    """
    task = question.evaluation.task
    is_model = isinstance(task, Chat)  # which does its own retries and returns plain data
    # A chat inside the task must not apply the rate limit again.
    token = run_limits.set(limits if is_model else replace(limits, rate=None))
    started = perf_counter()
    try:
        with count_requests() as asked:
            if is_model:
                document, attempts = await _attempt(question, None, on_stuck), 1
            else:
                document, attempts = await with_retries(
                    lambda: _attempt(question, limits.timeout, on_stuck),
                    limits=replace(limits, timeout=None),  # `_attempt` has it
                )
    except (asyncio.CancelledError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001  (a task may raise anything)
        return failure_from_error(question, error)
    finally:
        run_limits.reset(token)
    usage = Usage()
    if is_model or not hasattr(task, "identity"):  # a recorded answer has none
        usage = usage_of(document)
        known = usage.requests + attempts - 1 if usage.requests else 0
        usage = replace(usage, requests=asked.requests or known)
    return Answer(
        document=document,
        seconds=perf_counter() - started - asked.waited,
        usage=usage,
        attempts=attempts,
    )


class _Deadline:
    """Cancels a task that takes too long; calls `on_stuck` if it goes on nevertheless.

    `asyncio.timeout` waits forever for a task that ignores its cancellation, and takes longer.
    """

    def __init__(
        self, task: asyncio.Task[Any], seconds: float | None, on_stuck: Callable[[Exception], None]
    ) -> None:
        self.is_late = False
        self._task, self._on_stuck, self._loop = task, on_stuck, task.get_loop()
        self._problem = f"the task took more than {seconds or 0:g} s"
        self._end = inf if seconds is None else self._loop.time() + seconds
        self._timer = None if seconds is None else self._loop.call_at(self._end, self._cancel)

    @property
    def is_over(self) -> bool:
        """Whether it has passed; its timer cannot run while the loop is blocked."""
        return self._loop.time() > self._end

    def _cancel(self) -> None:
        self.is_late = True
        self._task.cancel()
        late = TaskTimeout(self._problem)
        self._timer = self._loop.call_later(_GRACE_SECONDS, self._on_stuck, late)

    def end(self) -> None:
        """Cancel nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
        if self.is_late:
            self._task.uncancel()

    def check(self) -> None:
        """Raise TaskTimeout if it has passed."""
        if self.is_late or self.is_over:
            raise TaskTimeout(self._problem if self.is_late else f"{self._problem}: {_BLOCKED}")


async def _attempt(
    question: Question, seconds: float | None, on_stuck: Callable[[Failure], None]
) -> Any:
    """Call the task once; raises TaskTimeout, TaskExited, UnreadableAnswer, or the task's error."""
    running: Any = asyncio.current_task()
    cancelling = running.cancelling()
    deadline = _Deadline(
        running, seconds, lambda error: on_stuck(failure_from_error(question, error))
    )
    document = None
    try:
        document = await _call_contained(question)
        if running.cancelling() > cancelling:  # from within; raised at the next await
            await asyncio.sleep(0)
    except asyncio.CancelledError:
        if running.cancelling() > cancelling + deadline.is_late:
            raise
        if not deadline.is_late:
            raise RuntimeError("it was cancelled by its own code") from None
    except Exception:
        if not deadline.is_over:
            raise
    finally:
        deadline.end()
    deadline.check()
    return document


async def _call_contained(question: Question) -> Any:
    """The answer; SystemExit and KeyboardInterrupt become ordinary errors."""
    running = asyncio.current_task()
    try:
        return await _call_task(question)
    except GeneratorExit as error:
        if asyncio.current_task() is not running:  # this is being closed
            raise
        raise RuntimeError("GeneratorExit") from error
    except SystemExit as error:
        raise TaskExited(f"the task tried to end the process: sys.exit({error.code!r})") from error
    except KeyboardInterrupt as error:
        if isinstance(error, SecondInterrupt):  # others can only come from the task
            raise
        raise TaskExited("the task tried to end the process: KeyboardInterrupt") from error


async def _call_task(question: Question) -> Any:
    """Call the task, in a thread if it is a plain function; returns plain data."""
    task = question.evaluation.task
    if iscoroutinefunction(task) or iscoroutinefunction(getattr(type(task), "__call__", None)):  # noqa: B004  (not whether it can be called, but how)
        case, keywords = _arguments(question)
        returned = await task(case, **keywords)
    else:
        is_plain, returned = await run_in_daemon_thread(_call_in_thread, question)
        if is_plain:
            return returned
        if isinstance(returned, Awaitable):
            returned = await returned
    if isinstance(task, Chat):
        return returned
    returned = await collect_stream(returned)
    if isinstance(returned, Iterator):  # a stream, which blocks
        return await run_in_daemon_thread(plain_document, returned)
    return plain_document(returned)


def _call_in_thread(question: Question) -> tuple[bool, Any]:
    """Call a plain function; its result, as plain data (then True) unless it must be awaited."""
    case, keywords = _arguments(question)
    returned = question.evaluation.task(case, **keywords)
    if isinstance(returned, Awaitable | AsyncIterable):
        return False, returned
    return True, plain_document(returned)


def _arguments(question: Question) -> tuple[Case, dict[str, Any]]:
    """Copies of the case and of the values of the variant: one attempt cannot change the next."""
    case = case_for_task(question)
    copied = case if isinstance(question.evaluation.task, Chat) else _copy_case(case)
    return copied, _copy_value(variant_keywords(question))


def _copy_case(case: Case) -> Case:
    """A deep copy of a case; values that cannot be copied are shared."""
    copies = {}
    for field in ("input", "expected", "tools", "metadata"):
        value = getattr(case, field)
        if value is not None and not isinstance(value, str):
            with suppress(Exception):  # copying a foreign object
                copies[field] = deepcopy(value)
    return replace(case, **copies) if copies else case


def _copy_value(value: Any) -> Any:
    """A copy of the dictionaries and lists in a value; other objects are shared."""
    if value.__class__ is dict:
        return {key: _copy_value(member) for key, member in value.items()}
    if value.__class__ is list:
        return [_copy_value(member) for member in value]
    return value


# Up to this many workers, or for answers that took this long, waiting for the disk costs nothing.
_FEW_WORKERS = 16
_SLOW_SECONDS = 1.0


class Asked(Struct):
    """A question that is asked, with the number of its group.

    Attributes:
        position: in its group, as it is saved; None if that is not known.
        order: how many were asked before it.
        digests: of the question and of the code of its task, if the run is recorded.
        known: makes the result, if nothing is to be asked.
    """

    group: int
    position: int | None
    question: Question
    order: int = 0
    digests: tuple[str, str] = ("", "")
    known: Callable[[], Awaitable[Result]] | None = None


class Workers:
    """Asks questions, `jobs` at once; without a recorder nothing is recorded.

    Attributes:
        is_interrupted: whether `stop` was called.
    """

    def __init__(
        self,
        questions: Iterable[Asked],
        *,
        jobs: int,
        limits: Limits,
        recorder: RunRecorder | None = None,
    ) -> None:
        self.is_interrupted = False
        self._queue = iter(questions)
        self._jobs = jobs
        self._limits = limits
        self._recorder = recorder
        self._is_ending = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._begun = 0
        self._waiting = 0  # results that are not stored yet
        self._stored: deque[Callable[[], None]] = deque()
        self._error: BaseException | None = None

    async def run(
        self, report: Report, on_started: Callable[[Question], None] = lambda _: None
    ) -> None:
        """Ask all questions, or those that were started before `stop`.

        `report` is called with each question and its result when that is stored; `on_started` is called
        with each question before it is asked.
        """
        self._loop = asyncio.get_running_loop()
        self._report, self._on_started = report, on_started
        self._ended = asyncio.Event()
        for _ in range(self._jobs):
            self._start_worker()
        await self._ended.wait()
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """Cancel the running questions, and ask no more."""
        self.is_interrupted = True
        self._cancel_all()

    def start_no_more(self) -> None:
        """Ask no more; the running questions finish."""
        self._queue = iter(())

    def _cancel_all(self) -> None:
        self._is_ending = True
        for task in tuple(self._tasks):
            task.cancel()

    def _start_worker(self, stuck: tuple[Asked, Failure] | None = None) -> None:
        task = create_abandonable_task(self._run_worker(stuck))
        self._tasks.add(task)
        task.add_done_callback(self._on_worker_done)

    def _on_worker_done(self, task: asyncio.Task[None]) -> None:
        """Handle a worker that has ended, or is abandoned."""
        if task in self._tasks and task.done() and not task.cancelled():
            self._fail(task.exception())
        self._tasks.discard(task)
        self._end_if_done()

    def _end_if_done(self) -> None:
        if not self._tasks and not self._waiting:
            self._ended.set()

    async def _run_worker(self, stuck: tuple[Asked, Failure] | None) -> None:
        """Ask questions; `stuck` is that of a worker which this one replaces, and why it has no answer."""
        run_limits.set(self._limits)  # for judges, in this asyncio task only
        before: asyncio.Future[None] | None = None
        if stuck is not None:
            before = await self._save(stuck[0], unanswered(stuck[0].question, stuck[1]), before)
        while (asked := next(self._queue, None)) is not None:
            asked.order = self._begun
            self._begun += 1
            if self._is_ending:  # and the task turned its cancellation into an answer
                return
            self._on_started(asked.question)
            result = await (self._answer(asked) if asked.known is None else asked.known())
            before = await self._save(asked, result, before)

    async def _answer(self, asked: Asked) -> Result:
        """The result of a question: its answer is known, or is asked for, and scored."""
        recorder, question = self._recorder, asked.question
        answer: Answer | Failure | None = None
        if recorder is not None:
            try:
                asked.digests = recorder.digests(question)
            except Exception as error:  # noqa: BLE001  (the identity of a task is user code)
                answer = failure_from_error(question, error)
            else:
                answer = recorder.known(question, asked.digests)
        if answer is None:
            answer = await self._ask(asked)
            if recorder is not None and isinstance(answer, Answer):
                recorder.put_answer(question, asked.digests, answer)
        if isinstance(answer, Failure):
            return unanswered(question, answer)
        return await score_answer(question, answer, seconds=self._limits.timeout)

    async def _ask(self, asked: Asked) -> Answer | Failure:
        task: Any = asyncio.current_task()

        def go_on_without(failure: Failure) -> None:
            self._start_worker((asked, failure))
            self._tasks.discard(task)
            abandon_task(task)

        try:
            answer = await ask(asked.question, self._limits, on_stuck=go_on_without)
        except asyncio.CancelledError:
            if self._is_ending:
                raise
            while task.uncancel():  # other code cancelled it
                continue
            problem = "the task cancelled the asyncio task that runs it"
            answer = make_failure(asked.question, "raised", problem)
        if task not in self._tasks:  # another worker has taken over
            raise asyncio.CancelledError
        return answer

    async def _save(
        self, asked: Asked, result: Result, before: asyncio.Future[None] | None
    ) -> asyncio.Future[None] | None:
        """Save and report a result; returns what is done then, if it is not yet.

        With many workers and quick answers, each may be one question ahead: `before` is what is done
        when its last result is stored. If they all waited, their connections would be idle meanwhile,
        and SDKs scan all idle connections for each request.
        """
        question, recorder = asked.question, self._recorder
        if recorder is None:
            self._report(asked, result)
            return None
        is_stored = self._loop.create_future()
        finish = partial(self._on_stored, asked, result, is_stored)
        try:
            recorder.put_result_of(
                asked.group,
                question,
                result,
                digest=asked.digests[0],
                position=asked.position,
                on_saved=partial(self._finish_soon, finish),
            )
        except Exception as error:  # noqa: BLE001  (a case may be nested too deeply to be data)
            variant = "" if question.variant is None else f"[{question.variant}]"
            trial = f" #{question.trial}" if question.trials > 1 else ""
            name = f"{question.evaluation.name}{variant} {question.case.id}{trial}"
            problem = f"{name} could not be saved: {type(error).__name__}: {error}"
            recorder.problems.append(problem)
            self._report(asked, result)
            return before
        self._waiting += 1
        seconds = 0.0 if result.answer is None else result.answer.seconds
        is_strict = self._jobs <= _FEW_WORKERS or seconds >= _SLOW_SECONDS
        if is_strict or self._waiting >= len(self._tasks):
            recorder.flush_soon()  # no other worker will add to this transaction
        if before is not None:
            await before
        if is_strict:
            await is_stored
        return is_stored

    def _finish_soon(self, finish: Callable[[], None]) -> None:
        """Called in another thread when a result is stored; the loop is woken once for many."""
        self._stored.append(finish)
        if len(self._stored) == 1:
            self._loop.call_soon_threadsafe(self._finish_stored)

    def _finish_stored(self) -> None:
        # Results that arrive meanwhile do not wake the loop again.
        while self._stored:
            self._stored[0]()
            self._stored.popleft()

    def _on_stored(self, asked: Asked, result: Result, is_stored: asyncio.Future[None]) -> None:
        try:
            self._report(asked, result)
        except Exception as error:  # noqa: BLE001  (an error of a hook ends the run)
            self._fail(error)
        self._waiting -= 1
        if not is_stored.done():  # its worker may be cancelled
            is_stored.set_result(None)
        self._end_if_done()

    def _fail(self, error: BaseException | None) -> None:
        if error is not None:
            self._error = self._error or error
            self._cancel_all()
