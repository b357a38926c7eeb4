"""`callscore gate`: decides for a build server whether a run passes, compared with a baseline."""

from __future__ import annotations

import shlex
from typing import IO, TYPE_CHECKING, Any

import click

from callscore.cli.completion import complete_run
from callscore.cli.exits import gate_exit_code, print_gate_reasons
from callscore.cli.options import (
    DEFAULT_MAX_SHOWN,
    allow_looser_option,
    fail_on_option,
    lang_option,
    max_shown_option,
    max_skipped_option,
    measure_option,
    open_existing_store,
    removals_from,
    removed_option,
    store_option,
)
from callscore.cli.output import (
    Output,
    add_step_summary,
    is_on_github,
    open_output,
    path_in_repository,
    write_report,
)
from callscore.cli.output_formats import FORMATS, report_options
from callscore.cli.unpacking import max_unpacked_option
from callscore.comparing.gating import FAIL_ON
from callscore.engines.comparing_runs import is_case_file
from callscore.engines.gating_runs import (
    BASELINE,
    NEWEST,
    GateDecision,
    GateRequest,
    MissingBaselineError,
    decide_gate,
)
from callscore.evaluations.locations import file_of_location
from callscore.hiding.hider import hide_for_report
from callscore.history.postgres import store_arguments
from callscore.reports.gate import annotation_lines, write_markdown
from callscore.reports.inert import inert_lines

if TYPE_CHECKING:
    from callscore.comparing.sides import Side
    from callscore.core.phrases import Language


class _UsageMessage(click.ClickException):
    """Wrong usage, in several lines."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the lines, escaped."""
        click.echo(inert_lines(f"callscore: {self.message}"), file=file, err=file is None)


def require_runs(run: str, against: str) -> None:
    """Refuse files, and name the command that compares them."""
    files = [word for word in (against, run) if is_case_file(word)]
    if files:
        instead = shlex.join(["callscore", "compare", against, run, "--fail-on", "default"])
        raise _UsageMessage(
            f"{files[0]!r} is a file, and the gate compares runs. To compare files:\n  {instead}"
        )


_HELP = """Compare a RUN with a baseline, and exit with code 1 if it got worse.

RUN is the newest one by default, and the baseline is main. Set it with 'callscore baseline set'.

\b
  callscore run
  callscore gate

The gate fails if the agent got worse beyond chance, overall or on one tool or tag; or if cases broke and none
was fixed: they passed in all trials, and pass in none now. With --fail-on broken it fails on every broken case,
with --fail-on regressed only beyond chance.

It always fails on cases of the baseline that are missing, on records that could not be read, on a new
forbidden call or schema error, on a mean score below fail_under, on a run that did not finish, and on a run
that is compared with itself. Without --allow-looser it fails on looser settings than those of the baseline.

Cases that were removed on purpose are listed with a reason, in the table [gate.removed] of callscore.toml or
with --removed.

On GitHub it adds a summary to the step, and annotations.

\b
Exit codes: 0 passed, 1 failed, 2 no such run or baseline, 3 the history cannot
be read.
"""


@click.command(help=_HELP)
@click.argument("run", default=NEWEST, shell_complete=complete_run)
@click.option(
    "--against",
    default=BASELINE,
    show_default=True,
    metavar="NAME",
    shell_complete=complete_run,
    help="Baseline or run to compare with.",
)
@fail_on_option(FAIL_ON, default="default")
@measure_option
@removed_option
@allow_looser_option
@max_skipped_option
@max_shown_option(f"{DEFAULT_MAX_SHOWN} of each kind; all in json and html")
@report_options(FORMATS)
@max_unpacked_option
@lang_option
@store_option
def command(*, lang: Language, output_format: str, **options: Any) -> int:
    """Compare a run with a baseline, write the report, and find the exit code."""
    require_runs(options["run"], options["against"])
    with open_output(options["output"], output_format, lang, is_gate=True) as output:
        decision = _decide(options)
        found = hide_for_report(decision.gate)
        most = DEFAULT_MAX_SHOWN if options["max_shown"] is None else options["max_shown"]
        following = decision.next_command
        shown: dict[str, Any] = {"next_command": following, "max_shown": most, "lang": lang}
        if output_format == "html":
            _write_html(decision, options["store"], output, lang)
        else:
            write_report("gate", (found,), output, output_format, **shown)
    if output_format != "table" or options["output"] not in (None, "-"):
        print_gate_reasons(found, lang)
    add_step_summary(lambda: write_markdown(found, **shown), lang)
    if is_on_github():
        for line in annotation_lines(found, files=_files_of(decision.runs[1]), lang=lang):
            click.echo(line, err=True)  # standard output is for the report
    return gate_exit_code(found)


def _write_html(decision: GateDecision, place: str | None, output: Output, lang: Language) -> None:
    """Write the report with every case of both runs, for which the history is read again."""
    from callscore.cli.html_comparison import compared_runs, require_cases_for_html
    from callscore.reports.html.gate import html_parts

    found, following = decision.gate, decision.next_command
    require_cases_for_html(found.comparison)
    with open_existing_store(place) as store:
        more = store_arguments(place)
        runs, cases = compared_runs(store, decision.runs, found.comparison, lang, more)
        for part in html_parts(found, runs, cases, next_command=following, lang=lang):
            output.write_unchanged(part)


def _decide(options: dict[str, Any]) -> GateDecision:
    try:
        return decide_gate(
            GateRequest(
                run=options["run"],
                against=options["against"],
                measure=options["measure"],
                fail_on=options["fail_on"],
                max_skipped=options["max_skipped"],
                allow_looser=options["allow_looser"],
                removals=removals_from(options["removed"]),
                is_removed_once=bool(options["removed"]),
                store=options["store"],
            )
        )
    except MissingBaselineError as error:
        raise _UsageMessage(str(error)) from error


def _files_of(run: Side) -> dict[str, str]:
    """The file of each evaluation of a run, by its name."""
    return {
        each.label: path_in_repository(file_of_location(each.place)) for each in run.evaluations
    }
