"""Memory that a command shares with its parent: whether it finished, and its progress."""

from __future__ import annotations

import os

__all__ = ["Board", "own_board", "use_board"]


class Board:
    """Memory of a supervised process that its parent can still read after it has ended.

    A byte for whether the command finished, one for its exit code, and one for which of the two
    slots with the progress is valid: a process that ends while it writes leaves the other one.
    """

    _FINISHED, _CODE, _SLOT, _SLOTS = 0, 1, 2, 8
    _SIZE = 32_768  # of a slot
    _LENGTH = 4  # bytes for the length of what a slot holds

    def __init__(self) -> None:
        from mmap import mmap

        self._memory = mmap(-1, self._SLOTS + 2 * self._SIZE)
        self._owner = 0

    def claim(self) -> None:
        """Make this process the only one that writes; copies that an agent makes of it do not."""
        self._owner = os.getpid()

    def finish(self, code: int) -> None:
        """Declare that the command finished with an exit code."""
        if self._owner == os.getpid():
            self._memory[self._CODE] = code & 0xFF
            self._memory[self._FINISHED] = 1

    @property
    def code(self) -> int | None:
        """The exit code; None if the command did not finish."""
        return self._memory[self._CODE] if self._memory[self._FINISHED] else None

    def write(self, data: bytes) -> None:
        """Replace the progress; what is too long is left out."""
        if self._owner != os.getpid() or len(data) > self._SIZE - self._LENGTH:
            return
        slot = 1 - self._memory[self._SLOT]
        start = self._SLOTS + slot * self._SIZE
        content = len(data).to_bytes(self._LENGTH, "big") + data
        self._memory[start : start + len(content)] = content
        self._memory[self._SLOT] = slot

    def read(self) -> bytes:
        """The progress; empty if there is none."""
        start = self._SLOTS + self._memory[self._SLOT] * self._SIZE
        begin = start + self._LENGTH
        length = int.from_bytes(self._memory[start:begin], "big")
        return self._memory[begin : begin + length]


# The board of this process, if it is supervised.
_own_board: Board | None = None


def own_board() -> Board | None:
    """The board of this process; None if it is not supervised."""
    return _own_board


def use_board(board: Board) -> None:
    """Make a board that of this process, the only one that writes to it."""
    global _own_board  # noqa: PLW0603  (there is one command in a process)
    _own_board = board
    board.claim()
