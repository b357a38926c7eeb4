"""Locks that mark a run as active: a lock file beside the database, or a lock of the server."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from callscore.errors import UnusableStore

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.history.database import Database
    from callscore.history.records import RunRecord

# File descriptors of the locks that this process holds.
_held: set[int] = set()


def _release_after_fork() -> None:
    """Close inherited lock files and connections in a forked child, so that it does not hold the locks."""
    while _held:
        with suppress(OSError):
            os.close(_held.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_after_fork)


class RunLock:
    """The lock of a run of a database; without one there is no lock."""

    def __init__(self, database: Database | None, run: str) -> None:
        self._database = database
        self._run = run
        self._unlock: Callable[[], None] | None = None
        self._process = 0

    def __enter__(self) -> Self:
        self.take()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def take(self) -> bool:
        """Acquire the lock; returns False if another process holds it.

        If there can be no lock, on a full disk or without the server, it counts as acquired.
        """
        if self._database is None or self._unlock is not None:
            return True
        self._process = os.getpid()
        try:
            if self._database.path is None:
                self._unlock = _lock_on_server(self._database, self._run)
            else:
                file = self._database.path
                self._unlock = _lock_file(file.with_name(f"{file.name}-{self._run}.lock"))
        except (OSError, UnusableStore):
            return True
        return self._unlock is not None

    def release(self) -> None:
        """Release the lock, if this object and this process hold it."""
        unlock, self._unlock = self._unlock, None
        if unlock is not None and self._process == os.getpid():
            unlock()


def _lock_file(path: Path) -> Callable[[], None] | None:
    """Create and lock a file; returns what unlocks it, None if another process holds it."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if not _try_lock(file):
            os.close(file)
            return None
        with suppress(FileNotFoundError):
            if os.path.samestat(path.stat(), os.fstat(file)):
                _held.add(file)
                return partial(_remove_lock, path, file)
        os.close(file)  # it was removed before it was locked


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


def _remove_lock(path: Path, file: int) -> None:
    """Delete a lock file while it is locked, then close it."""
    _held.discard(file)
    with suppress(OSError):
        path.unlink()
    os.close(file)


# The server may close idle connections; that of a lock is idle for a long time.
_NO_IDLE_TIMEOUT = (
    "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'"
)
_LOCK = "SELECT pg_try_advisory_lock(hashtextextended(:run, 0))"


def _lock_on_server(database: Database, run: str) -> Callable[[], None] | None:
    """Lock a run in a connection of its own; returns what unlocks it, None if another has locked it."""
    from callscore.history.database import execute, fetch_all, readable_errors

    with readable_errors(database.place):
        connection: Any = database.connect()
        execute(connection, _NO_IDLE_TIMEOUT)
        [(is_free,)] = fetch_all(connection, _LOCK, {"run": f"callscore run {run}"})
        if not is_free:
            connection.close()
            return None
        file = connection.fileno()
        _held.add(file)
        return partial(_close, connection, file)


def _close(connection: Any, file: int) -> None:
    _held.discard(file)
    connection.close()


def is_abandoned(store: Database, run: RunRecord) -> bool:
    """Whether a run is marked as running, but its process has ended."""
    return run.status == "running" and is_unlocked(store, run)


def is_unlocked(store: Database, run: RunRecord) -> bool:
    """Whether no process has locked a run."""
    lock = RunLock(store, run.id)
    is_free = lock.take()
    lock.release()
    return is_free
