"""The event loop that tasks run in, its threads, and how it handles Ctrl-C."""

from __future__ import annotations

import asyncio
import atexit
import os
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from types import FrameType

_Result = TypeVar("_Result")
_GRACE_SECONDS = 1.0  # for cancelled tasks to end
# A second Ctrl-C within this time is the same one: `timeout` and some terminals signal a process
# and its group, so that it arrives twice.
_SAME_PRESS_SECONDS = 0.3


class SecondInterrupt(KeyboardInterrupt):
    """Raised by the second Ctrl-C; distinguishes it from a KeyboardInterrupt of a task."""


class DaemonExecutor(ThreadPoolExecutor):
    """Runs each function in a thread that does not keep the process from ending.

    Python waits at exit for the threads of other executors: one hung call of `asyncio.to_thread` in a
    task would hang the whole program.
    """

    def submit(self, fn: Callable[..., _Result], /, *args: Any, **kwargs: Any) -> Future[_Result]:
        """Run a function with these arguments in a thread of its own."""
        future: Future[_Result] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001  (the future passes it on)
                future.set_exception(error)
            else:
                future.set_result(result)

        threading.Thread(target=run, name="callscore-task", daemon=True).start()
        return future


def run_until_done(
    main: Callable[[], Coroutine[Any, Any, _Result]], on_interrupt: Callable[[], None]
) -> _Result:
    """Run a coroutine until it is done; in another thread if this one has a running loop.

    `on_interrupt` is called in the loop at the first Ctrl-C, and must make the coroutine end. A second
    Ctrl-C ends everything at once.

    Raises:
        SecondInterrupt: there was a second Ctrl-C.
    """
    loop = _idle_loops.pop() if _idle_loops else asyncio.new_event_loop()
    with _handle_interrupts(lambda: loop.call_soon_threadsafe(on_interrupt)):
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return _run(loop, main)
        ended: Future[_Result] = DaemonExecutor().submit(_run, loop, main)
        return ended.result()


def _run(
    loop: asyncio.AbstractEventLoop, main: Callable[[], Coroutine[Any, Any, _Result]]
) -> _Result:
    loop.set_default_executor(DaemonExecutor())
    task = loop.create_task(main())
    try:
        while not task.done():
            try:
                loop.run_until_complete(task)
            except SystemExit:
                # Raised by a background task of an agent: asyncio does not catch it.
                if task.done():
                    raise
        left = asyncio.all_tasks(loop)
        for each in left:
            each.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=_GRACE_SECONDS))
    except BaseException:  # its tasks must not continue in the next run
        loop.set_exception_handler(lambda *_: None)  # of tasks that the same exception has ended
        _close(loop)
        raise
    if _idle_loops:
        _close(loop)
    else:
        _silence_pending(loop)
        _idle_loops.append(loop)
    return task.result()


@contextmanager
def _handle_interrupts(on_first: Callable[[], object]) -> Iterator[None]:
    """The first Ctrl-C stops gracefully, the second one at once."""
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)
    if not is_main or before in (signal.SIG_IGN, None):  # Ctrl-C is ignored or handled elsewhere
        yield
        return
    first = 0.0

    def interrupt(number: int, frame: FrameType | None) -> None:
        del number, frame
        nonlocal first
        now = monotonic()
        if not first:
            first = now
            on_first()
        elif now - first > _SAME_PRESS_SECONDS:
            raise SecondInterrupt

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
        if first:  # a duplicate must not stop the recorder
            sleep(max(first + _SAME_PRESS_SECONDS / 2 - monotonic(), 0.0))
    finally:
        signal.signal(signal.SIGINT, before)


# The event loop of the last run, for the next one. SDK clients belong to the loop in which they were
# first used; a client at module level must work in the second run of a notebook, too.
_idle_loops: list[asyncio.AbstractEventLoop] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle_loops.clear)


@atexit.register
def close_idle_loop() -> None:
    """Close the loop and its clients at the end of the program."""
    while _idle_loops:
        loop = _idle_loops.pop()
        ending = loop.create_task(loop.shutdown_asyncgens())
        loop.run_until_complete(asyncio.wait((ending,), timeout=_GRACE_SECONDS))
        _close(loop)


def _close(loop: asyncio.AbstractEventLoop) -> None:
    _silence_pending(loop)
    loop.close()


def _silence_pending(loop: asyncio.AbstractEventLoop) -> None:
    """Suppress the warnings of asyncio about tasks that did not end."""
    for task in asyncio.all_tasks(loop):
        task._log_destroy_pending = False  # type: ignore[attr-defined]  # noqa: SLF001  (asyncio has no public name for it)
