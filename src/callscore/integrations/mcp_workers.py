"""The processes in which the server runs tools.

A valid comparison can take minutes, and the size of the input does not predict it. So a call that takes too
long is stopped, with its process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from callscore.history.postgres import STORE_VARIABLE
from callscore.integrations.history_tools import SERVED_TOOLS
from callscore.integrations.tools import AgentTool, ToolAnswer, run_tool
from callscore.processes import Process, ProcessEnded

if TYPE_CHECKING:
    from anyio import CapacityLimiter


SECONDS_PER_CALL = 10.0
PLACES = 5
MOST_WAITING = 16
_START_SECONDS = 60.0  # for a process to import its modules
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
        self._places: CapacityLimiter | None = None

    def close(self) -> None:
        """End the processes that wait for a call."""
        while self._idle:
            self._idle.pop().end()

    async def answer(self, tool: AgentTool, arguments: Any) -> ToolAnswer:
        """The answer of a tool, or why there is none; cancelling this ends the process."""
        import anyio
        from anyio.to_thread import run_sync

        places = self._places = self._places or anyio.CapacityLimiter(PLACES)
        busy = _refusal("the server is busy. Try again in a moment, or send a shorter call.")
        is_full = places.statistics().tasks_waiting >= MOST_WAITING
        with anyio.move_on_after(0 if is_full else SECONDS_PER_CALL) as waiting:
            await places.acquire()
        if waiting.cancelled_caught:
            return busy
        seconds = tool.seconds or self._seconds
        run = partial(run_sync, abandon_on_cancel=True)
        try:
            with self._process() as process:
                with anyio.fail_after(_START_SECONDS):
                    await run(process.call, begin, self._store)
                with anyio.fail_after(seconds):
                    return ToolAnswer(*await run(process.call, run_call, tool.name, arguments))
        except (TimeoutError, ProcessEnded) as error:
            how = f"the call took more than {seconds:g} s and was stopped"
            if isinstance(error, ProcessEnded):
                how = "the worker process ended unexpectedly"
            return _refusal(f"{how}. {tool.if_slow}")
        finally:
            places.release()

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


def _refusal(problem: str) -> ToolAnswer:
    return ToolAnswer({"error": problem}, is_error=True)
