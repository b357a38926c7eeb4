"""Files that hold runs, read as records: JSON lines or Parquet, whichever they are."""

from __future__ import annotations

from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from callscore.errors import UnreadableInput
from callscore.history.exchange.lines import Record, read_lines
from callscore.history.exchange.parquet_file import is_parquet, read_parquet_run
from callscore.sources.files import open_bytes, place_of, seekable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["RunFile", "opened_run"]

# No answer is as long; a compressed file could hold anything.
_LONGEST = 1 << 28
_HEAD = 4
_TABLES = (".csv", ".csv.gz", ".tsv")
_ONLY_RESULTS = "CSV has only the results. Export the run as .jsonl or .parquet: callscore export RUN -o run.jsonl"


class RunFile:
    """A file of runs that may be read more than once.

    Args:
        file: its bytes, which can be read back and forth.
        name: what it is called in places.
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file = file
        self._name = name

    def records(self, on_bytes: Callable[[int], None] | None = None) -> Iterator[Record]:
        """The records in it, from the beginning.

        Args:
            on_bytes: is told how much more was read.

        Raises:
            UnreadableInput: it is damaged, holds no run, or a newer callscore has written it.
            MissingExtra: it is a Parquet file, and the extra is not installed.
        """
        self._file.seek(0)
        head = self._file.read(_HEAD)
        self._file.seek(0)
        if is_parquet(head):
            return read_parquet_run(self._file, self._name)
        if self._name.lower().endswith(_TABLES):
            raise UnreadableInput(self._name, _ONLY_RESULTS)
        return read_lines(self._lines(), self._name, on_bytes)

    def _lines(self) -> Iterator[bytes]:
        number = 0
        while line := self._file.readline(_LONGEST + 1):
            number += 1
            if len(line) > _LONGEST:
                problem = f"the line is longer than {_LONGEST >> 20} MB."
                raise UnreadableInput(f"{self._name}:{number}", problem)
            yield line


@contextmanager
def opened_run(path: str) -> Iterator[RunFile]:
    """A file of runs, decompressed; `-` is standard input.

    Raises:
        UnreadableInput: there is no such file, or it cannot be read.
    """
    with open_bytes(path) as stream, seekable(stream) as file:
        yield RunFile(file, place_of(path))
