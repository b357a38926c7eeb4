"""A stored run as an HTML report needs it: every result once, the totals, and the runs before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from callscore.errors import UnusableStore
from callscore.evaluations.run_rows import heading_row, rows_of_runs
from callscore.history.run_lookup import OLDER_RUNS, list_runs
from callscore.history.run_metadata import lineage
from callscore.reports.history import RunRow, timelines_of
from callscore.reports.html.run import AboutRun, run_parts
from callscore.runner.stored_runs import ShowOptions, StoredRun

if TYPE_CHECKING:
    from callscore.core.results import RunResults
    from callscore.history.records import RunRecord
    from callscore.history.store import Store

_MOST_RUNS = 30  # of a trend


def write_stored_run(
    store: Store,
    run: RunRecord,
    options: ShowOptions,
    case: str | None = None,
    *,
    live: RunResults | None = None,
) -> Iterator[bytes]:
    """The HTML report of a stored run, in parts; `case` is the only case to show.

    `live` are the results of a run that has just ended: the history does not have its warnings.

    Raises:
        InvalidSettings: the keyword is not a valid expression.
        UnknownRun: the run has no such variant or case, or nothing that the keyword fits.
    """
    report = StoredRun(store, run, options, case, is_streamed=True)

    def totals() -> RunResults:
        found = report.totals()
        if live is None:
            return found
        names = ("unloaded", "judges", "warnings", "is_interrupted", "is_stopped", "seconds")
        return replace(found, **{name: getattr(live, name) for name in names})

    yield from run_parts(report.results(), totals, about_run(store, run), options.lang)


def about_run(store: Store, run: RunRecord) -> AboutRun:
    """What a list of runs has of this one, and the runs before it."""
    baselines = [each.name for each in store.baselines() if each.run == run.id]
    row = heading_row(run, baselines, lineage(store, run))
    return AboutRun(row=row, trends=_trend_rows(store, run))


def _trend_rows(store: Store, run: RunRecord) -> dict[str, list[RunRow]]:
    """The complete runs of each evaluation of a run up to it, by label, the oldest first.

    Empty if other runs cannot be read: the report is about this one.
    """
    try:
        lines = list_runs(store, limit=_MOST_RUNS + OLDER_RUNS)
    except UnusableStore:
        return {}
    rows = [row for row in rows_of_runs(lines) if row.started_at <= run.started_at]
    found: dict[str, list[RunRow]] = {}
    for timeline in timelines_of(rows):
        steps = [step.row for step in reversed(timeline.steps)]
        shown = [row for row in steps if row.counts or row.id == run.id]
        if any(row.id == run.id for row in shown):
            found[timeline.label] = shown
    return found
