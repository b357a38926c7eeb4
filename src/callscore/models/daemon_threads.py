"""Runs what blocks in threads that no process waits for."""

from __future__ import annotations

from contextvars import copy_context
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import Callable

__all__ = ["in_daemon_thread", "in_time"]

_Result = TypeVar("_Result")


async def in_daemon_thread(function: Callable[..., _Result], *arguments: Any) -> _Result:
    """What a function returns that may block for long, or for ever.

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
            loop.call_soon_threadsafe(_settle, future, (result, raised))
        except RuntimeError:  # the loop is closed, and nobody waits
            return

    Thread(target=run, daemon=True, name="callscore-task").start()
    outcome: tuple[_Result, BaseException | None] = await future
    result, raised = outcome
    if raised is not None:
        raise raised
    return result


def _settle(future: Future[Any], outcome: Any) -> None:
    if not future.done():
        future.set_result(outcome)


def in_time(function: Callable[[], _Result], seconds: float | None) -> _Result:
    """What a function returns that may block for long, waited for in this thread and not for ever.

    Args:
        function: what is called, in a thread of its own where the time is limited.
        seconds: how long it may take; None for ever.

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
