"""The file of JSON lines that traces are written to: only ever longer, and never with half a line."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from callscore.errors import InvalidSettings
from callscore.receiving.spool import OutputMark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["TraceFile", "WrittenLine", "written_line"]

_BLOCK = 1 << 20
_MAX_LINE = 1 << 30


class _SpanId(Struct, rename="camel"):
    span_id: str = ""


class _ScopeSpans(Struct):
    spans: list[_SpanId] = []


class _ResourceSpans(Struct, rename="camel"):
    scope_spans: list[_ScopeSpans] = []


class WrittenLine(Struct):
    """What identifies the spans of a line."""

    trace_id: str
    closed_by: str = ""
    part: int = 1
    resource_spans: list[_ResourceSpans] = msgspec.field(name="resourceSpans", default=[])

    @property
    def spans(self) -> list[str]:
        """The ids of its spans."""
        scopes = [scope for batch in self.resource_spans for scope in batch.scope_spans]
        return [span.span_id.lower() for scope in scopes for span in scope.spans]


_decode_line = msgspec.json.Decoder(WrittenLine).decode


def written_line(text: bytes) -> WrittenLine | None:
    """The line if a receiver has written it."""
    with suppress(msgspec.MsgspecError, ValueError, RecursionError):
        return _decode_line(text)
    return None


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

    def recover(self, session: OutputMark | None) -> bool:
        """Cut off a line that a killed process has written in part, in a session that began at this mark.

        Returns False if the file is not that of the session: then it is not known which traces were written.

        Raises:
            InvalidSettings: the file does not end with a line of JSON, and not because of a receiver.
        """
        now = self.mark()
        is_same = session is None or (session.file == now.file and session.offset <= now.offset)
        start = self._start_of_last_line(now.offset)
        last = self._read(start, min(now.offset, start + _MAX_LINE))
        is_whole = last.endswith(b"\n") or not last
        if not is_whole and is_same and session is not None and session.offset <= start:
            os.ftruncate(self._file, start)
            return True
        self._require_object(last)
        if not is_whole:
            self.append([b"\n"])
        return is_same

    def _require_object(self, last: bytes) -> None:
        try:
            is_object = not last or isinstance(msgspec.json.decode(last), dict)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            is_object = False
        if not is_object:
            problem = f"{self._path}: the last line is not a JSON object"
            raise InvalidSettings(f"{problem}. Repair the file, or pass another --output")

    def _read(self, start: int, end: int) -> bytes:
        with self._path.open("rb") as file:
            file.seek(start)
            return file.read(end - start)

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

    def lines_from(self, offset: int) -> Iterator[tuple[int, bytes]]:
        """The lines that begin at an offset or after it, each with its offset, to where the file ends now."""
        end = self.mark().offset
        with self._path.open("rb") as file:
            file.seek(max(0, offset - 1))
            if offset > 0:  # at the end of a line, or within one
                file.readline()
            while (start := file.tell()) < end:
                yield start, file.readline()
