"""The history that the page shows: opened when it is first needed, and again if its file is another one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Lock
from typing import TYPE_CHECKING

from callscore.errors import CallscoreError, UnknownRun, UnusableStore
from callscore.history.database import file_identity
from callscore.history.opening import open_existing, store_file_path

if TYPE_CHECKING:
    from callscore.history.store import Store


class History:
    """Opens the history of a project for threads, which share it.

    Args:
        place: a file or the address of a server, as `--store` has it.
    """

    def __init__(self, place: str | None = None) -> None:
        self.place = place
        self._lock = Lock()
        self._store: Store | None = None
        self._file: tuple[int, int] | None = None

    @contextmanager
    def opened(self) -> Iterator[Store]:
        """The open history. After an error it is opened anew the next time.

        Raises:
            UnknownRun: there is no history yet.
            UnusableStore: it cannot be used.
        """
        store = self._current()
        try:
            yield store
        except UnusableStore:
            self._forget(store)
            raise

    @contextmanager
    def opened_or_none(self) -> Iterator[Store | None]:
        """The open history; None if there is none yet."""
        with ExitStack() as stack:
            store = None
            with suppress(UnknownRun):
                store = stack.enter_context(self.opened())
            yield store

    def close(self) -> None:
        """Close the history."""
        with self._lock:
            self._close()

    def _current(self) -> Store:
        with self._lock:
            if self._store is not None and file_identity(self._store.path) != self._file:
                self._close()  # the file was deleted, or replaced by another
            if self._store is None:
                self._store = open_existing(self.place)
                self._file = file_identity(self._store.path)
            return self._store

    def _forget(self, store: Store) -> None:
        """Do not use it again; connections that other threads are using stay open."""
        with self._lock:
            if self._store is store:
                self._close()

    def _close(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            with suppress(CallscoreError):
                store.close()

    @property
    def name(self) -> str:
        """What the history is called in messages; never an address, which may have a password in it."""
        try:
            with self.opened_or_none() as store:
                if store is not None:
                    return store.place
            file = store_file_path(self.place)
        except CallscoreError:
            return ""
        return "" if file is None else str(file)
