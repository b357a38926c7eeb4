"""What the fuzzer runs: an input, which consists of a target, its arguments and its files."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["MAX_SIZE", "Input"]

MAX_SIZE = 100_000  # bytes of all files; the limits of time and memory hold below this size


class Input(Struct, frozen=True):
    """One input; it is all that a failure needs to be repeated.

    Attributes:
        target: the name of what reads it.
        arguments: the arguments of the command, or of the function.
        files: the content of its files, by name.
    """

    target: str
    arguments: tuple[str, ...]
    files: dict[str, bytes]

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(map(len, self.files.values()))
