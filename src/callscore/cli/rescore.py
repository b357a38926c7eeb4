"""`callscore rescore`: score the kept answers of a run again, under other settings."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from callscore.cli.judge_option import judge_from, judge_option
from callscore.cli.options import (
    SettingsCommand,
    lang_option,
    overrides_from,
    report_options,
    settings_options,
)
from callscore.cli.output import open_output
from callscore.cli.run_options import FORMATS, shown_from, shown_options
from callscore.cli.run_progress import run_progress
from callscore.cli.run_report import exit_code, write_run
from callscore.errors import UnknownRun
from callscore.runner.rescoring import RescoreOptions, rescore

if TYPE_CHECKING:
    from callscore.core.phrase import Language
    from callscore.core.run import RunResults

__all__ = ["command"]

_HELP = """Score the answers of a RUN again, without asking anything.

RUN is its id, or the beginning of one; `latest`, the default; or `latest~2`, two before it.

Each evaluation keeps the settings that it has, but for those that are given here: the defaults below
are those of a score, not of this command. What it gives is kept as a run of its own.
"""


@click.command(cls=SettingsCommand, short_help="Score kept answers again.", help=_HELP)
@click.argument("run", default="latest", metavar="[RUN]")
@settings_options
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    metavar="NAME",
    help="Take this one in place of the run's; may be given several times.",
)
@judge_option
@shown_options
@report_options(FORMATS)
@lang_option
def command(*, run: str, lang: Language, output: str | None, **options: Any) -> int:
    """Score the answers of a run again, write the report, and find the exit code."""
    judge = judge_from(options)
    preset, settings = overrides_from(options)
    if judge is not None:
        settings["judge"] = judge
    wanted = RescoreOptions(
        preset=preset,
        settings=settings,
        scorers=options["scorers"] or None,
        fail_under=options["fail_under"],
        **shown_from(options),
    )
    output_format: str = options["output_format"]
    with open_output(output, output_format, lang, is_gate=True) as target:
        results = _rescored(run, wanted, lang)
        write_run(results, target, output_format, lang)
    return exit_code(results, lang, go_on=shlex.join(["callscore", "rescore", run]))


def _rescored(run: str, options: RescoreOptions, lang: Language) -> RunResults:
    from callscore.history.opening import default_path, open_store

    if not default_path().exists():  # nor is it made, to look for something in it
        raise UnknownRun(f"there is no run yet: {default_path()} does not exist")
    with open_store() as store, run_progress(lang) as hooks:
        return rescore(store, store.find(run), options, hooks)
