"""Locks that mark a run as active: a lock file beside the database, or a server lock."""

from __future__ import annotations

import os
from contextlib import suppress
from time import sleep
from typing import TYPE_CHECKING, Any, Self

from callscore.history.hashing import blake2b
from callscore.history.postgres import connect

if TYPE_CHECKING:
    from pathlib import Path

    from psycopg import Connection

    from callscore.history.records import RunRecord
    from callscore.history.store import Store

_LOCK_SUFFIX = ".lock"
# `remove_stale_locks` of another process holds a lock for a moment, too.
_ATTEMPTS = 5
_PAUSE = 0.02

# File descriptors of the locks that this process holds.
_held_files: set[int] = set()


def _release_after_fork() -> None:
    """Close inherited lock files in a forked child, so that it does not hold the locks."""
    while _held_files:
        with suppress(OSError):
            os.close(_held_files.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_after_fork)


class RunLock:
    """The lock of a run: a file beside the SQLite file. Without `store` there is no lock."""

    def __init__(self, store: Path | None, run: str) -> None:
        self._path = None if store is None else store.with_name(f"{store.name}-{run}{_LOCK_SUFFIX}")
        self._file = -1

    def __enter__(self) -> Self:
        self.take()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def take(self) -> bool:
        """Acquire the lock; returns False if another process holds it.

        If no lock file can be created, on a full disk for instance, it counts as acquired.
        """
        if self._path is None:
            return True
        for attempt in range(_ATTEMPTS):
            if attempt:
                sleep(_PAUSE)
            try:
                self._file = _open_locked(self._path, os.O_CREAT)
            except OSError:
                return True
            if self._file >= 0:
                return True
        return False

    def release(self) -> None:
        """Release the lock, if this object holds it."""
        if self._path is not None and self._file >= 0:
            _remove_lock(self._path, self._file)
            self._file = -1


def remove_stale_locks(store: Path) -> None:
    """Remove lock files of processes that have ended."""
    with suppress(OSError):
        for path in store.parent.glob(f"{store.name}-*{_LOCK_SUFFIX}"):
            file = _open_locked(path, 0)
            if file >= 0:
                _remove_lock(path, file)


def _open_locked(path: Path, creating: int) -> int:
    """Open and lock a lock file; -1 if another process holds it."""
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC | creating, 0o600)
    if _try_lock(file) and _is_same_file(path, file):
        _held_files.add(file)
        return file
    os.close(file)
    return -1


def _try_lock(file: int) -> bool:
    """Lock an open file without waiting; always succeeds on systems without such locks."""
    try:
        import fcntl
    except ImportError:  # pragma: no cover  (not on this system)
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_same_file(path: Path, file: int) -> bool:
    """Whether the path still is the open file: it may have been removed before it was locked."""
    try:
        on_disk, opened = path.stat(), os.fstat(file)
    except FileNotFoundError:
        return False
    return (on_disk.st_dev, on_disk.st_ino) == (opened.st_dev, opened.st_ino)


def _remove_lock(path: Path, file: int) -> None:
    """Delete a lock file while it is locked, then close it."""
    with suppress(OSError):
        path.unlink()
    _held_files.discard(file)
    with suppress(OSError):
        os.close(file)


# The server may close idle connections; this one is idle for a long time.
_NO_IDLE_TIMEOUT = (
    "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'"
)


class ServerLock:
    """The lock of a run: a PostgreSQL advisory lock. `parts` are libpq parameters."""

    def __init__(self, parts: dict[str, Any], run: str) -> None:
        self._parts = parts
        self._key = lock_key(f"run {run}")
        self._connection: Connection[Any] | None = None

    def __enter__(self) -> Self:
        self.take()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def take(self) -> bool:
        """Acquire the lock; returns False if another process holds it.

        If the server cannot be reached, it counts as acquired.
        """
        from psycopg import Error

        is_free = True
        with suppress(Error):
            if self._connection is None:
                connection = self._connection = connect(self._parts)
                connection.execute(_NO_IDLE_TIMEOUT)
                found = connection.execute("SELECT pg_try_advisory_lock(%s)", [self._key])
                row = found.fetchone()
                is_free = row is None or bool(row[0])
        if not is_free:
            self.release()
        return is_free

    def release(self) -> None:
        """Release the lock, if this object holds it."""
        from psycopg import Error

        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Error):
                connection.close()


def lock_key(what: str) -> int:
    """The number of an advisory lock."""
    digest = blake2b(
        f"callscore {what}".encode("utf-8", "backslashreplace"), digest_size=8
    ).digest()
    return int.from_bytes(digest, "big", signed=True)


def is_abandoned(store: Store, run: RunRecord) -> bool:
    """Whether a run is marked as running, but its process has ended."""
    return run.status == "running" and is_unlocked(store, run)


def is_unlocked(store: Store, run: RunRecord) -> bool:
    """Whether no process has locked a run."""
    lock = store.lock(run.id)
    if not lock.take():
        return False
    lock.release()
    return True
