"""`callscore history`: the runs that are kept, and how quality went."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from callscore.cli.options import lang_option
from callscore.cli.output import open_output
from callscore.cli.run_rows import rows_of
from callscore.cli.store_option import STORE_VARIABLE, existing_store, store_option
from callscore.errors import UnknownRun
from callscore.reports.history_rows import timelines

if TYPE_CHECKING:
    from callscore.cli.output import Output
    from callscore.core.phrase import Language
    from callscore.history.overview import RunLine
    from callscore.reports.history_terminal import History

__all__ = ["command"]

_FEW = 20
_HELP = """List the runs that are kept, the newest first, by what they evaluated.

Each has the share of cases that pass, with its 95% interval, and an arrow that holds it against the run
before. The arrow is bright where the share is outside of that run's interval; whether that is more than
chance is what `callscore compare` tells. Runs that did not end, left cases out, or only scored kept
answers again are shown, and nothing is held against them.
"""


@click.command(short_help="List the runs that are kept.", help=_HELP)
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
    *, tag: str | None, limit: int, as_json: bool, store: str | None, lang: Language
) -> None:
    """List the runs that are kept."""
    lines = _lines(store, limit + 1, tag)
    shown = timelines(rows_of(lines[:limit]))
    with open_output(None, "table", lang) as output:
        if as_json:
            from callscore.reports import history_json

            output.write_text(history_json.write(shown))
            return
        from callscore.reports.history_terminal import History

        _show(History(shown, tag=tag, has_more=len(lines) > limit), output, lang)


def _lines(store: str | None, limit: int, tag: str | None) -> list[RunLine]:
    """The runs; none where nobody has named a history, and there is none yet."""
    from callscore.history.overview import overview

    try:
        opened = existing_store(store)
    except UnknownRun:
        if store is not None or os.environ.get(STORE_VARIABLE):
            raise
        return []
    with opened:
        return overview(opened, limit=limit, tag=tag)


def _show(history: History, output: Output, lang: Language) -> None:
    from callscore.reports import history_terminal

    console = output.console()
    if console is None:
        output.write_text(history_terminal.write(history, lang=lang))
    else:
        history_terminal.render(history, console=console, lang=lang)
