"""Opens a history to look for something in it: none is made for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.errors import UnknownRun
from callscore.history.opening import file_of_store, open_to_read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from callscore.history.store import Store

__all__ = ["StoreOnce", "open_existing"]


def open_existing(place: Path | str | None = None) -> Store:
    """Open the history that is there.

    Args:
        place: a file, or the address of a server. By default what the variable `CALLSCORE_STORE`
            says; else the file of the project that we are in.

    Raises:
        UnknownRun: there is no history there.
        UnusableStore: it cannot be used.
    """
    file = file_of_store(place)
    if file is not None and not file.exists():
        raise UnknownRun(f"there is no run yet: {file} does not exist")
    return open_to_read(place or None)


class StoreOnce:
    """A history that is opened when it is first asked for; who asks again is given the same.

    Args:
        opened: opens it.
    """

    def __init__(self, opened: Callable[[], Store]) -> None:
        self._opened = opened
        self._store: Store | None = None

    def __call__(self) -> Store:
        """Open it, or give the one that is open."""
        if self._store is None:
            self._store = self._opened()
        return self._store

    def close(self) -> None:
        """Close it, if it was opened."""
        if self._store is not None:
            self._store.close()
