"""`callscore history`: lists the stored runs, each compared with the one before it."""

from __future__ import annotations

import os
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import click

from callscore.cli.options import (
    keyword_option,
    lang_option,
    max_shown_option,
    open_existing_store,
    store_option,
    tag_option,
)
from callscore.cli.output import open_output, without_secrets, write_report
from callscore.cli.output_formats import report_options
from callscore.errors import UnknownRun, UnusableStore
from callscore.evaluations.locations import file_of_location
from callscore.history.environment import STORE_VARIABLE
from callscore.history.run_metadata import is_partial, unreadable_records
from callscore.reports.history import RunRow, timelines_of, write_json

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from callscore.core.phrases import Language
    from callscore.history.checksums import DamagedHistoryError
    from callscore.history.records import RunRecord
    from callscore.history.run_lookup import RunLine

__all__ = ["command", "heading_row"]

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
    }


_FEW = 20
_HELP = """List the saved runs, the newest first.

There is one table per evaluation and variant. Each run has the share of cases that passed, with its 95%
interval, and an arrow that shows the change from the run before, if both have the same number of cases.
The arrow is bright if the share is outside the interval of that run; 'callscore compare' tests whether
the difference is more than chance. Runs that did not finish, covered only some cases, or only rescored
saved answers are listed without an arrow.
"""


@click.command(help=_HELP)
@keyword_option
@tag_option(multiple=False)
@max_shown_option(str(_FEW), minimum=1)
@report_options(["table", "json"])
@store_option
@lang_option
def command(
    *,
    keyword: str,
    tag: str | None,
    max_shown: int | None,
    output: str | None,
    output_format: str,
    store: str | None,
    lang: Language,
) -> None:
    """List the saved runs."""
    max_shown = _FEW if max_shown is None else max_shown
    rows, damage = _read_rows(store, max_shown, tag, keyword)
    shown = timelines_of(rows, max_shown=max_shown)
    with open_output(output, output_format, lang) as target:
        if output_format == "json":
            target.write_text(write_json(without_secrets(shown)))
        elif rows or damage is None:
            from callscore.reports.history_terminal import History

            has_more = len({row.id for row in rows}) > max_shown
            found = History(shown, tag=tag, keyword=keyword, has_more=has_more)
            write_report("history", (found,), target, "table", lang=lang)
    if damage is not None:  # after the list, which has the ids of the runs that can be exported
        raise damage


def _read_rows(
    store: str | None, max_shown: int, tag: str | None, keyword: str
) -> tuple[list[RunRow], UnusableStore | None]:
    """The runs that are as they were saved, and what is wrong with the others.

    There are no runs if no history is named and none exists yet.
    """
    from callscore.history.locks import is_abandoned
    from callscore.history.run_lookup import list_compared_runs

    fits = None
    if keyword:
        from callscore.evaluations.plan import keyword_filter

        fits = keyword_filter(keyword)
    try:
        opened = open_existing_store(store)
    except UnknownRun:
        if store is not None or os.environ.get(STORE_VARIABLE):
            raise
        return [], None
    found: list[DamagedHistoryError] = []
    with opened:
        lines = list_compared_runs(
            opened, shown=max_shown, tag=tag, fits=fits, on_damage=found.append
        )
        left = {line.run.id for line in lines if is_abandoned(opened, line.run)}
    return rows_of_runs(lines, left), _all_damage(opened.place, found)


def _all_damage(place: str, found: Sequence[DamagedHistoryError]) -> UnusableStore | None:
    """All problems as one error, each advice once."""
    if not found:
        return None
    problems, advice = (
        dict.fromkeys(texts)
        for texts in ([each.problem for each in found], [each.advice for each in found])
    )
    return UnusableStore(place, ". ".join(["; ".join(problems), *advice]))
