"""`callscore gate`: whether a run may pass, held against a baseline, for a build server."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from callscore.cli.compare_options import (
    fail_on_option,
    measure_option,
    say_reasons,
    write_report,
)
from callscore.cli.exits import BELOW, FINE
from callscore.cli.github import add_summary, annotate, is_on_github
from callscore.cli.options import lang_option, report_options
from callscore.cli.output import open_output
from callscore.cli.run_options import FORMATS, format_for
from callscore.cli.run_progress import note
from callscore.cli.store_option import existing_store, store_option
from callscore.comparing.comparing_sides import compare
from callscore.comparing.gating import Gate, gate
from callscore.core.phrase import Phrase, say
from callscore.engines.named_sides import side_of_run
from callscore.errors import UnknownRun
from callscore.evaluations.places import file_of
from callscore.reports.gate_annotations import annotation_lines
from callscore.reports.gate_wording import next_command

if TYPE_CHECKING:
    from callscore.comparing.sides import Side
    from callscore.core.phrase import Language
    from callscore.history.store import Store

__all__ = ["command"]

_ITSELF = Phrase(
    "{run} is held against itself: run the evaluations again, and then the gate",
    "{run} сравнивается сам с собой: запустите проверки снова, потом gate",
)
_HELP = """Hold a RUN against another, mostly a baseline, and exit with 1 if it should not pass.

RUN is the newest one by default. What --against names is a baseline, which
`callscore baseline set RUN --name NAME` sets, or whatever else a run may be called.

\b
  callscore run
  callscore gate --against main

It is closed when the agent has become worse beyond chance; when there are too few cases to tell, and more
of them broke than were fixed; and always by a forbidden call or a schema error that is new, by a threshold
that is missed, and by a run that did not come to its end.

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
@report_options(FORMATS)
@lang_option
@store_option
@click.pass_context
def command(ctx: click.Context, /, *, lang: Language, **options: Any) -> int:
    """Hold a run against another, write the report, and find the exit code."""
    output_format = format_for(ctx, options)
    with open_output(options["output"], output_format, lang, is_gate=True) as output:
        held = _held(options, lang)
        write_report("gate", held.gate, output, output_format, next_command=held.next, lang=lang)
    if output_format != "table" or options["output"] not in (None, "-"):
        say_reasons(held.gate, lang)
    _tell_github(held, lang)
    return FINE if held.gate.is_open else BELOW


def _held(options: dict[str, Any], lang: Language) -> _Held:
    with existing_store(options["store"]) as store:
        after = side_of_run(store, options["run"])
        before = _baseline(store, options["against"], after)
        names = [each.name for each in store.baselines()]
    if before.run == after.run:
        note(say(_ITSELF, lang, run=after.run))
    found = gate(compare(before, after, measure=options["measure"]), options["fail_on"])
    baseline = options["against"] if options["against"] in names else None
    files = {each.label: file_of(each.place) for each in after.evaluations}
    return _Held(found, next_command(found, baseline=baseline), files)


def _baseline(store: Store, name: str, after: Side) -> Side:
    """The run that others are held against.

    Raises:
        UnknownRun: there is none; it says how to set one.
    """
    try:
        return side_of_run(store, name)
    except UnknownRun as error:
        command = shlex.join(["callscore", "baseline", "set", after.run, "--name", name])
        problem = str(error).removesuffix(".")
        raise UnknownRun(f"{problem}. A baseline is set with: {command}") from error


def _tell_github(held: _Held, lang: Language) -> None:
    def summary() -> str:
        from callscore.reports.gate_markdown import write

        return write(held.gate, next_command=held.next, lang=lang)

    add_summary(summary)
    if is_on_github():
        annotate(annotation_lines(held.gate, files=held.files, lang=lang))
