"""The processes in which the server runs tools: slow calls delay quick ones only for a moment.

A valid comparison can take minutes, and the size of the input does not predict it. So a call that is
not done after a moment gives way as soon as another one waits for a place, unless it is one of the two
oldest. The other places are thus free again within a moment, whatever is sent.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from math import ceil, inf
from typing import TYPE_CHECKING, Any

from callscore.history.postgres import STORE_VARIABLE
from callscore.integrations.history_tools import SERVED_TOOLS
from callscore.integrations.tools import AgentTool, ToolAnswer, run_tool
from callscore.processes import Process, ProcessEnded

if TYPE_CHECKING:
    from anyio import CancelScope


SECONDS_PER_CALL = 10.0
QUICK_SECONDS = 0.5  # before a call gives way
PLACES = 5
SLOW_PLACES = 2  # of those, for calls that do not give way
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


class Workers:
    """Processes that run tools, and end with this one; `seconds` is the timeout of a call.

    `store` is the history that they read; by default that of the project.
    """

    def __init__(self, seconds: float = SECONDS_PER_CALL, *, store: str | None = None) -> None:
        self._seconds = seconds
        self._store = store
        self._idle: list[Process] = []
        self._waiting: list[CancelScope] = []
        self._running: dict[CancelScope, float] = {}  # the oldest first, and when it may give way

    def close(self) -> None:
        """End the processes that wait for a call."""
        while self._idle:
            self._idle.pop().end()

    async def answer(self, tool: AgentTool, arguments: Any) -> ToolAnswer:
        """The answer of a tool, or why there is none; cancelling this ends the process."""
        import anyio
        from anyio.to_thread import run_sync

        call = anyio.CancelScope()
        if not await self._enter(call):
            return self._busy("the server is busy: too many calls are waiting.")
        seconds = tool.seconds or self._seconds
        run = partial(run_sync, abandon_on_cancel=True)
        try:
            with call, self._process() as process:
                with anyio.fail_after(_START_SECONDS):
                    await run(process.call, begin, self._store)
                now = anyio.current_time()
                self._running[call], call.deadline = now + QUICK_SECONDS, now + seconds
                return ToolAnswer(*await run(process.call, run_call, tool.name, arguments))
        except (ProcessEnded, TimeoutError):
            return _refusal(f"the worker process ended unexpectedly. {tool.if_slow}")
        finally:
            del self._running[call]
        late = f"the call took more than {seconds:g} s and was stopped. {tool.if_slow}"
        is_late = anyio.current_time() >= call.deadline
        return (
            _refusal(late) if is_late else self._busy("the server is busy with other slow calls.")
        )

    async def _enter(self, call: CancelScope) -> bool:
        """Wait in the queue for a place; False if too many wait, or it takes too long."""
        import anyio

        if len(self._waiting) >= MOST_WAITING:
            return False
        self._waiting.append(call)
        try:
            with anyio.move_on_after(SECONDS_PER_CALL):
                while self._waiting[0] is not call or len(self._running) >= PLACES:
                    for slow in list(self._running)[SLOW_PLACES:]:
                        if self._running[slow] < anyio.current_time():
                            slow.cancel()
                    await anyio.sleep(_TICK)
                self._running[call] = inf
        finally:
            self._waiting.remove(call)
        return call in self._running

    @contextmanager
    def _process(self) -> Iterator[Process]:
        """A process, which is used again if it has answered."""
        while self._idle and not self._idle[-1].is_running:
            self._idle.pop().end()
        process = self._idle.pop() if self._idle else Process()
        try:
            yield process
        except BaseException:
            process.end()
            raise
        self._idle.append(process)

    def _busy(self, problem: str) -> ToolAnswer:
        import anyio

        first = min([call.deadline for call in self._running], default=0.0)
        seconds = ceil(min(max(first - anyio.current_time(), 1.0), self._seconds))
        return _refusal(f"{problem} Try again in {seconds} s, or send a shorter call.")


def _refusal(problem: str) -> ToolAnswer:
    return ToolAnswer({"error": problem}, is_error=True)
