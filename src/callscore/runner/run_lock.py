"""Marks a run as being under way, for as long as its process lives: however it ends, the mark does."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

__all__ = ["RunLock", "is_under_way"]


def _path(store: Path, run: str) -> Path:
    return store.with_name(f"{store.name}-{run}.lock")


class RunLock:
    """Holds the mark of a run while the block runs.

    Where it cannot be made, on a full disk for instance, the run goes on without.

    Args:
        store: the file of the history, beside which the mark stands.
        run: the run.
    """

    def __init__(self, store: Path, run: str) -> None:
        self._path = _path(store, run)
        self._file = -1

    def __enter__(self) -> Self:
        with suppress(OSError):
            self._file = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            _is_taken(self._file)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file >= 0:
            os.close(self._file)
            with suppress(OSError):
                self._path.unlink()


def is_under_way(store: Path | None, run: str) -> bool:
    """Whether a process is at work on a run now, as far as that can be told."""
    if store is None:
        return False
    try:
        file = os.open(_path(store, run), os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _is_taken(file)
    finally:
        os.close(file)


def _is_taken(file: int) -> bool:
    """Take the lock of a file, if it is free; where there are no such locks, it always is."""
    try:
        import fcntl
    except ImportError:  # pragma: no cover  (not on this system)
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
