"""Runs of the history as the reports show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.evaluations.places import file_of
from callscore.history.selections import is_partial
from callscore.reports.history_rows import RunRow

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from callscore.history.overview import RunLine
    from callscore.history.records import RunRecord

__all__ = ["heading_row", "rows_of"]

_ABANDONED = "abandoned"


def rows_of(lines: Sequence[RunLine], left: Collection[str] = ()) -> list[RunRow]:
    """The evaluations of the runs of a list; a run without any has a row, too.

    Args:
        lines: the runs.
        left: the ids of those that say that they are under way, and that no process is at.
    """
    parents = {line.run.id: line.run for line in lines}
    return [row for line in lines for row in _rows(line, parents, left)]


def _rows(
    line: RunLine, parents: Mapping[str, RunRecord], left: Collection[str]
) -> Iterator[RunRow]:
    about = {
        **_about(line.run, is_left=line.run.id in left),
        "baselines": line.baselines,
        "is_partial": is_partial(line.run, parents),
    }
    if not line.evaluations:
        yield RunRow(**about)
    for each in line.evaluations:
        tally = each.tally
        yield RunRow(
            **about,
            evaluation=each.name,
            variant=each.variant,
            place=file_of(each.place),
            key=each.place,
            cases=tally.cases,
            answered=tally.answered,
            passed=tally.passed,
            share=tally.share,
            interval=tally.interval,
            f1=tally.f1,
            errors=tally.errors,
        )


def heading_row(
    run: RunRecord,
    baselines: Sequence[str],
    known: Mapping[str, RunRecord],
    *,
    is_left: bool = False,
) -> RunRow:
    """What the heading of one run says.

    Args:
        run: the run.
        baselines: the names that it is a baseline under.
        known: runs by their ids, those that it has its answers from among them.
        is_left: whether it says that it is under way, and no process is at it.
    """
    return RunRow(
        **_about(run, is_left=is_left),
        baselines=tuple(baselines),
        is_partial=is_partial(run, known),
    )


def _about(run: RunRecord, *, is_left: bool) -> dict[str, Any]:
    fields = ("id", "command", "started_at", "name", "git_commit", "git_dirty")
    status = _ABANDONED if is_left else run.status
    return {"status": status, **{field: getattr(run, field) for field in fields}}
