"""Runs functions in another Python process, which can be killed and ends with this one.

Not `multiprocessing` or `anyio.to_process`: their processes import from the working directory, which
may be anybody's, and what code prints there is lost, or mixed with answers.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from queue import Empty, SimpleQueue
from subprocess import PIPE, Popen, TimeoutExpired
from threading import Event, Thread
from typing import Any, BinaryIO, TypeVar, cast

_Answer = TypeVar("_Answer")
_LENGTH = 8  # bytes for the length of each message
_GRACE = 5.0  # seconds for a process to end
_TICK = 1.0  # seconds between two looks at the process that started this one
# It finds its modules where this process did.
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[1:];"
    " from callscore.processes import answer_calls; answer_calls()"
)


class ProcessEnded(Exception):
    """The process ended before it answered.

    Attributes:
        code: its exit code, or minus the number of the signal that ended it.
    """

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Process:
    """A process that answers one call at a time."""

    def __init__(self) -> None:
        command = [sys.executable, "-P", "-c", _PROGRAM, *sys.path]
        # In a session of its own, so that Ctrl-C only reaches this process, which then ends it.
        self._process = Popen(command, stdin=PIPE, stdout=PIPE, start_new_session=True)  # noqa: S603  (it is Python)
        self._requests = cast("BinaryIO", self._process.stdin)
        self._answers = cast("BinaryIO", self._process.stdout)

    @property
    def is_running(self) -> bool:
        """Whether it is there."""
        return self._process.poll() is None

    def call(self, function: Callable[..., _Answer], *arguments: Any) -> _Answer:
        """Call a function of a module; the arguments and the answer are plain data, or bytes.

        Raises:
            ProcessEnded: the function has ended the process, or somebody else has.
            ValueError: the arguments are not plain data, or nested very deeply.
        """
        message = _packed((function.__module__, function.__name__, arguments))
        try:
            _send(self._requests, message)
            answer: _Answer = _receive(self._answers)
        except (EOFError, OSError, ValueError) as error:  # the last, if a pipe was closed here
            raise ProcessEnded(self.end(grace=_GRACE)) from error
        return answer

    def end(self, *, grace: float = 0.0) -> int:
        """End the process, whatever it does; one without a call can end by itself in some seconds."""
        with suppress(TimeoutExpired):
            if grace:
                _close(self._requests)
                self._process.wait(grace)
        self._process.kill()
        _close(self._requests)
        _close(self._answers)
        return self._process.wait()


def _close(pipe: BinaryIO) -> None:
    with suppress(OSError):  # data that was not written yet is lost on purpose
        pipe.close()


# Not as JSON, which has neither NaN nor text with a lone surrogate.
def _packed(value: Any) -> bytes:
    data = marshal.dumps(value)
    return len(data).to_bytes(_LENGTH, "big") + data


def _send(stream: BinaryIO, message: bytes) -> None:
    stream.write(message)
    stream.flush()


def _receive(stream: BinaryIO) -> Any:
    """The next message; `EOFError` if there is none, or only a part of it."""
    size = int.from_bytes(stream.read(_LENGTH), "big")
    data = stream.read(size)
    if not data or len(data) < size:
        raise EOFError
    return marshal.loads(data)  # noqa: S302  (from a process of this program)


# --- in the process -----------------------------------------------------------------------------


def answer_calls() -> None:
    """Answer calls until the process that started this one has ended, even in the middle of a call."""
    parent = os.getppid()
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # for code that reads
    os.dup2(2, 1)  # and what it prints
    sys.stdout = sys.stderr
    calls: SimpleQueue[Any] = SimpleQueue()
    is_working = Event()

    def listen() -> None:  # in a thread, which sees the end of the input during a call
        with suppress(EOFError):
            while True:
                call = _receive(requests)
                is_working.set()
                calls.put(call)
        if is_working.is_set():
            os._exit(1)
        calls.put(None)

    Thread(target=listen, daemon=True).start()
    # A process that code has forked may keep the input open.
    while os.getppid() == parent:
        with suppress(Empty):
            call = calls.get(timeout=_TICK)
            if call is None:
                return
            module, function, arguments = call
            answer = _packed(getattr(import_module(module), function)(*arguments))
            is_working.clear()
            with suppress(BrokenPipeError):
                _send(answers, answer)
