"""`callscore history`: the runs that are kept, and how quality went."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from callscore.cli.options import lang_option, open_existing_store, store_option
from callscore.cli.output import open_output, write_report
from callscore.errors import UnknownRun
from callscore.evaluations.locations import file_of_location
from callscore.history.postgres import STORE_VARIABLE
from callscore.history.run_metadata import is_partial
from callscore.reports.history import RunRow, timelines_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from callscore.core.phrases import Language
    from callscore.history.records import RunRecord
    from callscore.history.run_lookup import RunLine

__all__ = ["heading_row", "rows_of_runs"]


# Rows of the report.

_ABANDONED = "abandoned"


def rows_of_runs(lines: Sequence[RunLine], left: Collection[str] = ()) -> list[RunRow]:
    """The evaluations of the runs of a list; a run without any has a row, too.

    Args:
        lines: the runs.
        left: the ids of those that say that they are under way, and that no process is at.
    """
    parents = {line.run.id: line.run for line in lines}
    return [row for line in lines for row in _rows_of_run(line, parents, left)]


def _rows_of_run(
    line: RunLine, parents: Mapping[str, RunRecord], left: Collection[str]
) -> Iterator[RunRow]:
    about = {
        **_run_fields(line.run, is_left=line.run.id in left),
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
            place=file_of_location(each.place),
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
        **_run_fields(run, is_left=is_left),
        baselines=tuple(baselines),
        is_partial=is_partial(run, known),
    )


def _run_fields(run: RunRecord, *, is_left: bool) -> dict[str, Any]:
    fields = ("id", "command", "started_at", "name", "git_commit", "git_dirty")
    status = _ABANDONED if is_left else run.status
    return {"status": status, **{field: getattr(run, field) for field in fields}}


# The command.

_FEW = 20
# How many older runs are read as well: the oldest runs shown are compared with one of these.
_READ_BESIDES = 30
_HELP = """List the runs that are kept, the newest first.

There is a table for each evaluation and variant. Each run has the share of cases that pass, with its 95%
interval, and an arrow that holds it against the run before, where both have as many cases. The arrow is bright where the share is outside of that run's interval; whether that is more than
chance is what `callscore compare` tells. Runs that did not end, left cases out, or only scored kept
answers again are shown, and nothing is held against them.
"""


@click.command(short_help="List the runs that are kept.", help=_HELP)
@click.option(
    "-k",
    "keyword",
    default="",
    metavar="WORDS",
    help="Only evaluations that have these words in their name, variant or file; with and, or, not.",
)
@click.option("--tag", metavar="TAG", help="Count only the cases with this tag.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=_FEW,
    show_default=True,
    help="Show at most so many runs.",
)
@click.option("--json", "as_json", is_flag=True, help="Write an array of objects, for programs.")
@store_option
@lang_option
def command(
    *, keyword: str, tag: str | None, limit: int, as_json: bool, store: str | None, lang: Language
) -> None:
    """List the runs that are kept."""
    rows = _read_rows(store, limit + _READ_BESIDES, tag, keyword)
    shown = timelines_of(rows, most=limit)
    with open_output(None, "table", lang) as output:
        if as_json:
            from callscore.reports import history as history_json

            output.write_text(history_json.write_json(shown))
            return
        from callscore.reports.history_terminal import History

        has_more = len({row.id for row in rows}) > limit
        found = History(shown, tag=tag, keyword=keyword, has_more=has_more)
        write_report("history", (found,), output, "table", lang=lang)


def _read_rows(store: str | None, limit: int, tag: str | None, keyword: str) -> list[RunRow]:
    """The runs; none where no history is named and none exists yet."""
    from callscore.evaluations.plan import keyword_filter
    from callscore.history.locks import is_abandoned
    from callscore.history.run_lookup import list_runs

    fits = keyword_filter(keyword) if keyword else None
    try:
        opened = open_existing_store(store)
    except UnknownRun:
        if store is not None or os.environ.get(STORE_VARIABLE):
            raise
        return []
    with opened:
        lines = list_runs(opened, limit=limit, tag=tag, fits=fits)
        left = {line.run.id for line in lines if is_abandoned(opened, line.run)}
    return rows_of_runs(lines, left)
