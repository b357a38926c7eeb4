"""The processes in which a server runs its tools, so that a call that takes too long can be ended."""

from __future__ import annotations

import marshal
import os
import sys
from contextlib import suppress
from queue import SimpleQueue
from subprocess import PIPE, Popen
from threading import Thread
from typing import TYPE_CHECKING, Any

from callscore.integrations.tools import TOOLS, ToolAnswer, run_tool

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import BinaryIO, Self

    from callscore.integrations.tools import AgentTool

__all__ = [
    "MOST_WORKERS",
    "SECONDS_PER_CALL",
    "Workers",
    "pack_message",
    "receive_message",
    "run_worker",
]


# A process that runs tools, and that can be ended in the middle of a call.

_LENGTH = 8  # bytes before each message, which tell how many follow


def pack_message(value: Any) -> bytes:
    """A message. JSON would not do: it has no NaN, and no text with half of a surrogate pair.

    Raises:
        ValueError: it is no plain data, or nested very deeply.
    """
    data = marshal.dumps(value)
    return len(data).to_bytes(_LENGTH, "big") + data


def send_message(stream: BinaryIO, message: bytes) -> None:
    """Write a message out."""
    stream.write(message)
    stream.flush()


def receive_message(stream: BinaryIO) -> Any:
    """The next message.

    Raises:
        EOFError: there is none, or not all of it.
    """
    head = stream.read(_LENGTH)
    data = stream.read(int.from_bytes(head, "big"))
    if not data:
        raise EOFError
    return marshal.loads(data)  # noqa: S302  (it comes from a process that is ours)


def run_worker(leave: Callable[[int], Any] = os._exit) -> None:
    """Answer calls from standard input until that is closed, be it in the middle of a call.

    Args:
        leave: what ends the process, whatever it is doing.
    """
    calls: SimpleQueue[tuple[str, Any] | None] = SimpleQueue()
    Thread(target=_listen, args=(sys.stdin.buffer, calls, leave), daemon=True).start()
    while (call := calls.get()) is not None:
        name, arguments = call
        found = run_tool(TOOLS[name], arguments)
        with suppress(BrokenPipeError):  # whoever asked is gone, as the other thread is told, too
            send_message(sys.stdout.buffer, pack_message((found.content, found.is_error)))


def _listen(
    stream: BinaryIO, calls: SimpleQueue[tuple[str, Any] | None], leave: Callable[[int], Any]
) -> None:
    """Hand calls on; a thread does it, which sees the end of the input while a call is answered."""
    try:
        while True:
            calls.put(receive_message(stream))
    except EOFError:
        calls.put(None)
        leave(0)


# The pool of a server: a call that takes too long is ended together with its process.

SECONDS_PER_CALL = 10.0
MOST_WORKERS = 2

# The worker finds its modules where this process did, not in its working directory.
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[1:];"
    " import callscore.integrations.workers; callscore.integrations.workers.run_worker()"
)
_SEND_LESS = "Send fewer calls at once, or simpler rules."


class Workers:
    """Processes that run tools, one call at a time each; they end with the `with` block.

    They end, too, as soon as this process does, however it ends: their input is closed then.
    """

    def __init__(self, seconds: float = SECONDS_PER_CALL) -> None:
        """No process is started before the `with` block.

        Args:
            seconds: how long one call may take.
        """
        self._seconds = seconds
        self._idle: list[Popen[bytes]] = []

    def __enter__(self) -> Self:
        import anyio

        self._places = anyio.Semaphore(MOST_WORKERS)
        self._idle.append(_start_worker())  # it gets ready while nobody has asked anything
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        del kind, error, trace
        while self._idle:
            _end_worker(self._idle.pop())

    async def answer(self, tool: AgentTool, arguments: Any) -> ToolAnswer:
        """What a tool says to these arguments, or that it would take too long.

        Whoever stops waiting for it ends the process that works on it.
        """
        try:
            call = pack_message((tool.name, arguments))
        except ValueError:  # too deep, or no JSON, which the tool itself says best
            return run_tool(tool, arguments)
        async with self._places:
            return await self._work(call)

    async def _work(self, call: bytes) -> ToolAnswer:
        import anyio
        from anyio.to_thread import run_sync

        worker = self._take()
        is_sound = False
        try:
            with anyio.move_on_after(self._seconds):
                found = await run_sync(_exchange, worker, call, abandon_on_cancel=True)
                is_sound = True
                return found
        except (EOFError, OSError):
            return _refusal(f"the process that worked on this broke down. {_SEND_LESS}")
        finally:
            if is_sound:
                self._idle.append(worker)
            else:
                _end_worker(worker)
        return _refusal(f"this took more than {self._seconds:g} s and was stopped. {_SEND_LESS}")

    def _take(self) -> Popen[bytes]:
        while self._idle:
            worker = self._idle.pop()
            if worker.poll() is None:
                return worker
            _end_worker(worker)
        return _start_worker()


def _start_worker() -> Popen[bytes]:
    # In a session of its own, so that Ctrl-C is for this process alone, which then ends it.
    command = [sys.executable, "-P", "-c", _PROGRAM, *sys.path]
    return Popen(command, stdin=PIPE, stdout=PIPE, start_new_session=True)  # noqa: S603  (it is Python)


def _pipes(worker: Popen[bytes]) -> tuple[BinaryIO, BinaryIO]:
    incoming: Any = worker.stdin
    outgoing: Any = worker.stdout
    return incoming, outgoing


def _exchange(worker: Popen[bytes], call: bytes) -> ToolAnswer:
    incoming, outgoing = _pipes(worker)
    send_message(incoming, call)
    content, is_error = receive_message(outgoing)
    return ToolAnswer(content, is_error)


def _end_worker(worker: Popen[bytes]) -> None:
    """End a process and whatever it is doing, and leave nothing of it behind."""
    worker.kill()
    for pipe in _pipes(worker):
        with suppress(OSError):  # what was not written yet is lost, which is meant
            pipe.close()
    worker.wait()


def _refusal(problem: str) -> ToolAnswer:
    return ToolAnswer({"error": problem}, is_error=True)
