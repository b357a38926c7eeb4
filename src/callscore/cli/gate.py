"""`callscore gate`: whether a run may pass, held against a baseline, for a build server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from callscore.cli.compare_options import (
    fail_on_option,
    few_option,
    measure_option,
    say_reasons,
    write_report,
)
from callscore.cli.exits import BELOW, FINE
from callscore.cli.gate_sides import held_sides, require_runs
from callscore.cli.github import add_summary, annotate, file_for_github, is_on_github
from callscore.cli.options import lang_option, report_options
from callscore.cli.output import open_output
from callscore.cli.run_options import FORMATS, format_for
from callscore.cli.store_option import existing_store, store_option, store_words
from callscore.comparing.comparing_sides import compare
from callscore.comparing.gating import Gate, gate
from callscore.evaluations.places import file_of
from callscore.reports.gate_annotations import annotation_lines
from callscore.reports.gate_wording import next_command

if TYPE_CHECKING:
    from callscore.core.phrase import Language

__all__ = ["command"]

_HELP = """Hold a RUN against another, mostly a baseline, and exit with 1 if it should not pass.

RUN is the newest one by default. What --against names is a baseline, which
`callscore baseline set RUN --name NAME` sets, or whatever else a run may be called.

\b
  callscore run
  callscore gate --against main

It is closed when the agent has become worse beyond chance, on the whole or at one tool or tag; when there
are too few cases to tell, and what was seen is a loss of 10 points or more; and always by a forbidden call
or a schema error that is new, by a threshold that is missed, by a run that did not come to its end, and by
one that is held against itself.

On GitHub it adds a summary to the step, and annotations.

\b
Exit codes: 0 open, 1 closed, 2 no such run or baseline, 3 the history cannot
be read.
"""


class _Held(Struct, frozen=True):
    """A gate, and what is known of the runs that it looked at.

    Attributes:
        gate: what it says.
        next: what to type next.
        files: the file of each evaluation, by its name.
    """

    gate: Gate
    next: str
    files: dict[str, str]


@click.command(short_help="Let a run pass, or not.", help=_HELP)
@click.argument("run", default="latest")
@click.option("--against", required=True, metavar="NAME", help="The baseline, or another run.")
@fail_on_option("regressed")
@measure_option
@few_option
@report_options(FORMATS)
@lang_option
@store_option
@click.pass_context
def command(ctx: click.Context, /, *, lang: Language, **options: Any) -> int:
    """Hold a run against another, write the report, and find the exit code."""
    output_format = format_for(ctx, options)
    require_runs(options["run"], options["against"])
    with open_output(options["output"], output_format, lang, is_gate=True) as output:
        held = _held(options)
        shown = {"next_command": held.next, "most": options["most"], "lang": lang}
        write_report("gate", held.gate, output, output_format, **shown)
    if output_format != "table" or options["output"] not in (None, "-"):
        say_reasons(held.gate, lang)
    _tell_github(held, options["most"], lang)
    return FINE if held.gate.is_open else BELOW


def _held(options: dict[str, Any]) -> _Held:
    more = store_words(options["store"])
    with existing_store(options["store"]) as store:
        sides = held_sides(store, options["run"], options["against"], more=more)
    comparison = compare(sides.before, sides.after, measure=options["measure"])
    comparison = replace(comparison, notes=(*comparison.notes, *sides.notes))
    found = gate(comparison, options["fail_on"])
    following = next_command(found, baseline=sides.baseline, is_partial=sides.is_partial)
    files = {each.label: file_for_github(file_of(each.place)) for each in sides.after.evaluations}
    return _Held(found, following + more, files)


def _tell_github(held: _Held, most: int, lang: Language) -> None:
    def summary() -> str:
        from callscore.reports.gate_markdown import write

        return write(held.gate, next_command=held.next, most=most, lang=lang)

    add_summary(summary, lang)
    if is_on_github():
        annotate(annotation_lines(held.gate, files=held.files, lang=lang))
