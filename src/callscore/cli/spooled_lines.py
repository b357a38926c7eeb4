"""Lines of a report that wait for what precedes them."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import SpooledTemporaryFile

_IN_MEMORY = 1 << 22  # bytes; more of them are in a file


class SpooledLines:
    """Keeps lines in memory, or if there are many in a temporary file.

    The file has no name where the system allows that, and never outlives the process.
    """

    def __init__(self) -> None:
        self._spool = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  (closed by `close`)

    def add(self, lines: bytes) -> None:
        """Take the next lines, each with its line break."""
        self._spool.write(lines)

    def __iter__(self) -> Iterator[bytes]:
        """All lines in order."""
        self._spool.seek(0)
        yield from self._spool

    def close(self) -> None:
        """Remove the temporary file."""
        self._spool.close()
