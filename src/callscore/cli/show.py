"""`callscore show`: a run of the history, or one case of it, as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from callscore.cli.history import heading_row
from callscore.cli.options import (
    FORMATS,
    lang_option,
    most_option,
    open_existing_store,
    output_format_for,
    report_options,
    show_option,
    show_options_from,
    store_option,
)
from callscore.cli.output import open_output, write_report
from callscore.history.run_metadata import lineage

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.cli.output import Output
    from callscore.core.phrases import Language
    from callscore.core.results import KeptCase, RunResults
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
@click.option(
    "-k",
    "keyword",
    default="",
    metavar="WORDS",
    help="Only what has these words in the name of its evaluation, its variant or its case; with and,"
    " or, not.",
)
@show_option
@most_option
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
        from callscore.history.run_metadata import find_run_and_variant

        found, variant = find_run_and_variant(opened, run)
        write = _of_run if case is None else _of_case
        report = write(opened, found, {**options, "case": case, "variant": variant}, lang)
    with open_output(options["output"], output_format, lang) as output:
        report(output)


def _of_case(
    store: Store, run: RunRecord, options: dict[str, Any], lang: Language
) -> Callable[[Output], None]:
    """What writes the report of a case, once there is something to write to."""
    from callscore.runner.stored_runs import load_case

    cases = load_case(store, run, options["case"], options["keyword"], options["variant"])
    return lambda output: _write_cases(cases, output, options["output_format"], lang)


def _of_run(
    store: Store, run: RunRecord, options: dict[str, Any], lang: Language
) -> Callable[[Output], None]:
    """What writes the report of a run, likewise."""
    row, results = _row(store, run), _results(store, run, options, lang)
    return lambda output: _write_run((row, results), output, options["output_format"], lang)


def _row(store: Store, run: RunRecord) -> RunRow:
    from callscore.history.locks import is_abandoned

    names = [each.name for each in store.baselines() if each.run == run.id]
    return heading_row(run, names, lineage(store, run), is_left=is_abandoned(store, run))


def _results(store: Store, run: RunRecord, options: dict[str, Any], lang: Language) -> RunResults:
    from callscore.runner.stored_runs import ShowOptions, load_run

    shown = ShowOptions(
        keyword=options["keyword"],
        variant=options["variant"],
        is_whole=options["output_format"] == "json",
        lang=lang,
        **show_options_from(options),
    )
    return load_run(store, run, shown)


def _write_cases(cases: list[KeptCase], output: Output, output_format: str, lang: Language) -> None:
    write_report("case", (cases,), output, output_format, lang=lang)


def _write_run(
    shown: tuple[RunRow, RunResults], output: Output, output_format: str, lang: Language
) -> None:
    row, results = shown
    if output_format == "table":
        write_report("kept run", (row, results), output, output_format, lang=lang)
    else:
        write_report("run", (results,), output, output_format, lang=lang)
