"""`callscore compare`: two runs, or two files, case by case, and whether one is better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from callscore.cli.completion import complete_run_or_file
from callscore.cli.exits import compare_exit_code
from callscore.cli.judge_options import judge_option, judged_settings_from
from callscore.cli.options import (
    DEFAULT_MAX_SHOWN,
    SettingsCommand,
    allow_looser_option,
    expected_option,
    fail_on_option,
    lang_option,
    max_shown_option,
    max_skipped_option,
    measure_option,
    removals_from,
    removed_option,
    require_one_stdin,
    settings_options,
    store_option,
)
from callscore.cli.output import Output, open_output, write_report
from callscore.cli.output_formats import report_options
from callscore.cli.typed_options import settings_as_typed
from callscore.cli.unpacking import max_unpacked_option
from callscore.comparing.gating import FAIL_ON
from callscore.core.settings import DEFAULT, Settings
from callscore.engines.comparing_runs import compare, is_case_file

if TYPE_CHECKING:
    from callscore.comparing.comparison import Comparison
    from callscore.core.phrases import Language

_FORMATS = ["table", "json", "markdown", "html"]
_OF_FILES = (*Settings.__struct_fields__, "preset", "config", "judge")
_HELP = """Compare two runs, BEFORE and AFTER, case by case: what broke, what was fixed, and whether the
difference is more than chance.

Each is a baseline, the id or name of a run, the beginning of an id, latest, latest~1, a git commit, or a
file of cases, which is scored first. RUN:VARIANT is one variant of a run. Cases are paired by id.

\b
  callscore compare latest~1 latest
  callscore compare main HEAD --fail-on default
  callscore compare before.jsonl after.jsonl --measure f1

\b
The verdict is one of: improved, regressed, no evidence, not enough data.
The settings below apply to files. Runs keep the settings they were scored with.
With --fail-on: exit code 1 by the rules of 'callscore gate'. Exit code 3 if there
is nothing to compare.
"""


@click.command(cls=SettingsCommand, help=_HELP)
@click.argument("before", metavar="BEFORE", shell_complete=complete_run_or_file)
@click.argument("after", metavar="AFTER", shell_complete=complete_run_or_file)
@measure_option
@fail_on_option(FAIL_ON)
@removed_option
@allow_looser_option
@max_skipped_option
@expected_option()
@max_shown_option(f"{DEFAULT_MAX_SHOWN} of each kind; all in json and html")
@settings_options
@judge_option
@report_options(_FORMATS)
@max_unpacked_option
@lang_option
@store_option
def command(*, lang: Language, output_format: str, **options: Any) -> int:
    """Compare two runs, write the report, and find the exit code."""
    fail_on = options["fail_on"]
    with open_output(options["output"], output_format, lang, is_gate=fail_on is not None) as output:
        request = _request(options)
        if output_format == "html":
            comparison = _write_html(request, output, lang)
        else:
            comparison = compare(
                *request.references,
                measure=request.measure,
                expected=request.expected,
                settings=request.settings,
                store=request.store,
                removals=request.removals,
            )
            shown = DEFAULT_MAX_SHOWN if options["max_shown"] is None else options["max_shown"]
            about = (comparison,)
            write_report("compare", about, output, output_format, max_shown=shown, lang=lang)
    return compare_exit_code(
        comparison,
        fail_on,
        lang,
        max_skipped=options["max_skipped"],
        allow_looser=options["allow_looser"],
    )


class CompareRequest(Struct, frozen=True, kw_only=True):
    """What to compare, as it is typed.

    Attributes:
        references: files of cases, or runs.
        measure: the measure that decides the verdict.
        expected: the file of references, if the files have only traces.
        settings: how the cases of files are scored.
        typed: the same settings as options of the command line.
        store: where the history is; None for that of the project.
        removals: cases that may be missing, with the reasons.
    """

    references: tuple[str, str]
    measure: str
    expected: str | None
    settings: Settings
    typed: tuple[str, ...]
    store: str | None
    removals: dict[str, str]


def _request(options: dict[str, Any]) -> CompareRequest:
    before, after, expected = (options[name] for name in ("before", "after", "expected"))
    require_one_stdin(before, after, expected)
    removals = removals_from(options["removed"], options["config"], no_config=options["no_config"])
    settings = DEFAULT
    given = [name for name in _OF_FILES if options.get(name) not in (None, (), False)]
    typed = tuple(settings_as_typed(options))
    if is_case_file(before) or is_case_file(after):
        settings, _ = judged_settings_from(options)
    elif given or expected is not None:
        raise click.UsageError(
            "Settings and --expected apply to files only: runs are already scored."
            " Score a run again with 'callscore rescore RUN'."
        )
    return CompareRequest(
        references=(before, after),
        measure=options["measure"],
        expected=expected,
        settings=settings,
        typed=typed,
        store=options["store"],
        removals=removals,
    )


def _write_html(request: CompareRequest, output: Output, lang: Language) -> Comparison:
    """Write every case with both sides, which `compare` does not return."""
    from callscore.cli.html_comparison import compared_inputs
    from callscore.reports.html.compare import html_parts

    with compared_inputs(request, lang) as (runs, cases):
        for part in html_parts(runs, cases, lang=lang):
            output.write_unchanged(part)
        return runs.comparison
