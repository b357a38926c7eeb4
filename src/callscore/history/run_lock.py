"""Marks a run as being under way, for as long as its process lives: however it ends, the mark does."""

from __future__ import annotations

import os
from contextlib import suppress
from time import sleep
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

__all__ = ["RunLock", "remove_stale"]

_END = ".lock"
# Whoever clears up holds a mark for a moment, too.
_TRIES = 5
_PAUSE = 0.02

# The marks that this process holds.
_held: set[int] = set()


def _let_go_in_copy() -> None:
    """A process that is made as a copy of this one holds nothing, however long it lives."""
    while _held:
        with suppress(OSError):
            os.close(_held.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_in_copy)


class RunLock:
    """The mark of a run, which one process at a time can have.

    Args:
        store: the file of the history, beside which the mark stands; None where it is no file.
        run: the run.
    """

    def __init__(self, store: Path | None, run: str) -> None:
        self._path = None if store is None else store.with_name(f"{store.name}-{run}{_END}")
        self._file = -1

    def __enter__(self) -> Self:
        self.take()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def take(self) -> bool:
        """Take the mark, and keep it; whether nobody else has it.

        Where none can be made, on a full disk for instance, nobody has.
        """
        if self._path is None:
            return True
        for attempt in range(_TRIES):
            if attempt:
                sleep(_PAUSE)
            try:
                self._file = _taken(self._path, os.O_CREAT)
            except OSError:
                return True
            if self._file >= 0:
                return True
        return False

    def release(self) -> None:
        """Take the mark away, if it is ours."""
        if self._path is not None and self._file >= 0:
            _remove(self._path, self._file)
            self._file = -1


def remove_stale(store: Path) -> None:
    """Remove the marks that processes have left that are gone."""
    with suppress(OSError):
        for path in store.parent.glob(f"{store.name}-*{_END}"):
            file = _taken(path, 0)
            if file >= 0:
                _remove(path, file)


def _taken(path: Path, creating: int) -> int:
    """The file of a mark, which is ours now; -1 where it is not."""
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC | creating, 0o600)
    if _take(file) and _is_at(path, file):
        _held.add(file)
        return file
    os.close(file)
    return -1


def _take(file: int) -> bool:
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


def _is_at(path: Path, file: int) -> bool:
    """Whether the file still stands there, and was not removed before it was ours."""
    try:
        there, ours = path.stat(), os.fstat(file)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


def _remove(path: Path, file: int) -> None:
    """Remove a mark while it is ours; afterwards it may be another's."""
    with suppress(OSError):
        path.unlink()
    _held.discard(file)
    with suppress(OSError):
        os.close(file)
