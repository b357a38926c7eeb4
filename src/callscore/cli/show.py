"""`callscore show`: the report of a stored run, or of one case of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from callscore.cli.completion import complete_case, complete_run
from callscore.cli.options import (
    keyword_option,
    lang_option,
    max_shown_cases_option,
    open_existing_store,
    show_option,
    show_options_from,
    store_option,
)
from callscore.cli.output import open_output, print_note, write_report
from callscore.cli.output_formats import FORMATS, report_options
from callscore.core.phrases import Language, say
from callscore.evaluations.run_rows import heading_row
from callscore.history.run_metadata import find_run_and_variant, lineage
from callscore.history.saved_totals import FAILING_TRIALS, saved_cases_of

if TYPE_CHECKING:
    from callscore.core.results import RunResults
    from callscore.history.records import RunRecord
    from callscore.history.store import Store
    from callscore.reports.history import RunRow

_FORMATS_OF_CASE = ("table", "json", "markdown", "html")
_HELP = """Show a saved RUN, or one CASE of it. No agent is called.

RUN is an id or the beginning of one, a name, a baseline, latest, latest~2 (two before the newest), or a
git commit. RUN:VARIANT is one variant. The default is the newest run.

CASE is the id of a case, or evaluation::case if several evaluations have it. It is shown with its input,
the expected calls and the actual calls of each trial.
"""


@click.command(help=_HELP)
@click.argument("run", default="latest", shell_complete=complete_run)
@click.argument("case", required=False, shell_complete=complete_case)
@keyword_option
@show_option
@max_shown_cases_option
@report_options(FORMATS)
@store_option
@lang_option
def command(
    *, run: str, case: str | None, store: str | None, lang: Language, **options: Any
) -> None:
    """Show a run, or one case of it."""
    output_format = options["output_format"]
    if case is not None and output_format not in _FORMATS_OF_CASE:
        raise click.UsageError(
            f"A single case cannot be written as {output_format}."
            f" Choose from: {', '.join(_FORMATS_OF_CASE)}."
        )
    if output_format == "html":
        _write_html(run, case, store, options, lang)
        return
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
    if case is not None and saved_cases_of(found) != "all":
        print_note(say(FAILING_TRIALS, lang))


def _write_html(
    run: str, case: str | None, store: str | None, options: dict[str, Any], lang: Language
) -> None:
    """Write the HTML report of a run, or of the trials of one case; results are read one by one."""
    from callscore.runner.run_report import write_stored_run
    from callscore.runner.stored_runs import ShowOptions

    with open_existing_store(store) as opened:
        found, variant = find_run_and_variant(opened, run)
        shown = ShowOptions(
            keyword=options["keyword"], variant=variant, lang=lang, **show_options_from(options)
        )
        with open_output(options["output"], "html", lang) as output:
            for part in write_stored_run(opened, found, shown, case):
                output.write_unchanged(part)


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
