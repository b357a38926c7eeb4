"""The processes in which the server runs tools, in two lanes: slow calls do not delay quick ones.

A valid comparison can take minutes, and the size of the input does not predict it. So every call
begins in the quick lane. One that is not done after a moment moves to the slow lane if that has a
place; if not, it gives way as soon as another call waits. A place of the quick lane is thus free
again within a moment, whatever is sent. One place is only for short calls. The queue is bounded; in
it, short calls are first.
"""

from __future__ import annotations

import marshal
import os
import sys
from bisect import insort
from contextlib import suppress
from itertools import count
from math import ceil
from queue import SimpleQueue
from subprocess import PIPE, Popen
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from callscore.history.environment import STORE_VARIABLE
from callscore.integrations.history_tools import SERVED_TOOLS
from callscore.integrations.tools import ToolAnswer, run_tool

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import BinaryIO, Self

    from anyio import Event

    from callscore.integrations.tools import AgentTool

__all__ = ["Workers", "limit_memory", "run_worker"]

SECONDS_PER_CALL = 10.0
QUICK_SECONDS = 0.5  # in the quick lane, if another call waits
QUICK_PLACES = 3
SHORT = 10_000  # bytes of a call; one of the quick places is only for those
SLOW_PLACES = 2
MOST_WAITING = 16
_START_SECONDS = 60.0  # for a process to import its modules
_TICK = 0.05  # seconds between two looks at a call that takes long
_LARGEST_MEMORY = 2 << 30  # bytes
_LENGTH = 8  # bytes for the length of each message
_READY = "ready"
# The worker finds its modules where this process did, not in its working directory.
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[1:];"
    " import callscore.integrations.mcp_workers as workers;"
    " workers.limit_memory(); workers.run_worker()"
)


# --- messages -----------------------------------------------------------------------------------


def pack_message(value: Any) -> bytes:
    """Encode a message, not as JSON, which has neither NaN nor text with a lone surrogate.

    Raises `ValueError` if it is not plain data, or nested very deeply.
    """
    data = marshal.dumps(value)
    return len(data).to_bytes(_LENGTH, "big") + data


def send_message(stream: BinaryIO, message: bytes) -> None:
    """Write a message."""
    stream.write(message)
    stream.flush()


def receive_message(stream: BinaryIO) -> Any:
    """Read the next message; `EOFError` if there is none, or only a part of it."""
    head = stream.read(_LENGTH)
    data = stream.read(int.from_bytes(head, "big"))
    if not data:
        raise EOFError
    return marshal.loads(data)  # noqa: S302  (from a process of this server)


# --- the process --------------------------------------------------------------------------------


def run_worker(leave: Callable[[int], Any] = os._exit) -> None:
    """Answer calls from standard input until it is closed, even in the middle of a call."""
    calls: SimpleQueue[tuple[str, Any] | None] = SimpleQueue()

    def listen() -> None:  # in a thread, which sees the end of the input during a call
        try:
            while True:
                calls.put(receive_message(sys.stdin.buffer))
        except EOFError:
            calls.put(None)
            leave(0)

    def send(value: Any) -> None:
        with suppress(BrokenPipeError):  # the server is gone, which the other thread sees, too
            send_message(sys.stdout.buffer, pack_message(value))

    Thread(target=listen, daemon=True).start()
    send(_READY)
    while (call := calls.get()) is not None:
        name, arguments = call
        try:
            found = run_tool(SERVED_TOOLS[name], arguments)
        except MemoryError:  # the server answers that the process ended
            leave(1)
            return
        send((found.content, found.is_error))


