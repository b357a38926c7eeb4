"""The journal: requests that were accepted, on the disk before they are acknowledged.

It is a folder of numbered segments. A segment begins with where the output ended when the segment was
begun; records follow, each with its length and a checksum. Requests that arrive together share one
`fsync`. A segment is deleted when all its spans are in the output, on the disk. A further file says where
the output ended when the session began: a session lasts until a receiver ends properly, however often it
is killed before.
"""

from __future__ import annotations

import os
import struct
import threading
import zlib
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from callscore.errors import InvalidSettings
from callscore.receiving.otlp import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["Entry", "Journal", "OutputMark", "Segment"]

_MAGIC = b"callscore journal 1\n"
_HEAD = struct.Struct("<II")  # of a record: its length, and the CRC-32 of its content
_SUFFIX = ".log"
_LOCK = "lock"
_SESSION = "session"
_ATTEMPTS = 5
_SEGMENT_BYTES = 16 << 20
_MAX_BATCH_BYTES = 64 << 20  # that one fsync writes


class OutputMark(Struct, frozen=True):
    """The output when a segment was begun: which file it was, and where it ended."""

    file: int
    offset: int


class Entry(Struct, frozen=True, gc=False, array_like=True):
    """A request as it was received; `encoding` is its compression."""

    kind: Kind
    encoding: str
    body: bytes


_decode_entry = msgspec.msgpack.Decoder(Entry).decode
_encode_entry = msgspec.msgpack.Encoder().encode
_decode_mark = msgspec.json.Decoder(OutputMark).decode


class Segment:
    """A file of the journal, and how many requests and traces still need it."""

    def __init__(self, path: Path, mark: OutputMark) -> None:
        self.path = path
        self.mark = mark
        self.size = 0
        self.needed_by = 0


