"""The runs of a history as rows of a list: one for each evaluation of a run."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from callscore.errors import UnknownRun
from callscore.evaluations.locations import file_of_location
from callscore.history.opening import open_existing
from callscore.history.postgres import STORE_VARIABLE
from callscore.history.run_metadata import is_partial, unreadable_records
from callscore.history.saved_totals import saved_cases_of
from callscore.reports.history import RunRow

if TYPE_CHECKING:
    from callscore.history.records import RunRecord
    from callscore.history.run_lookup import Fits, RunLine
    from callscore.history.store import Store

_TALLY_FIELDS = ("cases", "trials", "answered", "passed", "share", "interval", "f1", "errors")
_tally_values = attrgetter(*_TALLY_FIELDS)


def rows_of_runs(lines: Sequence[RunLine], left: Collection[str] = ()) -> list[RunRow]:
    """One row per evaluation, and one for a run without any; `left` are ids of abandoned runs."""
    parents = {line.run.id: line.run for line in lines}
    rows = []
    for line in lines:
        heading = _heading(line.run, line.baselines, parents, is_left=line.run.id in left)
        rows += [
            RunRow(
                **heading,
                evaluation=each.name,
                variant=each.variant,
                place=file_of_location(each.place),
                key=each.place,
                **dict(zip(_TALLY_FIELDS, _tally_values(each.tally), strict=True)),
            )
            for each in line.evaluations
        ] or [RunRow(**heading)]
    return rows


def heading_row(
    run: RunRecord,
    baselines: Sequence[str],
    known: Mapping[str, RunRecord],
    *,
    is_left: bool = False,
) -> RunRow:
    """The row of a run without its evaluations.

    `known` are runs by their ids, with those that it has its answers from. `is_left` means that the
    run is abandoned: unfinished, and without a process.
    """
    return RunRow(**_heading(run, baselines, known, is_left=is_left))


def _heading(
    run: RunRecord, baselines: Sequence[str], known: Mapping[str, RunRecord], *, is_left: bool
) -> dict[str, Any]:
    return {
        "id": run.id,
        "command": run.command,
        "started_at": run.started_at,
        "name": run.name,
        "git_commit": run.git_commit,
        "git_dirty": run.git_dirty,
        "status": "abandoned" if is_left else run.status,
        "baselines": tuple(baselines),
        "is_partial": is_partial(run, known),
        "unreadable": unreadable_records(run),
        "saved_cases": saved_cases_of(run),
    }


def saved_rows(
    store: str | None, max_shown: int, *, tag: str | None = None, keyword: str = ""
) -> tuple[list[RunRow], int]:
    """The runs, and how many are left out because not every case is saved with its tags.

    There are no runs if no history is named and none exists yet.
    """
    from callscore.history.locks import is_abandoned
    from callscore.history.run_lookup import OLDER_RUNS, list_runs

    fits = None
    if keyword:
        from callscore.evaluations.plan import keyword_filter

        fits = keyword_filter(keyword)
    try:
        opened = open_existing(store)
    except UnknownRun:
        if store is not None or os.environ.get(STORE_VARIABLE):
            raise
        return [], 0
    with opened:
        lines = list_runs(opened, limit=max_shown + OLDER_RUNS, tag=tag, fits=fits)
        left = {line.run.id for line in lines if is_abandoned(opened, line.run)}
        without_tags = 0
        if tag is not None:
            without_tags = sum(_is_left_out(opened, run, fits) for run in opened.runs())
    return rows_of_runs(lines, left), without_tags


def _is_left_out(store: Store, run: RunRecord, fits: Fits | None) -> bool:
    """Whether a run that would be listed has not every case, so that those with a tag are not known."""
    if saved_cases_of(run) == "all":
        return False
    texts = [(each.name, each.variant or "", each.place) for each in store.evaluations(run.id)]
    return fits is None or any(map(fits, texts))
