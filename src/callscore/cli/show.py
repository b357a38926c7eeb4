"""`callscore show`: the report of a stored run, or of one case of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from callscore.cli.history import heading_row
from callscore.cli.options import (
    FORMATS,
    KEYWORD_HELP,
    keyword_option,
    lang_option,
    max_shown_option,
    open_existing_store,
    output_format_for,
    report_options,
    show_option,
    show_options_from,
    store_option,
)
from callscore.cli.output import open_output, write_report
from callscore.history.run_metadata import find_run_and_variant, lineage

if TYPE_CHECKING:
    from callscore.core.phrases import Language
    from callscore.core.results import RunResults
    from callscore.history.records import RunRecord
    from callscore.history.store import Store
    from callscore.reports.history import RunRow

__all__ = ["command"]

_FORMATS_OF_CASE = ("table", "json", "markdown")
_HELP = """Show a RUN as it was, or one CASE of it, from what is kept. Nobody is asked anything.

RUN is an id, or the beginning of one; a name; a baseline; `latest`, or `latest~2`, two before it; or what
git knows a commit by. A colon and a variant may follow. The default is the newest one.

CASE is the id of a case, or `evaluation::case` where several evaluations have it. It is shown with what
was asked, what was expected and what was done, in each trial.
"""


@click.command(short_help="Show a run, or one case of it, as it was.", help=_HELP)
@click.argument("run", default="latest")
@click.argument("case", required=False)
@keyword_option(f"{KEYWORD_HELP}.")
@show_option
@max_shown_option
@report_options(FORMATS)
@store_option
@lang_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    run: str,
    case: str | None,
    store: str | None,
    lang: Language,
    **options: Any,
) -> None:
    """Show a run, or one case of it."""
    output_format = options["output_format"] = output_format_for(ctx, options)
    if case is not None and output_format not in _FORMATS_OF_CASE:
        raise click.UsageError(f"A single case cannot be written as {output_format}.")
    with open_existing_store(store) as opened:
        from callscore.runner.stored_runs import load_case

        found, variant = find_run_and_variant(opened, run)
        about: tuple[Any, ...]
        if case is not None:
            cases = load_case(opened, found, case, options["keyword"], variant)
            subject, about = "case", (cases,)
        else:
            row, results = _load_run(opened, found, {**options, "variant": variant}, lang)
            is_table = output_format == "table"
            subject, about = ("saved run", (row, results)) if is_table else ("run", (results,))
    with open_output(options["output"], output_format, lang) as output:
        write_report(subject, about, output, output_format, lang=lang)


def _load_run(
    store: Store, run: RunRecord, options: dict[str, Any], lang: Language
) -> tuple[RunRow, RunResults]:
    from callscore.history.locks import is_abandoned
    from callscore.runner.stored_runs import ShowOptions, load_run

    names = [each.name for each in store.baselines() if each.run == run.id]
    row = heading_row(run, names, lineage(store, run), is_left=is_abandoned(store, run))
    shown = ShowOptions(
        keyword=options["keyword"],
        variant=options["variant"],
        is_whole=options["output_format"] == "json",
        lang=lang,
        **show_options_from(options),
    )
    return row, load_run(store, run, shown)
