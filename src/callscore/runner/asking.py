"""Asks tasks: workers for the questions of a run, each call with time limits and retries."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterable, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import partial
from inspect import iscoroutinefunction
from time import perf_counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.case import Case
from callscore.core.results import Answer, Failure, Result, Usage
from callscore.evaluations.evaluation import Question, Task
from callscore.evaluations.fingerprints import variant_keywords
from callscore.models.chat_task import Chat
from callscore.models.limits import (
    Limits,
    abandon_task,
    create_abandonable_task,
    is_transient,
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
    from callscore.evaluations.plan import Group
    from callscore.runner.resuming import RunRecorder

    Report = Callable[[int, int, Question, Result], None]

_BLOCKED = "an `async` task blocked the event loop by waiting without `await`"
_GRACE_SECONDS = 1.0  # for a cancelled task to end


class _TaskCall(Struct, frozen=True):
    """A call of a task.

    Attributes:
        keywords: keyword arguments from the variant.
        is_model: whether the task is a `Chat`, which does its own retries and returns plain data.
        on_stuck: called if the task ignores its timeout.
    """

    task: Task
    case: Case
    keywords: dict[str, Any]
    is_model: bool
    on_stuck: Callable[[TaskTimeout], None]

    def arguments(self) -> tuple[Case, dict[str, Any]]:
        """Copies of the case and the keywords, so that one attempt cannot change the next."""
        return self.case if self.is_model else _copy_case(self.case), _copy_value(self.keywords)


async def ask_in_task(
    question: Question,
    limits: Limits,
    *,
    on_stuck: Callable[[Failure], None],
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
    call = _TaskCall(
        task,
        case_for_task(question),
        variant_keywords(question),
        isinstance(task, Chat),
        lambda error: on_stuck(failure_from_error(question, error)),
    )
    # A chat inside the task must not apply the rate limit again.
    token = run_limits.set(limits if call.is_model else replace(limits, rate=None))
    started = perf_counter()
    try:
        with count_requests() as asked:
            document, attempts = await _call_with_retries(call, limits)
    except (asyncio.CancelledError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001  (a task may raise anything)
        return failure_from_error(question, error)
    finally:
        run_limits.reset(token)
    usage = Usage()
    if call.is_model or not hasattr(task, "identity"):  # a recorded answer has none
        usage = usage_of(document)
        known = usage.requests + attempts - 1 if usage.requests else 0
        usage = replace(usage, requests=asked.requests or known)
    return Answer(
        document=document,
        seconds=perf_counter() - started - asked.waited,
        usage=usage,
        attempts=attempts,
    )


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


async def _call_with_retries(call: _TaskCall, limits: Limits) -> tuple[Any, int]:
    if call.is_model:
        return await _attempt(call, None), 1
    return await with_retries(
        lambda: _attempt(call, limits.timeout),
        limits=replace(limits, timeout=None),  # `_attempt` also handles tasks that ignore it
        # Another attempt would time out again.
        is_transient=lambda error: not isinstance(error, TaskTimeout) and is_transient(error),
    )


async def _attempt(call: _TaskCall, seconds: float | None) -> Any:
    """Call the task once; raises TaskTimeout, TaskExited, UnreadableAnswer, or the task's error.

    `asyncio.timeout` waits forever for a task that ignores its cancellation: that is reported as stuck.
    """
    running = asyncio.current_task()
    assert running is not None  # noqa: S101  (a coroutine runs in one)
    cancelling, timeout, stuck = running.cancelling(), asyncio.timeout(seconds), None
    late = f"the task took more than {seconds or 0:g} s"
    if seconds is not None:
        wait = running.get_loop().call_later
        stuck = wait(seconds + _GRACE_SECONDS, call.on_stuck, TaskTimeout(late))
    try:
        async with timeout:
            document = await _call_contained(call)
            if running.cancelling() > cancelling:  # from within; raised at the next await
                await asyncio.sleep(0)
    except asyncio.CancelledError:
        if running.cancelling() > cancelling:
            raise
        raise RuntimeError("it was cancelled by its own code") from None
    except Exception:
        _raise_if_late(timeout, late)
        raise
    finally:
        if stuck is not None:
            stuck.cancel()
    _raise_if_late(timeout, late)
    return document


def _raise_if_late(timeout: asyncio.Timeout, late: str) -> None:
    """Raise TaskTimeout after the timeout, also if its timer could not run."""
    if timeout.expired():
        raise TaskTimeout(late)
    deadline = timeout.when()
    if deadline is not None and asyncio.get_running_loop().time() > deadline:
        raise TaskTimeout(f"{late}: {_BLOCKED}")


async def _call_contained(call: _TaskCall) -> Any:
    """The answer; SystemExit and KeyboardInterrupt become ordinary errors."""
    running = asyncio.current_task()
    try:
        return await _call_task(call)
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


async def _call_task(call: _TaskCall) -> Any:
    """Call the task, in a thread if it is a plain function; returns plain data."""
    task = call.task
    if iscoroutinefunction(task) or iscoroutinefunction(getattr(type(task), "__call__", None)):  # noqa: B004  (not whether it can be called, but how)
        case, keywords = call.arguments()
        returned = await task(case, **keywords)
    else:
        is_plain, returned = await run_in_daemon_thread(_call_in_thread, call)
        if is_plain:
            return returned
        if isinstance(returned, Awaitable):
            returned = await returned
    if call.is_model:
        return returned
    returned = await collect_stream(returned)
    if isinstance(returned, Iterator):  # a stream, which blocks
        return await run_in_daemon_thread(plain_document, returned)
    return plain_document(returned)


def _call_in_thread(call: _TaskCall) -> tuple[bool, Any]:
    """Call a plain function; its result, as plain data (then True) unless it must be awaited."""
    case, keywords = call.arguments()
    returned = call.task(case, **keywords)
    if isinstance(returned, Awaitable | AsyncIterable):
        return False, returned
    return True, plain_document(returned)


# Up to this many workers, or for answers that took this long, waiting for the disk costs nothing.
_FEW_WORKERS = 16
_SLOW_SECONDS = 1.0


class _ActiveQuestion(Struct):
    """A question that is being asked, with the number of its group and its position there.

    Attributes:
        digests: of the question and of the code of its task, if the run is recorded.
        is_stuck: whether its answer is not awaited any more.
    """

    group: int
    position: int
    question: Question
    digests: tuple[str, str] = ("", "")
    is_stuck: bool = False


class Workers:
    """Asks the questions of a run, `jobs` at once; without a recorder nothing is recorded.

    Attributes:
        is_interrupted: whether `stop` was called.
    """

    def __init__(
        self, groups: Sequence[Group], *, jobs: int, limits: Limits, recorder: RunRecorder | None
    ) -> None:
        self.is_interrupted = False
        self._queue: Iterator[tuple[int, int, Question]] = (
            (number, position, question)
            for number, group in enumerate(groups)
            for position, question in enumerate(group.questions)
        )
        self._jobs = jobs
        self._limits = limits
        self._recorder = recorder
        self._is_ending = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting = 0  # results that are not stored yet
        self._stored: deque[tuple[Callable[[], None], asyncio.Future[None]]] = deque()
        self._pending_by_job: dict[int, asyncio.Future[None]] = {}
        self._error: BaseException | None = None

    async def run(
        self, report: Report, on_started: Callable[[Question], None] = lambda _: None
    ) -> None:
        """Ask all questions, or those that were started before `stop`.

        `report` is called when a result is stored, with the number of its group, its position there,
        the question, and the result; `on_started` is called with each question before it is asked.
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

    def start_no_more(self) -> None:
        """Ask no more; the running questions finish."""
        self._queue = iter(())

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

    async def _run_worker(
        self, job: int, stuck: tuple[_ActiveQuestion, Failure] | None = None
    ) -> None:
        """Ask questions; `stuck` is that of a worker which this one replaces, and why it has no answer."""
        run_limits.set(self._limits)  # for judges, in this asyncio task only
        if stuck is not None:
            await self._finish(job, *stuck)
        while (asked := next(self._queue, None)) is not None:
            active = _ActiveQuestion(*asked)
            if self._is_ending:  # and the task turned its cancellation into an answer
                return
            self._started(active.question)
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
            recorder.put_answer(question, active.digests, answer)
        return answer

    async def _ask(self, job: int, active: _ActiveQuestion) -> Answer | Failure:
        question = active.question
        task: Any = asyncio.current_task()

        def go_on_without(failure: Failure) -> None:
            active.is_stuck = True
            self._start_worker(self._run_worker(job, (active, failure)))
            self._on_worker_done(task)
            abandon_task(task)

        try:
            return await ask_in_task(question, self._limits, on_stuck=go_on_without)
        except asyncio.CancelledError:
            if self._is_ending:
                raise
            while task.uncancel():  # other code cancelled it
                continue
            return make_failure(
                question, "raised", "the task cancelled the asyncio task that runs it"
            )

    async def _finish(self, job: int, active: _ActiveQuestion, answer: Answer | Failure) -> None:
        question, recorder = active.question, self._recorder
        if isinstance(answer, Failure):
            result = unanswered(question, answer)
        else:
            result = await score_answer(question, answer, seconds=self._limits.timeout)
        report = partial(self._report, active.group, active.position, question, result)
        if recorder is None:
            report()
            return
        is_kept = self._loop.create_future()
        try:
            recorder.put_result_of(
                active.group,
                question,
                result,
                digest=active.digests[0],
                position=active.position,
                on_saved=partial(self._on_stored, report, is_kept),
            )
        except Exception as error:  # noqa: BLE001  (a case may be nested too deeply to be data)
            variant = "" if question.variant is None else f"[{question.variant}]"
            trial = f" #{question.trial}" if question.trials > 1 else ""
            name = f"{question.evaluation.name}{variant} {question.case.id}{trial}"
            problem = f"{name} could not be saved: {type(error).__name__}: {error}"
            recorder.problems.append(problem)
            report()
            return
        self._waiting += 1  # the loop reports it only later
        seconds = 0.0 if result.answer is None else result.answer.seconds
        await self._wait_until_stored(job, is_kept, recorder, seconds)

    async def _wait_until_stored(
        self, job: int, is_kept: asyncio.Future[None], recorder: RunRecorder, seconds: float
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

    def _on_stored(self, report: Callable[[], None], is_kept: asyncio.Future[None]) -> None:
        """Called in another thread when a result is stored; the loop is woken once for many."""
        self._stored.append((report, is_kept))
        if len(self._stored) == 1:
            self._loop.call_soon_threadsafe(self._report_stored)

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
