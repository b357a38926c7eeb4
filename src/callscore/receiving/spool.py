"""The spool: spans that were accepted, in a SQLite file until their trace is written.

It has one table: a row for each trace of a request, with a digest, and row 0 about the session. One thread
writes: what waits is one transaction. It is copied from the log into the database before anybody is answered,
because SQLite drops the rest of a damaged log without a word, while a damaged row is found by its digest.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from hashlib import blake2b
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from pathlib import Path

_MAGIC, _ID_PLACE = b"SQLite format 3\0", slice(68, 72)
_APPLICATION_ID = 0x63734F54
_TABLE = "CREATE TABLE spool (id INTEGER PRIMARY KEY, content BLOB, digest BLOB)"
_WRITE = "INSERT OR REPLACE INTO spool VALUES (?, ?, ?)"
_NEXT = "SELECT id, content, digest FROM spool WHERE id >= ? ORDER BY id LIMIT 1"
_MAX_PROBES = 10_000  # ids after a damaged row at which the next one is looked for
_BATCH_BYTES = 64 << 20  # that one transaction writes, about
_MAX_ROW_BYTES = 1 << 30


class OutputMark(Struct, frozen=True):
    """Which file the output was at some time, and where it ended."""

    file: int
    offset: int


class _Session(Struct):
    """Row 0: the output when the session began, and how many other rows there are."""

    output: OutputMark
    rows: int = 0


_decode_session = msgspec.json.Decoder(_Session).decode


class _Job(Struct, frozen=True):
    """Rows to add and to delete; the result is the ids of those that were added."""

    contents: Sequence[bytes]
    unneeded: Sequence[int]
    done: Future[list[int]]


class Spool:
    """Keeps spans on the disk, and reads those that a killed process has left.

    Args:
        path: the file; it is created if it does not exist, and locked until `close`.
        limit: the bytes that are read from it at most.

    Attributes:
        path: the file.
        is_new: whether nothing was left by a receiver before.
        session: the output when the session began; None if none has begun.
        is_damaged: whether something in it could not be read.

    Raises:
        InvalidSettings: another receiver uses it, or it is not the file of a receiver.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self.path = path
        self.session: OutputMark | None = None
        self.is_damaged = False
        self._limit = limit
        self._rows = self._found = 0
        self._next = 1
        self._unneeded: list[int] = []  # to delete with the next transaction
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread = Thread(target=self._write_jobs, name="callscore-spool", daemon=True)
        inode = _require_own(path, limit)
        self._database = sqlite3.connect(
            path, timeout=0, isolation_level=None, check_same_thread=False
        )
        try:
            self._open()
            is_locked = path.stat().st_ino == inode
        except (sqlite3.Error, OSError, msgspec.MsgspecError) as error:
            self._database.close()
            if "locked" in str(error):
                problem = f"another receiver is writing to this file: {path} is in use"
                raise InvalidSettings(f"{problem}. Stop it, or pass another --output") from None
            raise _unusable(path, str(error)) from error
        if not is_locked:  # deleted in between by a receiver that ended
            self._database.close()
            raise InvalidSettings(f"cannot lock {path}. Try again")

    def _open(self) -> None:
        execute = self._database.execute
        self._database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(self._limit, _MAX_ROW_BYTES))
        execute("PRAGMA locking_mode=EXCLUSIVE")
        execute("BEGIN EXCLUSIVE")
        tables = execute("SELECT sql FROM sqlite_master LIMIT 2").fetchall()
        if not tables:
            execute(f"PRAGMA application_id={_APPLICATION_ID}")
            execute(_TABLE)
        elif tables != [(_TABLE,)]:
            raise sqlite3.DatabaseError("another table")
        execute("COMMIT")
        execute("PRAGMA journal_mode=WAL")
        execute("PRAGMA synchronous=FULL")
        self.is_new = not tables
        row = self._row_from(0)
        if row is not None and row[0] == 0:
            found = _decode_session(row[1])
            self.session, self._rows = found.output, found.rows

    # --- before the first request ---

    def read(self) -> Iterator[tuple[int, bytes]]:
        """The rows that a killed process has left; afterwards it is known whether some are damaged.

        Raises:
            InvalidSettings: it is too much.
        """
        size = 0
        while (row := self._row_from(self._next)) is not None:
            size += len(row[1])
            if size > self._limit:
                raise _too_large(self.path)
            self._found, self._next = self._found + 1, row[0] + 1
            yield row
        self.is_damaged = self.is_damaged or self._found != self._rows

    def _row_from(self, start: int) -> tuple[int, bytes] | None:
        """The first row from an id on that can be read; None if there is none."""
        for number in range(start, start + _MAX_PROBES):
            with suppress(sqlite3.Error):
                row = self._database.execute(_NEXT, (number,)).fetchone()
                if row is None:
                    return None
                if isinstance(row[1], bytes) and row[2] == _digest(row[0], row[1]):
                    return row[0], row[1]
            self.is_damaged = True
        return None

    def begin(self, output: OutputMark) -> None:
        """Begin a session, unless one goes on, and take requests.

        Raises:
            OSError: the file cannot be written.
        """
        self.session = self.session or output
        self._commit([])
        self._thread.start()

    # --- in any thread ---

    def add(self, contents: Sequence[bytes]) -> list[int]:
        """Write rows; returns their ids when they are on the disk.

        Raises:
            OSError: they could not be written.
        """
        job = _Job(contents, (), Future())
        self._jobs.put(job)
        return job.done.result()

    def delete(self, ids: Sequence[int]) -> None:
        """Delete rows soon. One that is left by a kill is found in the output at the next start."""
        self._jobs.put(_Job((), ids, Future()))

    def close(self, *, ends_session: bool) -> None:
        """Write what waits, and give up the lock; the file is deleted if the session has ended."""
        if self._thread.is_alive():
            self._jobs.put(None)
            self._thread.join()
        with suppress(sqlite3.Error, OSError):
            if self._unneeded and not ends_session:
                self._commit([])
            if ends_session:
                self._database.execute("DELETE FROM spool")
                self._database.execute("PRAGMA journal_mode=DELETE")  # deletes the log
                self.path.unlink()  # while it is locked
        self._database.close()

    # --- in the thread that writes ---

    def _write_jobs(self) -> None:
        is_open = True
        while is_open:
            jobs: list[_Job] = []
            size = 0
            while not jobs or (size < _BATCH_BYTES and not self._jobs.empty()):
                job = self._jobs.get()
                if job is None:
                    is_open = False
                    break
                jobs.append(job)
                size += sum(map(len, job.contents))
            try:
                added = self._commit(jobs)
            except OSError as error:
                for job in jobs:
                    job.done.set_exception(error)
            else:
                for job, ids in zip(jobs, added, strict=True):
                    job.done.set_result(ids)

    def _commit(self, jobs: list[_Job]) -> list[list[int]]:
        """Do jobs in one transaction; returns the ids of the rows of each.

        What could not be deleted, and rows that were only written to the log, are deleted with the next one: no sender knows
        of these rows.
        """
        database, found = self._database, []
        rows, number = self._rows, self._next
        unneeded = [*self._unneeded, *[row for job in jobs for row in job.unneeded]]
        try:
            database.execute("BEGIN")
            for job in jobs:
                ids = list(range(number, number + len(job.contents)))
                pairs = zip(ids, job.contents, strict=True)
                database.executemany(_WRITE, [_row(*pair) for pair in pairs])
                found.append(ids)
                number += len(ids)
            database.executemany("DELETE FROM spool WHERE id = ?", [(row,) for row in unneeded])
            rows += number - self._next - len(unneeded)
            if self.session is not None:
                about = msgspec.json.encode(_Session(self.session, rows))
                database.execute(_WRITE, _row(0, about))
            database.execute("COMMIT")
            unneeded = list(range(self._next, number))
            self._rows, self._next = rows, number
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            unneeded = []
        except (sqlite3.Error, MemoryError) as error:
            with suppress(sqlite3.Error):
                database.execute("ROLLBACK")
            raise OSError(str(error)) from error
        finally:
            self._unneeded = unneeded
        return found


