"""Work that may never end: code in daemon threads, and asyncio tasks to be abandoned."""

from __future__ import annotations

import atexit
from contextlib import suppress
from contextvars import Context, copy_context
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from asyncio import Future, Task
    from collections.abc import Callable, Coroutine

__all__ = ["abandon_task", "create_abandonable_task", "run_in_daemon_thread", "run_with_timeout"]


# Runs what blocks in threads that no process waits for.

_Result = TypeVar("_Result")


async def run_in_daemon_thread(function: Callable[..., _Result], *arguments: Any) -> _Result:
    """Run a function that may block, in a daemon thread, and await its result.

    It runs in a thread of its own. One that is not waited for any more goes on for as long as the
    process lives, and does not keep it alive, as a thread of a pool would.

    Raises:
        BaseException: whatever the function raises.
    """
    import asyncio

    loop = asyncio.get_running_loop()
    future: Future[Any] = loop.create_future()
    context = copy_context()

    def run() -> None:
        result: Any = None
        raised: BaseException | None = None
        try:
            result = context.run(function, *arguments)
        except BaseException as error:  # noqa: BLE001  (it is raised where it is waited for)
            raised = error
        try:
            loop.call_soon_threadsafe(_set_outcome, future, (result, raised))
        except RuntimeError:  # the loop is closed: no one is waiting
            return

    Thread(target=run, daemon=True, name="callscore-task").start()
    outcome: tuple[_Result, BaseException | None] = await future
    result, raised = outcome
    if raised is not None:
        raise raised
    return result


def _set_outcome(future: Future[Any], outcome: Any) -> None:
    if not future.done():
        future.set_result(outcome)


def run_with_timeout(function: Callable[[], _Result], seconds: float | None) -> _Result:
    """Run a function that may block, with a timeout.

    Args:
        function: what is called, in a thread of its own where the time is limited.
        seconds: the timeout; None for no limit.

    Raises:
        TimeoutError: it took longer; it goes on without anybody waiting for it.
        BaseException: whatever the function raises.
    """
    if seconds is None:
        return function()
    from concurrent.futures import Future, wait

    future: Future[_Result] = Future()
    context = copy_context()

    def run() -> None:
        try:
            future.set_result(context.run(function))
        except BaseException as error:  # noqa: BLE001  (it is raised where it is waited for)
            future.set_exception(error)

    Thread(target=run, daemon=True, name="callscore-request").start()
    if not wait([future], seconds).done:  # what the function raises may be a TimeoutError, too
        raise TimeoutError(f"there was no answer within {seconds:g} s")
    return future.result()


# Asyncio tasks that are abandoned because they ignore cancellation.

_Given = TypeVar("_Given")
_task_contexts: WeakKeyDictionary[Task[Any], Context] = WeakKeyDictionary()
# Those that have not ended yet: asyncio itself might forget them.
_abandoned: set[Task[Any]] = set()


def create_abandonable_task(work: Coroutine[Any, Any, _Given]) -> Task[_Given]:
    """Start a task that can be abandoned."""
    import asyncio

    context = copy_context()
    task = asyncio.create_task(work, context=context)
    _task_contexts[task] = context
    return task


def abandon_task(task: Task[Any]) -> None:
    """Cancel a task without waiting for it; its result and its exception are ignored."""
    _abandoned.add(task)
    task.add_done_callback(_discard)
    task.cancel()


def _discard(task: Task[Any]) -> None:
    _abandoned.discard(task)
    if not task.cancelled():
        task.exception()  # retrieved, or asyncio would log a warning


@atexit.register
def _close_abandoned() -> None:
    """Close the remaining coroutines, each in its own context, to avoid warnings at exit."""
    while _abandoned:
        task = _abandoned.pop()
        task._log_destroy_pending = False  # type: ignore[attr-defined]  # noqa: SLF001  (asyncio has no public word for it)
        work: Any = task.get_coro()
        with suppress(BaseException):  # user code may raise anything
            _task_contexts[task].run(work.close)
