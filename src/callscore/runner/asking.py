"""Asks a task one question: threads, timeouts, retries; an answer or why there is none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Awaitable, Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from inspect import iscoroutinefunction
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.core.case import Case
from callscore.core.results import Answer, Usage
from callscore.evaluations.evaluation import Task
from callscore.evaluations.fingerprints import variant_keywords
from callscore.models.chat_task import Chat
from callscore.models.limits import is_transient, run_limits, with_retries
from callscore.models.secrets import hide_known_secrets
from callscore.models.timeouts import abandon_task, create_abandonable_task, run_in_daemon_thread
from callscore.models.usage import count_requests, usage_of
from callscore.runner.answers import (
    TaskExited,
    TaskTimeout,
    collect_stream,
    failure_from_error,
    make_failure,
    plain_document,
)
from callscore.runner.event_loop import SecondInterrupt

if TYPE_CHECKING:
    from callscore.core.results import Failure
    from callscore.evaluations.evaluation import Question
    from callscore.models.limits import Limits

__all__ = ["ask", "ask_in_task", "case_for_task"]

_BLOCKED = "nothing else could go on meanwhile, because an `async` task waits without `await`"
_GRACE_SECONDS = 1.0  # for a cancelled task to end


class _TaskCall(Struct, frozen=True):
    """A call of a task.

    Attributes:
        task: the task.
        case: its argument.
        keywords: its keyword arguments, from the variant.
        takes_interrupts: whether a KeyboardInterrupt can only come from the task.
        on_stuck: called if it ignores its timeout.
    """

    task: Task
    case: Case
    keywords: dict[str, Any]
    takes_interrupts: bool
    on_stuck: Callable[[TaskTimeout], None]

    @property
    def is_model(self) -> bool:
        """Whether the task is a `Chat`: it retries itself, and returns plain data."""
        return isinstance(self.task, Chat)

    @property
    def is_recorded(self) -> bool:
        """Whether the answers are recorded ones, which cost nothing now."""
        return hasattr(self.task, "identity") and not self.is_model

    def copy_of_case(self) -> Case:
        """A copy of the case for one attempt, which the task may change."""
        return self.case if self.is_model else _copy_case(self.case)


class _Document(Struct, frozen=True):
    """An answer that is plain data already."""

    document: Any


async def ask(
    question: Question, limits: Limits, *, takes_interrupts: bool = False
) -> Answer | Failure:
    """Ask a task one question.

    A task that is not a coroutine function runs in a thread. After a timeout a task that cannot be
    stopped continues in the background, but nothing waits for it, not even the end of the process.

    Args:
        question: the question.
        limits: how long an attempt may take, how often it is repeated after errors that may pass,
            and what paces the attempts.
        takes_interrupts: whether a KeyboardInterrupt can only come from the task, because
            Ctrl-C is handled elsewhere.
    """
    stuck: asyncio.Future[Failure] = asyncio.get_running_loop().create_future()
    work = create_abandonable_task(
        ask_in_task(question, limits, on_stuck=stuck.set_result, takes_interrupts=takes_interrupts)
    )
    try:
        await asyncio.wait((work, stuck), return_when=asyncio.FIRST_COMPLETED)
    finally:
        if not work.done():
            abandon_task(work)
    if stuck.done():
        return stuck.result()
    if work.cancelled():  # and nobody here has done it
        return make_failure(question, "raised", "the task cancelled the one that asked it")
    return work.result()


async def ask_in_task(
    question: Question,
    limits: Limits,
    *,
    on_stuck: Callable[[Failure], None],
    takes_interrupts: bool = False,
) -> Answer | Failure:
    """Like `ask`, in the current asyncio task.

    So there is no turn of the loop between one answer and the next question, which would leave all
    connections of an SDK idle for a moment, and make it look through them again and again.

    Args:
        question: the question.
        limits: as for `ask`.
        on_stuck: called where the time is over, and the task does not listen: there is this failure,
            and nobody should wait for this coroutine any more.
        takes_interrupts: whether a KeyboardInterrupt can only come from the task, because
            Ctrl-C is handled elsewhere.
    """
    call = _TaskCall(
        question.evaluation.task,
        case_for_task(question),
        variant_keywords(question),
        takes_interrupts,
        lambda error: on_stuck(failure_from_error(question, error)),
    )
    # What is paced here is not to be paced again by a chat inside of the task.
    token = run_limits.set(limits if call.is_model else replace(limits, rate=None))
    started = perf_counter()
    try:
        with count_requests() as asked:
            document, attempts = await _call_with_retries(call, limits)
    except (asyncio.CancelledError, KeyboardInterrupt, GeneratorExit):
        raise  # somebody wants all of this to end
    except BaseException as error:  # noqa: BLE001  (whatever a task of somebody else does)
        return failure_from_error(question, error)
    finally:
        run_limits.reset(token)
    if not call.is_model:  # which hides what it was sent itself
        document = hide_known_secrets(document)
    return Answer(
        document=document,
        seconds=perf_counter() - started - asked.waited,
        usage=_usage(call, document, asked.requests, attempts),
        attempts=attempts,
    )


def case_for_task(question: Question) -> Case:
    """The case as passed to the task, with the trial number if there are several."""
    case = question.case
    return replace(case, trial=question.trial) if question.trials > 1 else case


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
    """Copy dictionaries and lists of a variant; other objects, such as clients, are shared."""
    if value.__class__ is dict:
        return {key: _copy_value(member) for key, member in value.items()}
    if value.__class__ is list:
        return [_copy_value(member) for member in value]
    return value


def _usage(call: _TaskCall, document: Any, requests: int, attempts: int) -> Usage:
    """The usage of an answer: counted for a `Chat`, else as the answer reports it."""
    if call.is_recorded:
        return Usage()
    usage = usage_of(document)
    known = usage.requests + attempts - 1 if usage.requests else 0
    return replace(usage, requests=requests or known)


async def _call_with_retries(call: _TaskCall, limits: Limits) -> tuple[Any, int]:
    if call.is_model:
        return await _attempt(call, None), 1
    return await with_retries(
        lambda: _attempt(call, limits.timeout),
        limits=replace(limits, timeout=None),  # `_Timeout` also handles tasks that ignore it
        is_transient=_is_retryable,
    )


def _is_retryable(error: BaseException) -> bool:
    """Whether to retry; not after a timeout, which would happen again."""
    return not isinstance(error, TaskTimeout) and is_transient(error)


async def _attempt(call: _TaskCall, seconds: float | None) -> Any:
    """Call the task once.

    Raises:
        TaskTimeout: it timed out.
        TaskExited: it tried to end the process.
        UnreadableAnswer: its answer is not data.
        Exception: whatever it raised.
    """
    timeout = _Timeout(seconds, call.on_stuck)
    try:
        answered = await _call_contained(call)
        if timeout.is_cancelled_by_others:  # from within; raised at the next await
            await asyncio.sleep(0)
    except asyncio.CancelledError:
        timeout.raise_if_timed_out()
        if timeout.is_cancelled_by_others:
            raise
        raise RuntimeError("it was cancelled from within") from None
    except Exception:
        timeout.raise_if_timed_out()
        raise
    finally:
        timeout.cancel()
    timeout.raise_if_timed_out()
    return answered.document


class _Timeout:
    """Cancels the current asyncio task at a timeout, and reports tasks that ignore it.

    Like `asyncio.timeout`, which waits forever for a task that ignores its cancellation.
    """

    def __init__(self, seconds: float | None, on_stuck: Callable[[TaskTimeout], None]) -> None:
        self._on_stuck = on_stuck
        self._is_over = False
        self._timer: asyncio.TimerHandle | None = None
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  (a coroutine runs in one)
        self._task = task
        self._cancelling = task.cancelling()
        self._deadline = inf if seconds is None else task.get_loop().time() + seconds
        if seconds is not None:
            self._error = TaskTimeout(f"the task took more than {seconds:g} s and was given up")
            self._timer = task.get_loop().call_later(seconds, self._on_timeout)

    def _on_timeout(self) -> None:
        self._is_over = True
        self._task.cancel()
        self._timer = self._task.get_loop().call_later(_GRACE_SECONDS, self._on_stuck, self._error)

    @property
    def is_cancelled_by_others(self) -> bool:
        """Whether other code has cancelled the asyncio task."""
        return self._task.cancelling() > self._cancelling

    def raise_if_timed_out(self) -> None:
        """Raise if the timeout was reached, whatever the task did then.

        Raises:
            TaskTimeout: it timed out.
            CancelledError: it timed out, and other code has cancelled it, too.
        """
        if self._is_over:
            self._is_over = False
            if self._task.uncancel() > self._cancelling:
                raise asyncio.CancelledError
            raise self._error
        if self._task.get_loop().time() > self._deadline:  # and the timer could not run
            raise TaskTimeout(f"{self._error}: {_BLOCKED}")

    def cancel(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()


async def _call_contained(call: _TaskCall) -> _Document:
    """The answer; SystemExit and KeyboardInterrupt become ordinary errors."""
    running = asyncio.current_task()
    try:
        return await _call_to_document(call)
    except GeneratorExit as error:
        if asyncio.current_task() is not running:  # this is being closed
            raise
        raise RuntimeError("GeneratorExit") from error
    except SystemExit as error:
        raise TaskExited(f"the task wanted to end the process: sys.exit({error.code!r})") from error
    except KeyboardInterrupt as error:
        if isinstance(error, SecondInterrupt) or not call.takes_interrupts:
            raise
        raise TaskExited("the task wanted to end the process: KeyboardInterrupt") from error


async def _call_to_document(call: _TaskCall) -> _Document:
    returned = await _call_task(call)
    if call.is_model:
        return _Document(returned)
    returned = await collect_stream(returned)
    if isinstance(returned, _Document):
        return returned
    if isinstance(returned, Iterator):  # a stream, which waits for what comes
        return _Document(await run_in_daemon_thread(plain_document, returned))
    return _Document(plain_document(returned))


async def _call_task(call: _TaskCall) -> Any:
    """Call the task, and await its result if it is awaitable."""
    task = call.task
    if iscoroutinefunction(task) or iscoroutinefunction(getattr(type(task), "__call__", None)):  # noqa: B004  (not whether it can be called, but how)
        return await task(call.copy_of_case(), **_copy_value(call.keywords))
    returned = await run_in_daemon_thread(_call_in_thread, call)
    return await returned if isinstance(returned, Awaitable) else returned


def _call_in_thread(call: _TaskCall) -> Any:
    """Call a plain function; its result as plain data, unless it must be awaited."""
    returned = call.task(call.copy_of_case(), **_copy_value(call.keywords))
    if isinstance(returned, Awaitable | AsyncIterable):
        return returned
    return _Document(plain_document(returned))
