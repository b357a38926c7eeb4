"""The HTML report of a run that has just been saved: from the history, which has the inputs and the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.cli.options import open_existing_store, warn_unknown_defaults
from callscore.cli.output import Output, write_run
from callscore.errors import UnknownRun, UnusableStore

if TYPE_CHECKING:
    from callscore.core.results import RunResults
    from callscore.runner.stored_runs import ShowOptions


def write_run_report(
    run: RunResults,
    output: Output,
    output_format: str,
    shown: ShowOptions,
    *,
    store: str | None,
    is_quiet: bool = False,
    is_live: bool = False,
) -> bool:
    """Write the report of a run; returns whether it is on the same terminal as standard error.

    A run that could not be saved has a report on what is known of it. A note says if an option had no
    effect in it.
    """
    warn_unknown_defaults([each.results.summary for each in run.evaluations], shown.lang)
    if output_format != "html" or not run.id:
        return write_run(run, output, output_format, shown.lang, is_quiet=is_quiet, is_live=is_live)
    from callscore.runner.run_report import write_stored_run

    try:
        opened = open_existing_store(store)
    except (UnknownRun, UnusableStore):
        return write_run(run, output, output_format, shown.lang, is_live=is_live)
    with opened:
        for part in write_stored_run(opened, opened.find(run.id), shown, live=run):
            output.write_unchanged(part)
    return False
