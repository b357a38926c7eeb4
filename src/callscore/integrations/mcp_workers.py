"""The processes in which the server runs tools: slow calls do not delay quick ones.

A valid comparison can take minutes, and the size of the input does not predict it. So every call
begins in a quick place. One that is not done after a moment moves to a slow place if there is one;
if not, it gives way as soon as another call waits. Quick places are thus free again within a
moment, whatever is sent.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cached_property
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, Any

from callscore.history.environment import STORE_VARIABLE
from callscore.integrations.history_tools import SERVED_TOOLS
from callscore.integrations.tools import ToolAnswer, run_tool
from callscore.processes import Process, ProcessEnded

if TYPE_CHECKING:
    from anyio import CancelScope, Semaphore

    from callscore.integrations.tools import AgentTool

__all__ = ["Workers", "begin", "limit_memory", "run_call"]

SECONDS_PER_CALL = 10.0
QUICK_SECONDS = 0.5  # in a quick place, if another call waits
QUICK_PLACES = 3
SLOW_PLACES = 2
MOST_WAITING = 16
_START_SECONDS = 60.0  # for a process to import its modules
_TICK = 0.05  # seconds between two looks at a call that takes long
_LARGEST_MEMORY = 2 << 30  # bytes


# --- in a process -------------------------------------------------------------------------------


def begin(store: str | None) -> None:
    """Prepare a process for calls, which read the history `store`, or that of the project."""
    limit_memory()
    if store is not None:
        os.environ[STORE_VARIABLE] = store


def limit_memory() -> None:
    """Limit the memory of this process, where the system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        is_lower = hard != resource.RLIM_INFINITY and hard < _LARGEST_MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (hard if is_lower else _LARGEST_MEMORY, hard))


def run_call(name: str, arguments: Any) -> tuple[dict[str, Any], bool]:
    """The answer of a tool, and whether it is an error."""
    try:
        found = run_tool(SERVED_TOOLS[name], arguments)
    except MemoryError:  # the server answers that the process ended
        os._exit(1)
    return found.content, found.is_error


# --- in the server ------------------------------------------------------------------------------


class _Call:
    """A call in its place."""

    def __init__(self, tool: AgentTool, seconds: float) -> None:
        self.tool = tool
        self.seconds = seconds
        self.deadline = 0.0
        self.gave_way = False
        self.found: ToolAnswer | None = None


class Workers:
    """Processes that run tools; `seconds` is the timeout of a call.

    `store` is the history that they read; by default that of the project. They end with this process, however it ends.
    """

    def __init__(self, seconds: float = SECONDS_PER_CALL, *, store: str | None = None) -> None:
        self._seconds = seconds
        self._store = store
        self._idle: list[Process] = []
        self._waiting = 0
        self._slow: list[_Call] = []

    @cached_property
    def _quick(self) -> Semaphore:
        import anyio  # it comes with the extra

        return anyio.Semaphore(QUICK_PLACES)

    def close(self) -> None:
        """End the processes that wait for a call."""
        while self._idle:
            self._idle.pop().end()

    async def answer(self, tool: AgentTool, arguments: Any) -> ToolAnswer:
        """The answer of a tool, or why there is none; cancelling this ends the process."""
        if not await self._enter():
            return self._busy("the server is busy: too many calls are waiting.")
        call = _Call(tool, tool.seconds or self._seconds)
        process = None
        try:
            process = self._take()
            problem = await self._run(call, process, arguments)
        finally:
            if call in self._slow:
                self._slow.remove(call)
            else:
                self._quick.release()
            if process is not None and call.found is not None:
                self._idle.append(process)
            elif process is not None:
                process.end()
        if call.gave_way:
            return self._busy("the server is busy with other slow calls.")
        return call.found or _refusal(f"{problem} {tool.if_slow}")

    async def _enter(self) -> bool:
        """Wait for a quick place; False if too many wait, or it takes too long."""
        import anyio

        if self._waiting >= MOST_WAITING:
            return False
        self._waiting += 1
        try:
            with anyio.move_on_after(SECONDS_PER_CALL) as wait:
                await self._quick.acquire()
        finally:
            self._waiting -= 1
        return not wait.cancelled_caught

    def _take(self) -> Process:
        while self._idle:
            process = self._idle.pop()
            if process.is_running:
                return process
            process.end()
        return Process()

    async def _run(self, call: _Call, process: Process, arguments: Any) -> str:
        """Run a call; returns why it has no answer if it has none."""
        import anyio
        from anyio.to_thread import run_sync

        ended = "the worker process ended unexpectedly."
        try:
            with anyio.fail_after(_START_SECONDS):
                await run_sync(process.call, begin, self._store, abandon_on_cancel=True)
        except (ProcessEnded, TimeoutError):
            return ended
        call.deadline = monotonic() + call.seconds
        with anyio.move_on_after(call.seconds) as limit:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._watch, call, tasks.cancel_scope)
                name = call.tool.name
                with suppress(ProcessEnded):
                    call.found = ToolAnswer(
                        *await run_sync(
                            process.call, run_call, name, arguments, abandon_on_cancel=True
                        )
                    )
                tasks.cancel_scope.cancel()
        is_late = limit.cancelled_caught
        return f"the call took more than {call.seconds:g} s and was stopped." if is_late else ended

    async def _watch(self, call: _Call, scope: CancelScope) -> None:
        """Move a call to a slow place after a moment; without one, stop it when another call waits."""
        import anyio

        await anyio.sleep(QUICK_SECONDS)
        while len(self._slow) >= SLOW_PLACES:
            if self._waiting and not self._quick.value:
                call.gave_way = True
                scope.cancel()
                return
            await anyio.sleep(_TICK)
        self._slow.append(call)
        self._quick.release()

    def _busy(self, problem: str) -> ToolAnswer:
        is_full = len(self._slow) >= SLOW_PLACES
        first = min((call.deadline for call in self._slow), default=0.0) if is_full else 0.0
        seconds = max(ceil(first - monotonic()), 1)
        return _refusal(f"{problem} Try again in {seconds} s, or send a shorter call.")


def _refusal(problem: str) -> ToolAnswer:
    return ToolAnswer({"error": problem}, is_error=True)