class Journal:
    """Writes requests to the disk, and reads those that a killed process has left.

    Args:
        folder: it is created if it does not exist, and locked: two receivers cannot share it.
        mark: says where the output ends now.

    Raises:
        InvalidSettings: another receiver uses the folder, or it cannot be used.
    """

    def __init__(self, folder: Path, mark: Callable[[], OutputMark]) -> None:
        self._folder = folder
        self._mark = mark
        self._lock_file = _locked(folder)
        self.left = [Segment(path, _mark_in(path)) for path in _segment_paths(folder)]
        self._next = 1 + max((int(each.path.stem) for each in self.left), default=0)
        self._segments: list[Segment] = []
        self._file = -1
        self._guard = threading.Lock()  # of the segments and of how many need them
        self._pending: list[tuple[bytes, Future[Segment]]] = []
        self._has_work = threading.Condition()
        self._is_closed = False
        self._thread = threading.Thread(target=self._write_pending, name="callscore-journal")
        self._thread.daemon = True
        self._thread.start()

    # --- the session ---

    def begin_session(self) -> OutputMark | None:
        """Begin a session; where the output ended at its beginning if a killed process began it.

        Raises:
            InvalidSettings: the folder cannot be written.
        """
        path = self._folder / _SESSION
        with suppress(OSError, msgspec.MsgspecError, ValueError):
            found = _decode_mark(path.read_bytes())
            now = self._mark()
            if found.file == now.file and found.offset <= now.offset:
                return found
        new = path.with_suffix(".new")
        try:
            new.write_bytes(msgspec.json.encode(self._mark()))
            new.replace(path)
        except OSError as error:
            problem = f"cannot use the journal {self._folder}: {error.strerror}"
            raise InvalidSettings(problem) from error
        return None

    def end_session(self) -> None:
        """Note that all that was written has been accounted for."""
        with suppress(OSError):
            (self._folder / _SESSION).unlink()

    # --- writing ---

    def append(self, entry: Entry) -> Future[Segment]:
        """Write a request; the result is its segment, once it is on the disk.

        The request needs the segment until `release`. The future has an `OSError` if it could not be
        written, of which nothing is then left.
        """
        found: Future[Segment] = Future()
        content = _encode_entry(entry)
        record = _HEAD.pack(len(content), zlib.crc32(content)) + content
        with self._has_work:
            if self._is_closed:
                found.set_exception(OSError("the journal is closed"))
            else:
                self._pending.append((record, found))
                self._has_work.notify()
        return found

    def _write_pending(self) -> None:
        while True:
            with self._has_work:
                while not self._pending and not self._is_closed:
                    self._has_work.wait()
                if not self._pending:
                    return
                batch = self._next_batch()
            try:
                segment = self._write([record for record, _ in batch])
            except OSError as error:
                for _, waiting in batch:
                    waiting.set_exception(error)
            else:
                for _, waiting in batch:
                    waiting.set_result(segment)

    def _next_batch(self) -> list[tuple[bytes, Future[Segment]]]:
        size, count = 0, 0
        for record, _ in self._pending:
            size += len(record)
            if count and size > _MAX_BATCH_BYTES:
                break
            count += 1
        batch, self._pending = self._pending[:count], self._pending[count:]
        return batch

    def _write(self, records: list[bytes]) -> Segment:
        """Write records to the segment; they need it from now on."""
        segment = self._current()
        data = b"".join(records)
        try:
            _write_all(self._file, data)
            os.fsync(self._file)
        except OSError:
            self._abandon(segment)
            raise
        with self._guard:
            segment.size += len(data)
            segment.needed_by += len(records)
        return segment

    def _current(self) -> Segment:
        """The segment to write to: a new one if the last one is large, or could not be written."""
        if self._file >= 0 and self._segments[-1].size < _SEGMENT_BYTES:
            return self._segments[-1]
        self._close_file()
        path = self._folder / f"{self._next:010d}{_SUFFIX}"
        self._next += 1
        segment = Segment(path, self._mark())
        data = _MAGIC + msgspec.json.encode(segment.mark) + b"\n"
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        try:
            _write_all(file, data)
            _sync_folder(self._folder)
        except OSError:
            os.close(file)
            with suppress(OSError):
                path.unlink()
            raise
        self._file, segment.size = file, len(data)
        with self._guard:
            self._segments.append(segment)
        self._delete_unneeded()
        return segment

    def _abandon(self, segment: Segment) -> None:
        """Cut off what was not written completely, and never write to this file again."""
        with suppress(OSError):
            os.ftruncate(self._file, segment.size)
        self._close_file()

    def _close_file(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    # --- which segments are needed ---

    def keep(self, segment: Segment) -> None:
        """Note that something more needs a segment."""
        with self._guard:
            segment.needed_by += 1

    def release(self, segment: Segment) -> None:
        """Note that something needs a segment no more; it is deleted if nothing does."""
        with self._guard:
            segment.needed_by -= 1
            is_unneeded = not segment.needed_by
        if is_unneeded:
            self._delete_unneeded()

    def _delete_unneeded(self) -> None:
        with self._guard:
            last = self._segments[-1] if self._file >= 0 and self._segments else None
            unneeded = [each for each in self._segments if not each.needed_by and each is not last]
            self._segments = [each for each in self._segments if each not in unneeded]
        for segment in unneeded:
            with suppress(OSError):  # it is read again at the next start, and found in the output
                segment.path.unlink()

    @property
    def size(self) -> int:
        """The bytes of all segments."""
        with self._guard:
            return sum(segment.size for segment in self._segments)

    @property
    def oldest(self) -> Segment | None:
        """The oldest segment that something needs, unless it is the one that is written."""
        with self._guard:
            return self._segments[0] if len(self._segments) > 1 else None

    # --- reading what a killed process left ---

    def read_left(self) -> Iterator[tuple[Segment, Entry]]:
        """The requests of the segments that were there at the start, oldest first.

        A record that was not written completely ends its segment: it was not acknowledged. Each segment
        is deleted afterwards if nothing needs it.
        """
        for segment in self.left:
            segment.needed_by += 1
            segment.size = segment.path.stat().st_size
            with self._guard:
                self._segments.append(segment)
            for entry in _entries_in(segment.path):
                yield segment, entry
            self.release(segment)

    def close(self) -> None:
        """Write what is pending, and give up the lock; segments that nothing needs are deleted."""
        with self._has_work:
            self._is_closed = True
            self._has_work.notify()
        self._thread.join()
        self._close_file()
        self._delete_unneeded()
        with suppress(OSError):
            (self._folder / _LOCK).unlink()
            self._folder.rmdir()  # if nothing is left
        os.close(self._lock_file)


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def _sync_folder(folder: Path) -> None:
    """Make sure that new files of a folder are on the disk, too."""
    try:
        file = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows cannot open folders
        return
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _locked(folder: Path) -> int:
    """The file descriptor of the lock of a folder, which the process holds until it ends."""
    path = folder / _LOCK
    for _ in range(_ATTEMPTS):
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise InvalidSettings(f"cannot use the journal {folder}: {error.strerror}") from error
        try:
            _lock(file)
        except OSError:
            os.close(file)
            problem = f"another receiver is writing to this file: its journal {folder} is in use"
            raise InvalidSettings(f"{problem}. Stop it, or pass another --output") from None
        with suppress(OSError):
            if path.stat().st_ino == os.fstat(file).st_ino:
                return file
        os.close(file)  # deleted in between by a receiver that ended
    raise InvalidSettings(f"cannot lock the journal {folder}. Try again")


def _lock(file: int) -> None:
    if os.name == "nt":  # pragma: no cover  (Windows)
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _segment_paths(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob(f"*{_SUFFIX}") if path.stem.isdigit())


def _mark_in(path: Path) -> OutputMark:
    """Where the output ended when a segment was begun; its beginning if the segment is damaged."""
    with path.open("rb") as file:
        magic, line = file.readline(), file.readline()
    if magic == _MAGIC:
        with suppress(msgspec.MsgspecError, ValueError):
            return _decode_mark(line)
    return OutputMark(0, 0)


def _entries_in(path: Path) -> Iterator[Entry]:
    with path.open("rb") as file:
        if file.readline() != _MAGIC:
            return
        file.readline()
        while len(head := file.read(_HEAD.size)) == _HEAD.size:
            length, checksum = _HEAD.unpack(head)
            content = file.read(length)
            if len(content) < length or zlib.crc32(content) != checksum:
                return
            yield _decode_entry(content)
