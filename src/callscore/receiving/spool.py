"""What is on the disk: a file that lines are appended to, and the spool of spans that are not written yet.

The spool is such a file, and not SQLite: that drops the rest of a damaged log without a word, and copying the
log into the database before each answer takes three syncs in place of one. A line of the spool has a digest, a
number, and the spans of a trace in one request, or a list of the numbers that are not needed any more.
The first one says which session it is, and how many bytes are acknowledged: it is overwritten again and again.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from pathlib import Path

try:
    import fcntl
except ImportError:  # pragma: no cover  (not on this system)
    fcntl = None  # type: ignore[assignment]

_SPARED_BYTES = 64 << 20  # of lines that are not needed; then the spool is written anew
_OTHER_OUTPUT = "or pass another --output"


class LineFile:
    """A file of lines that is only ever longer, and that no other receiver writes.

    Args:
        path: the file.
        is_spool: whether only its user may read it, and its first line is overwritten.

    Raises:
        InvalidSettings: it cannot be opened, is not a regular file, or is in use.
    """

    def __init__(self, path: Path, *, is_spool: bool = False) -> None:
        self._path = path
        self._whole: int | None = None  # where the lines end if more may follow them after an error
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        flags |= 0 if is_spool else os.O_APPEND
        try:
            self._file = os.open(path, flags, 0o600 if is_spool else 0o644)
        except OSError as error:
            raise InvalidSettings(f"cannot write {path}: {error.strerror}") from error
        problem = self._problem()
        if problem:
            os.close(self._file)
            raise InvalidSettings(problem)

    def _problem(self) -> str:
        if not stat.S_ISREG(os.fstat(self._file).st_mode):
            problem = f"cannot write {self._path}: it is not a regular file"
            return f"{problem}. Traces are kept in a file before they are acknowledged"
        try:
            if fcntl is not None:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_ours = os.fstat(self._file).st_ino == self._path.stat().st_ino
        except (BlockingIOError, FileNotFoundError):  # of a receiver that runs, or has just ended
            is_ours = False
        except OSError:  # a file system without locks
            is_ours = True
        problem = f"another receiver is writing to this file: {self._path} is in use"
        return "" if is_ours else f"{problem}. Stop it, {_OTHER_OUTPUT}"

    @property
    def size(self) -> int:
        """Where it ends."""
        return os.fstat(self._file).st_size

    @property
    def inode(self) -> int:
        """Which file it is."""
        return os.fstat(self._file).st_ino

    def append(self, lines: Iterable[bytes]) -> int:
        """Write lines, and wait until they are on the disk; returns where the first one begins.

        Raises:
            OSError: they could not be written, and none of them is in the file.
        """
        if self._whole is not None:
            os.ftruncate(self._file, self._whole)
        begin = self._whole = self.size
        try:
            os.lseek(self._file, begin, os.SEEK_SET)
            for line in lines:
                view = memoryview(line)
                while view:
                    view = view[os.write(self._file, view) :]
            os.fsync(self._file)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._file, begin)
            raise
        self._whole = None
        return begin

    def lines_from(self, offset: int = 0) -> Iterator[tuple[int, bytes]]:
        """The lines that begin at an offset or after it, each with its own."""
        with self._path.open("rb") as file:
            file.seek(max(0, offset - 1))
            if offset > 0:  # at the end of a line, or within one
                file.readline()
            while text := file.readline():
                yield file.tell() - len(text), text

    def overwrite(self, line: bytes) -> None:
        """Write a first line of the same length. It is on the disk with the next lines."""
        os.lseek(self._file, 0, os.SEEK_SET)
        os.write(self._file, line)

    def cut(self, size: int) -> None:
        """Remove what follows a size."""
        os.ftruncate(self._file, size)

    def close(self) -> None:
        """Close it, and let others write."""
        file, self._file = self._file, -1  # the number may become that of another file
        os.close(file)


class _Group(Struct):
    """Rows that are written with one sync."""

    rows: list[tuple[int, bytes]] = []
    is_done: bool = False
    problem: str = ""  # why they could not be written


class Spool:
    """Keeps rows of bytes on the disk until they are deleted, and reads those that a killed process has left.

    Args:
        path: the file, which no other process uses until `close`.
        limit: the bytes of rows that are read from it at most.

    Attributes:
        path: the file.
        is_new: whether nothing was left by a receiver before.
        session: the inode of the output when the session began, and where it ended; None if none has
            begun, or that is unknown.
        is_damaged: whether something in it is missing, or could not be read.

    Raises:
        InvalidSettings: another receiver uses it, it is not the file of a receiver, or it is too large.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self.path = path
        self.session: tuple[int, int] | None = None
        self.is_damaged = False
        self._file = LineFile(path, is_spool=True)
        self.is_new = self._file.size == 0
        self._rows: dict[int, tuple[int, int]] = {}  # where each begins, and its bytes
        self._unneeded: list[int] = []  # to delete with the next rows
        self._last = 0  # the highest number of a line
        self._most = 0  # bytes after which it is written anew; 0 until a session begins
        self._group = _Group()
        self._guard = Lock()  # of the group, the numbers, and what is to be deleted
        self._writing = Lock()
        try:
            self._open(limit)
        except BaseException:
            self._file.close()
            raise

    # --- before the first request ---

    def _open(self, limit: int) -> None:
        is_large = self._file.size > 2 * limit + _SPARED_BYTES
        acknowledged = 0  # bytes
        for offset, line in () if is_large else self._file.lines_from():
            # A last line without its end was not acknowledged, unless the first line says so.
            is_needed = line.endswith(b"\n") or offset < acknowledged
            try:
                number, content = _content_of(line)
                if number == 0:
                    inode, output, acknowledged = (int(each) for each in content.split())
                    self.session = inode, output
                elif content.startswith(b"["):
                    for each in msgspec.json.decode(content, type=list[int]):
                        self._rows.pop(each, None)
                else:
                    self._rows[number] = offset, len(line)
                self._last = max(self._last, number)
            except (msgspec.MsgspecError, ValueError):
                self.is_damaged = self.is_damaged or is_needed
        has_head = self.is_new or self.session is not None
        self.is_damaged = self.is_damaged or not has_head or self._file.size < acknowledged
        if not (has_head or self._last or is_large):
            problem = "it is not what a receiver has left, or its beginning is damaged"
            raise InvalidSettings(
                f"cannot use {self.path}: {problem}. Move the file away, {_OTHER_OUTPUT}"
            )
        if is_large or sum([size for _, size in self._rows.values()]) > limit:
            problem = f"{self.path} has more requests than fit into the memory that is allowed"
            raise InvalidSettings(f"{problem}. Pass a larger --max-memory, or move the file away")

    def read(self) -> Iterator[tuple[int, bytes]]:
        """The rows that a killed process has left, each with its number."""
        return ((number, _content_of(line)[1]) for number, line in self._lines())

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        with self.path.open("rb") as file:
            for number, (begin, size) in self._rows.items():
                file.seek(begin)
                yield number, file.read(size)

    def begin(self, output: tuple[int, int]) -> None:
        """Begin a session, unless one goes on, and take requests.

        Args:
            output: its inode, and where it ends.

        Raises:
            OSError: the file cannot be written.
        """
        self.session = output if self.session is None else self.session
        self._write_anew()

    # --- in any thread ---

    def add(self, contents: Sequence[bytes]) -> list[int]:
        """Write rows; returns their numbers when they are on the disk.

        What other threads add while one writes is the next group, which the first of them writes.

        Raises:
            OSError: they could not be written.
        """
        with self._guard:
            group, first = self._group, self._last + 1
            rows = [(number, _line(number, each)) for number, each in enumerate(contents, first)]
            group.rows += rows
            self._last += len(rows)
        with self._writing:
            if not group.is_done:
                self._write(group)
        if group.problem:
            raise OSError(group.problem)
        return [number for number, _ in rows]

    def delete(self, rows: Sequence[int]) -> None:
        """Delete rows when others are written. One that a kill leaves is found in the output."""
        with self._guard:
            self._unneeded += rows

    def close(self, *, ends_session: bool) -> None:
        """Let others use the file; it is deleted if the session has ended."""
        if ends_session:
            with suppress(OSError):
                self.path.unlink()  # while it is locked
        elif self._unneeded and self._most:  # a damaged one stays as it is
            self._write(self._group)
        self._file.close()

    def _write(self, group: _Group) -> None:
        with self._guard:
            self._group, unneeded, self._unneeded = _Group(), self._unneeded, []
            self._last += 1
            number = self._last
        lines = [line for _, line in group.rows]
        if unneeded:
            lines.append(_line(number, msgspec.json.encode(unneeded)))
        try:
            begin = self._file.append(lines)
        except (OSError, MemoryError) as error:
            group.problem = getattr(error, "strerror", None) or str(error)
            self.delete(unneeded)
        else:
            for number, line in group.rows:
                self._rows[number] = begin, len(line)
                begin += len(line)
            for row in unneeded:
                self._rows.pop(row, None)
            with suppress(OSError):
                self._file.overwrite(self._head(self._file.size))
        group.is_done = True
        if self._file.size > self._most:
            self._most = 2 * self._file.size  # if it fails, not again at once
            with suppress(OSError, InvalidSettings):
                self._write_anew()

    def _write_anew(self) -> None:
        """Write what is needed to a new file, which takes the place of the old one."""
        rows, begin = {}, len(self._head(0))
        for number, (_, size) in self._rows.items():
            rows[number] = begin, size
            begin += size
        new = self.path.with_name(f"{self.path.name}.new")
        new.unlink(missing_ok=True)
        file = LineFile(new, is_spool=True)
        try:
            file.append(chain([self._head(begin)], (line for _, line in self._lines())))
            if os.name != "nt":
                new.replace(self.path)
        except BaseException:
            file.close()
            new.unlink()
            raise
        self._file.close()
        self._file, self._rows = file, rows
        if os.name == "nt":  # pragma: no cover  (it replaces no open file)
            file.close()
            new.replace(self.path)
            self._file = LineFile(self.path, is_spool=True)
        self._most = 2 * begin + _SPARED_BYTES
        with suppress(OSError):  # not on every system
            folder = os.open(self.path.parent, os.O_RDONLY)  # its new name is on the disk, too
            os.fsync(folder)
            os.close(folder)

    def _head(self, size: int) -> bytes:
        """The first line, always of the same length."""
        return _line(0, b"%40d %20d %20d" % (*(self.session or (0, 0)), size))


def _line(number: int, content: bytes) -> bytes:
    text = b"%d " % number, content, b"\n"
    return b"".join([_digest(*text), b" ", *text])


def _content_of(line: bytes) -> tuple[int, bytes]:
    """The number of a line, and what it has.

    Raises:
        ValueError: it is damaged or cut off.
    """
    digest, _, text = line.partition(b" ")
    if not text.endswith(b"\n") or digest != _digest(text):
        raise ValueError
    number, _, content = text[:-1].partition(b" ")
    return int(number), content


def _digest(*parts: bytes) -> bytes:
    found = blake2b(digest_size=16)
    for part in parts:
        found.update(part)
    return found.hexdigest().encode()
