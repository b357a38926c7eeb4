"""The results of a run in progress, read little by little by those who watch it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.history import run_queries
from callscore.history.database import fetch_all, with_retries

if TYPE_CHECKING:
    from callscore.history.store import Store

_OF_RUN = """
SELECT number, evaluation, case_id, trial, status, passed, f1, seconds, finished_at, failure
FROM results WHERE run = :run
"""
_AFTER = f"{_OF_RUN} AND number > :after ORDER BY number"
_SINCE = f"{_OF_RUN} AND finished_at >= :since"


class LiveResult(NamedTuple):
    """What a list of the newest results shows of one of them; `number` is that of its row."""

    number: int
    evaluation: int
    case: str
    trial: int
    status: str
    passed: bool | None
    f1: float | None
    seconds: float
    finished_at: float
    failure: str | None


@with_retries
def results_after(store: Store, run: str, number: int) -> list[LiveResult]:
    """The results of a run whose rows come after the row of this number; -1 for all."""
    return _read(store, run, _AFTER, {"after": number})


@with_retries
def results_since(store: Store, run: str, moment: float) -> list[LiveResult]:
    """The results that were written since a moment, in seconds since 1970.

    A run that goes on asks again after an error, and replaces the result in its row. All rows of the
    run are searched.
    """
    return _read(store, run, _SINCE, {"since": moment})


def _read(store: Store, run: str, query: str, given: dict[str, Any]) -> list[LiveResult]:
    with store.reading() as connection:
        saved = run_queries.saved_run(connection, run)
        rows = fetch_all(connection, query, {"run": saved.number, **given})
        return list(map(LiveResult._make, rows))
