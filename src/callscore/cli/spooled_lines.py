"""Lines of a report that wait for what precedes them, also those that other processes write."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import Any

from callscore.engines.pool import Parts

_IN_MEMORY = 1 << 22  # bytes; more of them are in a file
_BLOCK = 1 << 18


class SpooledLines:
    """Keeps lines in memory, or if there are many in a temporary file.

    The file has no name where the system allows that, and never outlives the process.
    """

    def __init__(self) -> None:
        self._spools: list[SpooledTemporaryFile[bytes]] = []
        self._begin()

    def _begin(self) -> None:
        """Begin without a line.

        In a copy of the process, the file of the first one stays open: what it has not written yet
        would be written twice.
        """
        self._spool = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  (closed by `close`)
        self._spools.append(self._spool)

    def __reduce__(self) -> tuple[Any, ...]:
        return SpooledLines, ()  # another process adds lines of its own

    def add(self, lines: bytes) -> None:
        """Take the next lines, each with its line break."""
        self._spool.write(lines)

    @property
    def parts(self) -> Parts:
        """How other processes add lines."""
        return Parts(self._begin, self._taken, self.add)

    def __iter__(self) -> Iterator[bytes]:
        """All lines in order."""
        self._spool.seek(0)
        yield from self._spool

    def _taken(self) -> bytes:
        return b"".join(self._blocks())

    def _blocks(self) -> Iterator[bytes]:
        self._spool.seek(0)
        while block := self._spool.read(_BLOCK):
            yield block

    def close(self) -> None:
        """Remove the temporary file."""
        for spool in self._spools:
            spool.close()
