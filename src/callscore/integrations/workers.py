"""The processes in which a server runs its tools: a call that takes too long is ended with its own."""

from __future__ import annotations

import sys
from contextlib import suppress
from subprocess import PIPE, Popen
from typing import TYPE_CHECKING, Any

from callscore.integrations.agent_tool import Answer, answer
from callscore.integrations.worker import packed, receive, send

if TYPE_CHECKING:
    from types import TracebackType
    from typing import BinaryIO, Self

    from callscore.integrations.agent_tool import AgentTool

__all__ = ["MOST_WORKERS", "SECONDS", "Workers"]

SECONDS = 10.0
MOST_WORKERS = 2

# The worker finds its modules where they were found here, and not in the folder it is started in.
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[1:];"
    " import callscore.integrations.worker; callscore.integrations.worker.work()"
)
_LESS = "Send fewer calls at once, or simpler rules."


class Workers:
    """Processes that run tools, one call at a time each; they end with the `with` block.

    They end, too, as soon as this process does, however it ends: their input is closed then.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        """No process is started before the `with` block.

        Args:
            seconds: how long one call may take.
        """
        self._seconds = seconds
        self._idle: list[Popen[bytes]] = []

    def __enter__(self) -> Self:
        import anyio

        self._places = anyio.Semaphore(MOST_WORKERS)
        self._idle.append(_started())  # it gets ready while nobody has asked anything
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        del kind, error, trace
        while self._idle:
            _end(self._idle.pop())

    async def answer(self, tool: AgentTool, arguments: Any) -> Answer:
        """What a tool says to these arguments, or that it would take too long.

        Whoever stops waiting for it ends the process that works on it.
        """
        try:
            call = packed((tool.name, arguments))
        except ValueError:  # too deep, or no JSON, which the tool itself says best
            return answer(tool, arguments)
        async with self._places:
            return await self._work(call)

    async def _work(self, call: bytes) -> Answer:
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
            return _refusal(f"the process that worked on this broke down. {_LESS}")
        finally:
            if is_sound:
                self._idle.append(worker)
            else:
                _end(worker)
        return _refusal(f"this took more than {self._seconds:g} s and was stopped. {_LESS}")

    def _take(self) -> Popen[bytes]:
        while self._idle:
            worker = self._idle.pop()
            if worker.poll() is None:
                return worker
            _end(worker)
        return _started()


def _started() -> Popen[bytes]:
    # In a session of its own, so that Ctrl-C is for this process alone, which then ends it.
    command = [sys.executable, "-P", "-c", _PROGRAM, *sys.path]
    return Popen(command, stdin=PIPE, stdout=PIPE, start_new_session=True)  # noqa: S603  (it is Python)


def _pipes(worker: Popen[bytes]) -> tuple[BinaryIO, BinaryIO]:
    incoming: Any = worker.stdin
    outgoing: Any = worker.stdout
    return incoming, outgoing


def _exchange(worker: Popen[bytes], call: bytes) -> Answer:
    incoming, outgoing = _pipes(worker)
    send(incoming, call)
    content, is_error = receive(outgoing)
    return Answer(content, is_error)


def _end(worker: Popen[bytes]) -> None:
    """End a process and whatever it is doing, and leave nothing of it behind."""
    worker.kill()
    for pipe in _pipes(worker):
        with suppress(OSError):  # what was not written yet is lost, which is meant
            pipe.close()
    worker.wait()


def _refusal(problem: str) -> Answer:
    return Answer({"error": problem}, is_error=True)
