"""`callscore compare`: two runs, or two files, case by case, and whether one is better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from callscore.cli.exits import OK, gate_exit_code, print_gate_reasons
from callscore.cli.options import (
    SettingsCommand,
    fail_on_option,
    judge_option,
    judged_settings_from,
    lang_option,
    max_shown_changes_option,
    measure_option,
    output_format_for,
    report_options,
    require_one_stdin,
    settings_options,
    store_option,
)
from callscore.cli.output import open_output, write_report_for_log
from callscore.comparing.gating import gate
from callscore.core.settings import DEFAULT, Settings
from callscore.engines.comparing_runs import compare, is_case_file

if TYPE_CHECKING:
    from callscore.comparing.comparison import Comparison
    from callscore.core.phrases import Language

__all__ = ["command"]

_FORMATS = ["table", "json", "markdown"]
_OF_FILES = (*Settings.__struct_fields__, "preset", "config", "judge")
_HELP = """Compare two runs, BEFORE and AFTER, case by case: what broke, what was fixed, and whether that
is more than chance.

Each is a baseline, the id or the name of a run, the beginning of an id, latest, latest~1, what git knows a
commit by, or a file of cases, which is scored first. RUN:VARIANT is one variant of a run. Cases are paired
by their id.

\b
  callscore compare latest~1 latest
  callscore compare main HEAD --fail-on regressed
  callscore compare before.jsonl after.jsonl --measure f1

\b
The verdict is one of: improved, regressed, no evidence, not enough data.
The settings below are those of files: a run has its own.
"""


@click.command(cls=SettingsCommand, short_help="Compare two runs.", help=_HELP)
@click.argument("before", metavar="BEFORE")
@click.argument("after", metavar="AFTER")
@measure_option
@fail_on_option(None)
@click.option(
    "--expected", metavar="FILE", help="The references, where the files hold traces alone."
)
@max_shown_changes_option
@settings_options
@judge_option
@report_options(_FORMATS)
@lang_option
@store_option
@click.pass_context
def command(ctx: click.Context, /, *, lang: Language, **options: Any) -> int:
    """Compare two runs, write the report, and find the exit code."""
    output_format = output_format_for(ctx, options)
    if output_format not in _FORMATS:  # by the suffix of a file
        raise click.UsageError(f"There is no such report: use one of {', '.join(_FORMATS)}.")
    fail_on = options["fail_on"]
    with open_output(options["output"], output_format, lang, is_gate=fail_on is not None) as output:
        comparison = _compared(options)
        write_report_for_log(
            "compare", comparison, output, output_format, max_shown=options["max_shown"], lang=lang
        )
    if fail_on is None:
        return OK
    found = gate(comparison, fail_on)
    print_gate_reasons(found, lang)
    return gate_exit_code(found)


def _compared(options: dict[str, Any]) -> Comparison:
    before, after, expected = (options[name] for name in ("before", "after", "expected"))
    require_one_stdin(before, after, expected)
    settings = DEFAULT
    given = [name for name in _OF_FILES if options.get(name) not in (None, (), False)]
    if is_case_file(before) or is_case_file(after):
        settings, _ = judged_settings_from(options)
    elif given or expected is not None:
        raise click.UsageError(
            "Settings and --expected are for files: a run has been scored. "
            "`callscore rescore RUN` scores it again."
        )
    return compare(
        before,
        after,
        measure=options["measure"],
        expected=expected,
        settings=settings,
        store=options["store"],
    )
