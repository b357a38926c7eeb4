"""`callscore history`: lists the stored runs, each compared with the one before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from callscore.cli.options import (
    keyword_option,
    lang_option,
    max_shown_option,
    store_option,
    tag_option,
)
from callscore.cli.output import open_output, without_secrets, write_report
from callscore.cli.output_formats import report_options
from callscore.evaluations.run_rows import saved_rows
from callscore.reports.history import timelines_of, write_json

if TYPE_CHECKING:
    from callscore.core.phrases import Language

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
    rows, without_tags = saved_rows(store, max_shown, tag=tag, keyword=keyword)
    shown = timelines_of(rows, max_shown=max_shown)
    with open_output(output, output_format, lang) as target:
        if output_format == "json":
            target.write_text(write_json(without_secrets(shown)))
        else:
            from callscore.reports.history_terminal import History

            has_more = len({row.id for row in rows}) > max_shown
            found = History(
                shown, tag=tag, keyword=keyword, has_more=has_more, without_tags=without_tags
            )
            write_report("history", (found,), target, "table", lang=lang)
