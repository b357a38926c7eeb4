"""The runs of a history as rows of a list: one for each evaluation of a run."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from callscore.evaluations.locations import file_of_location
from callscore.history.run_metadata import is_partial, unreadable_records
from callscore.history.saved_totals import saved_cases_of
from callscore.reports.history import RunRow

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from callscore.history.records import RunRecord
    from callscore.history.run_lookup import RunLine

__all__ = ["heading_row", "rows_of_runs"]

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
