"""The file of JSON lines that traces are written to: only ever longer, and never with half a line."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from callscore.errors import InvalidSettings
from callscore.receiving.spool import OutputMark

if TYPE_CHECKING:
    from pathlib import Path


class _SpanId(Struct, rename="camel"):
    span_id: str = ""


class _ScopeSpans(Struct):
    spans: list[_SpanId] = []


class _ResourceSpans(Struct, rename="camel"):
    scope_spans: list[_ScopeSpans] = []


class WrittenLine(Struct):
    """What identifies the spans of a line."""

    trace_id: str
    part: int = 1
    resource_spans: list[_ResourceSpans] = msgspec.field(name="resourceSpans", default=[])

    @property
    def spans(self) -> list[str]:
        """The ids of its spans."""
        scopes = [scope for batch in self.resource_spans for scope in batch.scope_spans]
        return [span.span_id.lower() for scope in scopes for span in scope.spans]


_decode_line = msgspec.json.Decoder(WrittenLine).decode


def written_line(text: bytes) -> WrittenLine | None:
    """The line if a receiver has written it, completely."""
    if not text.endswith(b"\n"):
        return None
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

    def lines_from(self, offset: int) -> Iterator[tuple[int, bytes]]:
        """The lines that begin at an offset or after it, each with its own."""
        with self._path.open("rb") as file:
            file.seek(max(0, offset - 1))
            if offset > 0:  # at the end of a line, or within one
                file.readline()
            while text := file.readline():
                yield file.tell() - len(text), text

    def end_last_line(self, text: bytes, *, is_cut: bool) -> None:
        """Cut off the last line if a killed process has written it in part, or else end it.

        Raises:
            InvalidSettings: it is not JSON: the file is one of something else.
        """
        is_whole = text.endswith(b"\n")
        if is_cut and not is_whole:
            os.ftruncate(self._file, self.mark().offset - len(text))
            return
        try:
            is_object = isinstance(msgspec.json.decode(text), dict)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            is_object = False
        if not is_object:
            problem = f"{self._path}: the last line is not a JSON object"
            raise InvalidSettings(f"{problem}. Repair the file, or pass another --output")
        if not is_whole:
            self.append([b"\n"])