def limit_memory() -> None:
    """Limit the memory of this process, where the system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        is_lower = hard != resource.RLIM_INFINITY and hard < _LARGEST_MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (hard if is_lower else _LARGEST_MEMORY, hard))


class Worker:
    """A process that runs one call at a time; it reads the history `store`, or that of the project."""

    def __init__(self, store: str | None = None) -> None:
        # In a session of its own, so that Ctrl-C only reaches this process, which then ends it.
        command = [sys.executable, "-P", "-c", _PROGRAM, *sys.path]
        named = {} if store is None else {STORE_VARIABLE: store}
        self.process = Popen(  # noqa: S603  (it is Python)
            command,
            stdin=PIPE,
            stdout=PIPE,
            start_new_session=True,
            env={**os.environ, **named},
        )
        self._is_ready = False
        incoming: Any = self.process.stdin
        outgoing: Any = self.process.stdout
        self._incoming: BinaryIO = incoming
        self._outgoing: BinaryIO = outgoing

    def wait_until_ready(self) -> None:
        """Wait until it has imported what it needs."""
        if not self._is_ready:
            receive_message(self._outgoing)
            self._is_ready = True

    def answer(self, call: bytes) -> ToolAnswer:
        """Run a call; `EOFError` or `OSError` if the process ends."""
        send_message(self._incoming, call)
        content, is_error = receive_message(self._outgoing)
        return ToolAnswer(content, is_error)

    def end(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        for pipe in (self._incoming, self._outgoing):
            with suppress(OSError):  # data that was not written yet is lost on purpose
                pipe.close()
        self.process.wait()


# --- the lanes ----------------------------------------------------------------------------------


class _Waiting:
    """A call that waits for a place; `is_admitted` once its event is set, or else it is refused."""

    def __init__(self, size: int, number: int, event: Event) -> None:
        self.order = (size, number)
        self.event = event
        self.is_admitted = False


class Lanes:
    """The places for calls, and the queue of those that wait for one."""

    def __init__(self) -> None:
        self._free = QUICK_PLACES
        self._slow: dict[object, float] = {}  # when they are stopped at the latest
        self._waiting: list[_Waiting] = []
        self._numbers = count()

    @property
    def has_waiting(self) -> bool:
        """Whether a call waits."""
        return bool(self._waiting)

    async def enter(self, size: int) -> bool:
        """Wait for a place in the quick lane; False if the queue is full of calls that are shorter."""
        import anyio

        if self._has_place(size):
            self._free -= 1
            return True
        waiting = _Waiting(size, next(self._numbers), anyio.Event())
        insort(self._waiting, waiting, key=lambda each: each.order)
        if len(self._waiting) > MOST_WAITING:
            self._waiting.pop().event.set()
        try:
            with anyio.move_on_after(SECONDS_PER_CALL):
                await waiting.event.wait()
        except BaseException:  # it is cancelled, perhaps at the moment at which it was admitted
            if waiting.is_admitted:
                self.leave()
            raise
        finally:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
        return waiting.is_admitted

    def leave(self) -> None:
        """Leave the quick lane, for the next call."""
        self._free += 1
        if self._waiting and self._has_place(self._waiting[0].order[0]):
            first = self._waiting.pop(0)
            first.is_admitted = True
            first.event.set()
            self._free -= 1

    def _has_place(self, size: int) -> bool:
        return self._free > (size > SHORT)

    def slow_down(self, call: object, deadline: float) -> bool:
        """Move a call to the slow lane; False if that is full."""
        if len(self._slow) >= SLOW_PLACES:
            return False
        self._slow[call] = deadline
        self.leave()
        return True

    def leave_slow(self, call: object) -> None:
        """Leave the slow lane."""
        del self._slow[call]

    def retry_seconds(self) -> int:
        """After how many seconds there is a place again, for a slow call too."""
        is_full = len(self._slow) >= SLOW_PLACES
        return max(ceil(min(self._slow.values()) - monotonic()), 1) if is_full else 1


class Workers:
    """Processes that run tools in two lanes; `seconds` is the timeout of a call.

    `store` is the history that they read; by default that of the project. They end with the `with` block, and with this process, however it ends: their input is closed.
    """

    def __init__(self, seconds: float = SECONDS_PER_CALL, *, store: str | None = None) -> None:
        self._seconds = seconds
        self._store = store
        self._idle: list[Worker] = []
        self._lanes = Lanes()

    def __enter__(self) -> Self:
        self._prepare()  # it is ready before the first call
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        del kind, error, trace
        while self._idle:
            self._idle.pop().end()

    async def answer(self, tool: AgentTool, arguments: Any) -> ToolAnswer:
        """The answer of a tool, or why there is none; cancelling this ends the process."""
        try:
            call = pack_message((tool.name, arguments))
        except ValueError:  # too deep, or not JSON: the tool has a message for it
            return run_tool(tool, arguments)
        if not await self._lanes.enter(len(call)):
            return _refusal(f"the server is busy: too many calls are waiting. {self._try_again()}")
        job = _Job(self._lanes, tool.seconds or self._seconds)
        worker = None
        is_sound = False
        try:
            worker = self._take()
            problem = await job.run(worker, call)
            is_sound = job.found is not None
        except (EOFError, OSError):
            problem = "the worker process ended unexpectedly."
        finally:
            job.leave()
            if worker is not None:
                self._put_back(worker, is_sound=is_sound)
        if job.found is not None:
            return job.found
        busy = f"the server is busy with other slow calls. {self._try_again()}"
        return _refusal(f"{problem} {tool.if_slow}" if problem else busy)

    def _try_again(self) -> str:
        return f"Try again in {self._lanes.retry_seconds()} s, or send a shorter call."

    def _take(self) -> Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.process.poll() is None:
                self._prepare()
                return worker
            worker.end()
        return Worker(self._store)

    def _prepare(self) -> None:
        """Start a process for the next call, which takes longer than most calls do."""
        if not self._idle:
            self._idle.append(Worker(self._store))

    def _put_back(self, worker: Worker, *, is_sound: bool) -> None:
        if is_sound and len(self._idle) < QUICK_PLACES:
            self._idle.append(worker)
            return
        worker.end()


class _Job:
    """One call in its lane; `found` is the answer, if there is one."""

    def __init__(self, lanes: Lanes, seconds: float) -> None:
        self._lanes = lanes
        self._seconds = seconds
        self._is_slow = False
        self.found: ToolAnswer | None = None

    async def run(self, worker: Worker, call: bytes) -> str:
        """Run the call. Without an answer, returns why; an empty text if it gave way to others."""
        import anyio
        from anyio.to_thread import run_sync

        with anyio.fail_after(_START_SECONDS):
            await run_sync(worker.wait_until_ready, abandon_on_cancel=True)
        began = monotonic()
        done = anyio.Event()
        problem: BaseException | None = None

        async def exchange() -> None:
            nonlocal problem
            try:
                self.found = await run_sync(worker.answer, call, abandon_on_cancel=True)
            except (EOFError, OSError) as error:
                problem = error
            done.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(exchange)
            while not done.is_set() and monotonic() - began < self._seconds:
                with anyio.move_on_after(_TICK):
                    await done.wait()
                if not self._may_go_on(began, is_done=done.is_set()):
                    tasks.cancel_scope.cancel()
                    return ""
            tasks.cancel_scope.cancel()
        if problem is not None:
            raise problem
        return f"the call took more than {self._seconds:g} s and was stopped."

    def _may_go_on(self, began: float, *, is_done: bool) -> bool:
        """Whether the call is done, is quick, has a slow place, or none waits for its place."""
        if is_done or self._is_slow or monotonic() - began < QUICK_SECONDS:
            return True
        self._is_slow = self._lanes.slow_down(self, began + self._seconds)
        return self._is_slow or not self._lanes.has_waiting

    def leave(self) -> None:
        """Leave the lane."""
        if self._is_slow:
            self._lanes.leave_slow(self)
        else:
            self._lanes.leave()


def _refusal(problem: str) -> ToolAnswer:
    return ToolAnswer({"error": problem}, is_error=True)
