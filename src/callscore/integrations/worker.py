"""A process of its own in which tools run, so that it can be ended in the middle of a call.

It is started by `workers` and talks to whoever started it over its standard input and output.
"""

from __future__ import annotations

import marshal
import os
import sys
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

from callscore.integrations.agent_tool import TOOLS, answer

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

__all__ = ["packed", "receive", "send", "work"]

_LENGTH = 8  # bytes before each message, which tell how many follow


def packed(value: Any) -> bytes:
    """A message. JSON would not do: it has no NaN, and no text with half of a surrogate pair.

    Raises:
        ValueError: it is no plain data, or nested very deeply.
    """
    data = marshal.dumps(value)
    return len(data).to_bytes(_LENGTH, "big") + data


def send(stream: BinaryIO, message: bytes) -> None:
    """Write a message out."""
    stream.write(message)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """The next message.

    Raises:
        EOFError: there is none, or not all of it.
    """
    head = stream.read(_LENGTH)
    data = stream.read(int.from_bytes(head, "big"))
    if not data:
        raise EOFError
    return marshal.loads(data)  # noqa: S302  (it comes from a process that is ours)


def work(leave: Callable[[int], Any] = os._exit) -> None:
    """Answer calls from standard input until that is closed, be it in the middle of a call.

    Args:
        leave: what ends the process, whatever it is doing.
    """
    calls: SimpleQueue[tuple[str, Any] | None] = SimpleQueue()
    Thread(target=_listen, args=(sys.stdin.buffer, calls, leave), daemon=True).start()
    while (call := calls.get()) is not None:
        name, arguments = call
        found = answer(TOOLS[name], arguments)
        with suppress(BrokenPipeError):  # whoever asked is gone, as the other thread is told, too
            send(sys.stdout.buffer, packed((found.content, found.is_error)))


def _listen(
    stream: BinaryIO, calls: SimpleQueue[tuple[str, Any] | None], leave: Callable[[int], Any]
) -> None:
    """Hand calls on; a thread does it, which sees the end of the input while a call is answered."""
    try:
        while True:
            calls.put(receive(stream))
    except EOFError:
        calls.put(None)
        leave(0)
