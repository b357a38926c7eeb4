"""`callscore history`: the runs that are kept, and how quality went."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from callscore.cli.options import lang_option
from callscore.cli.output import open_output, write_report
from callscore.cli.run_rows import rows_of
from callscore.cli.store_option import STORE_VARIABLE, existing_store, store_option
from callscore.errors import UnknownRun
from callscore.reports.history_rows import timelines

if TYPE_CHECKING:
    from callscore.core.phrase import Language
    from callscore.reports.history_rows import RunRow

__all__ = ["command"]

_FEW = 20
# So many older runs are read, too: the last that are shown are held against one of these.
_BEFORE = 30
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
    rows = _rows(store, limit + _BEFORE, tag, keyword)
    shown = timelines(rows, most=limit)
    with open_output(None, "table", lang) as output:
        if as_json:
            from callscore.reports import history_json

            output.write_text(history_json.write(shown))
            return
        from callscore.reports.history_terminal import History

        has_more = len({row.id for row in rows}) > limit
        found = History(shown, tag=tag, keyword=keyword, has_more=has_more)
        write_report("history", (found,), output, "table", lang=lang)


def _rows(store: str | None, limit: int, tag: str | None, keyword: str) -> list[RunRow]:
    """The runs; none where nobody has named a history, and there is none yet."""
    from callscore.evaluations.keywords import keyword_filter
    from callscore.history.overview import overview
    from callscore.history.under_way import is_left

    fits = keyword_filter(keyword) if keyword else None
    try:
        opened = existing_store(store)
    except UnknownRun:
        if store is not None or os.environ.get(STORE_VARIABLE):
            raise
        return []
    with opened:
        lines = overview(opened, limit=limit, tag=tag, fits=fits)
        left = {line.run.id for line in lines if is_left(opened, line.run)}
    return rows_of(lines, left)
