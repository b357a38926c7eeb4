"""Asyncio tasks that nobody waits for any more, because they do not listen."""

from __future__ import annotations

import asyncio
import atexit
from contextlib import suppress
from contextvars import Context, copy_context
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Coroutine

__all__ = ["begin", "give_up"]

_Given = TypeVar("_Given")
_contexts: WeakKeyDictionary[asyncio.Task[Any], Context] = WeakKeyDictionary()
# Those that have not ended yet: asyncio itself might forget them.
_given_up: set[asyncio.Task[Any]] = set()


def begin(work: Coroutine[Any, Any, _Given]) -> asyncio.Task[_Given]:
    """A task that can be given up."""
    context = copy_context()
    task = asyncio.create_task(work, context=context)
    _contexts[task] = context
    return task


def give_up(task: asyncio.Task[Any]) -> None:
    """Wait no more for a task that was begun here, and want to know nothing of how it ends."""
    _given_up.add(task)
    task.add_done_callback(_forget)
    task.cancel()


def _forget(task: asyncio.Task[Any]) -> None:
    _given_up.discard(task)
    if not task.cancelled():
        task.exception()  # or asyncio would complain that nobody wanted to know


@atexit.register
def _close_all() -> None:
    """End them where they stand, each in its context; Python would do it anywhere, and complain."""
    while _given_up:
        task = _given_up.pop()
        task._log_destroy_pending = False  # type: ignore[attr-defined]  # noqa: SLF001  (asyncio has no public word for it)
        work: Any = task.get_coro()
        with suppress(BaseException):  # whatever somebody else's code does at its end
            _contexts[task].run(work.close)