def _row(number: int, content: bytes) -> tuple[int, bytes, bytes]:
    return number, content, _digest(number, content)


def _digest(number: int, content: bytes) -> bytes:
    return blake2b(b"%d " % number + content, digest_size=16).digest()


def _require_own(path: Path, limit: int) -> int:
    """The number of the file, which is created if there is none.

    Nothing of a file is given to SQLite that a receiver has not written, or that is too large.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_CREAT, 0o600)
        try:
            about, head = os.fstat(file), os.read(file, 100)
        finally:
            os.close(file)
    except OSError as error:
        raise InvalidSettings(f"cannot use {path}: {error.strerror}") from error
    is_own = head.startswith(_MAGIC) and head[_ID_PLACE] == _APPLICATION_ID.to_bytes(4, "big")
    if head and not is_own:
        raise _unusable(path, "it is not what a receiver has left, or its beginning is damaged")
    if about.st_size > 2 * limit:  # also pages that are free now
        raise _too_large(path)
    return about.st_ino


def _unusable(path: Path, problem: str) -> InvalidSettings:
    return InvalidSettings(
        f"cannot use {path}: {problem}. Move the file away, or pass another --output"
    )


def _too_large(path: Path) -> InvalidSettings:
    problem = f"{path} has more requests than fit into the memory that is allowed"
    return InvalidSettings(f"{problem}. Pass a larger --max-memory, or move the file away")
