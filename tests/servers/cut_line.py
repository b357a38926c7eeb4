"""A line to a server on loopback that can be cut, and mended.

with cut_line(server.port) as line:
    open_store(server.url("name", port=line.port))
    line.cut()   # everybody is cut off, and nobody gets through
    line.mend()
"""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CutLine", "cut_line"]

_HOST = "127.0.0.1"


class CutLine:
    """The line.

    Attributes:
        port: where it begins.
    """

    def __init__(self, target: int) -> None:
        self._target = target
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self._is_cut = threading.Event()
        self._listening = socket.create_server((_HOST, 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listening,), daemon=True).start()

    def cut(self) -> None:
        """End every connection, and let no other one begin."""
        with self._lock:
            self._is_cut.set()
            ended, self._open = self._open, []
        for one in ended:
            _end(one)

    def mend(self) -> None:
        """Let connections begin again."""
        self._is_cut.clear()

    def close(self) -> None:
        """End the line for ever."""
        self.cut()
        _end(self._listening)

    def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                near, _ = listening.accept()
            except OSError:
                return
            if self._is_cut.is_set():
                near.close()
                continue
            try:
                far = socket.create_connection((_HOST, self._target))
            except OSError:
                near.close()
                continue
            with self._lock:
                is_cut = self._is_cut.is_set()  # perhaps since it was looked at
                self._open += [] if is_cut else [near, far]
            if is_cut:
                _end(near)
                _end(far)
                continue
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=_carry, args=(one, other), daemon=True).start()


def _carry(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while data := one.recv(65_536):
            other.sendall(data)
    _end(one)
    _end(other)


def _end(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()


@contextmanager
def cut_line(target: int) -> Iterator[CutLine]:
    """A line to a port of this machine."""
    line = CutLine(target)
    try:
        yield line
    finally:
        line.close()
