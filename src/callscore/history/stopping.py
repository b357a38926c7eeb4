"""Requests to stop a run, from another process or another machine: a mark that the run notices.

The run ends as after Ctrl-C: finished results are saved, and it can be resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import time
from typing import TYPE_CHECKING

from callscore.errors import CallscoreError
from callscore.history import run_queries
from callscore.history.database import execute, fetch_all, with_retries

if TYPE_CHECKING:
    from callscore.history.store import Store

# Seconds between two looks at the history: a query takes some 30 microseconds in a file.
_INTERVAL = 1.0
_REQUEST = (
    "INSERT INTO stop_requests (run, requested_at) VALUES (:run, :requested_at)"
    " ON CONFLICT (run) DO NOTHING"
)
_REQUESTED = """
SELECT stop_requests.run FROM stop_requests JOIN runs ON runs.number = stop_requests.run
WHERE runs.id = :id
"""


@with_retries
def request_stop(store: Store, run: str) -> None:
    """Ask the process of a run to stop it.

    Raises:
        UnknownRun: there is no such run.
    """
    with store.writing() as connection:
        saved = run_queries.saved_run(connection, run)
        execute(connection, _REQUEST, {"run": saved.number, "requested_at": time()})


@with_retries
def is_stop_requested(store: Store, run: str) -> bool:
    """Whether a run was asked to stop since it began or was resumed."""
    with store.reading() as connection:
        return bool(fetch_all(connection, _REQUESTED, {"id": run}))


@contextmanager
def stopping_on_request(store: Store, run: str, stop: Callable[[], object]) -> Iterator[None]:
    """Call `stop` once, in another thread, if the run is asked to stop inside the block.

    A history that cannot be read just now stops nothing.
    """
    is_over = Event()

    def watch() -> None:
        while not is_over.wait(_INTERVAL):
            try:
                is_requested = is_stop_requested(store, run)
            except CallscoreError:
                continue
            if is_requested and not is_over.is_set():
                stop()
                return

    watcher = Thread(target=watch, name="callscore-stop", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join(_INTERVAL)  # it may be reading, and the history is closed next
