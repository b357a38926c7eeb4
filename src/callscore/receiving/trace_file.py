"""The file of JSON lines that traces are written to: only ever longer, and never with half a line."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO

import msgspec
from msgspec import Struct

from callscore.errors import InvalidSettings
from callscore.receiving.journal import OutputMark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

__all__ = ["TraceFile", "WrittenLine"]

_BLOCK = 1 << 20
# The end of the file that is read at the start: an exporter may send spans again that are in it.
_REMEMBERED_BYTES = 64 << 20


class _SpanId(Struct, rename="camel"):
    span_id: str = ""


class _ScopeSpans(Struct):
    spans: list[_SpanId] = []


class _ResourceSpans(Struct, rename="camel"):
    scope_spans: list[_ScopeSpans] = []


class _Line(Struct):
    trace_id: str
    part: int = 1
    resource_spans: list[_ResourceSpans] = msgspec.field(name="resourceSpans", default=[])


class WrittenLine(Struct, frozen=True):
    """The spans of a line."""

    trace: str
    part: int
    spans: list[str]


_decode_line = msgspec.json.Decoder(_Line).decode


class TraceFile:
    """Appends lines to a file, which must be one of JSON lines, or new.

    Raises:
        InvalidSettings: it cannot be opened, or is not a regular file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
        try:
            self._file = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o644)
        except OSError as error:
            raise InvalidSettings(f"cannot write {path}: {error.strerror}") from error
        if not stat.S_ISREG(os.fstat(self._file).st_mode):
            os.close(self._file)
            problem = f"cannot write {path}: it is not a regular file"
            raise InvalidSettings(
                f"{problem}. Traces are kept in a file before they are acknowledged"
            )

    def mark(self) -> OutputMark:
        """Which file it is, and where it ends."""
        found = os.fstat(self._file)
        return OutputMark(found.st_ino, found.st_size)

    def append(self, lines: Iterable[bytes]) -> None:
        """Write lines, and wait until they are on the disk.

        Raises:
            OSError: they could not be written, and none of them is in the file.
        """
        before = os.fstat(self._file).st_size
        view = memoryview(b"".join(lines))
        try:
            while view:
                view = view[os.write(self._file, view) :]
            os.fsync(self._file)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._file, before)
            raise

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    # --- at the start ---

    def recover(self, marks: Sequence[OutputMark]) -> bool:
        """Cut off a line that a killed process has written in part; `marks` are those of its journal.

        Returns False if the file is not the one that the journal belongs to: then it is not known which
        traces of the journal were written.

        Raises:
            InvalidSettings: the file does not end with a line of JSON, and not because of a receiver.
        """
        now = self.mark()
        known = [mark.offset for mark in marks if mark.file == now.file]
        is_same = len(known) == len(marks) and all(offset <= now.offset for offset in known)
        start = self._start_of_last_line(now.offset)
        last = self._read(start, now.offset)
        if last.endswith(b"\n") or not last:
            self._require_lines(last)
        elif known and min(known) <= start:
            os.ftruncate(self._file, start)
        else:
            self._require_lines(last)
            self.append([b"\n"])
        return is_same

    def _require_lines(self, last: bytes) -> None:
        try:
            is_object = not last or isinstance(msgspec.json.decode(last), dict)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            is_object = False
        if not is_object:
            problem = f"{self._path}: the last line is not a JSON object"
            raise InvalidSettings(f"{problem}. Repair the file, or pass another --output")

    def _read(self, start: int, end: int) -> bytes:
        with self._reader() as file:
            file.seek(start)
            return file.read(end - start)

    def _reader(self) -> BinaryIO:
        """The same file, to read from it; writing appends, wherever it is read."""
        return self._path.open("rb")

    def _start_of_last_line(self, size: int) -> int:
        """Where the last line begins; a line break at the very end belongs to it."""
        end = size - 1
        while end > 0:
            start = max(0, end - _BLOCK)
            found = self._read(start, end).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            end = start
        return 0

    def lines_since(self, mark: OutputMark) -> Iterator[bytes]:
        """The lines after a mark of this file, to where it ends now."""
        end = self.mark().offset
        with self._reader() as file:
            file.seek(mark.offset)
            while file.tell() < end:
                line = file.readline()
                if line.strip():
                    yield line

    def written_since(self, marks: Sequence[OutputMark]) -> Iterator[WrittenLine]:
        """The lines that may have spans of the journal, or spans that an exporter sends again."""
        now = self.mark()
        offsets = [mark.offset if mark.file == now.file else 0 for mark in marks]
        first = min([*offsets, max(0, now.offset - _REMEMBERED_BYTES)])
        with self._reader() as file:
            file.seek(max(0, first - 1))
            if first:  # at the end of a line, or within one
                file.readline()
            for text in file:
                with suppress(msgspec.MsgspecError, ValueError, RecursionError):
                    line = _decode_line(text)
                    batches = line.resource_spans
                    spans = [
                        span.span_id.lower()
                        for batch in batches
                        for scope in batch.scope_spans
                        for span in scope.spans
                    ]
                    yield WrittenLine(line.trace_id, line.part, spans)
