"""`callscore rescore`: scores the stored answers of a run again, with other settings."""

from __future__ import annotations

import shlex
from time import gmtime, strftime
from typing import Any

import click

from callscore.cli.completion import complete_run
from callscore.cli.exits import print_kept, run_exit_code
from callscore.cli.judge_options import judge_from, judge_option
from callscore.cli.options import (
    SettingsCommand,
    lang_option,
    max_skipped_option,
    open_existing_store,
    overrides_from,
    settings_options,
    show_options,
    show_options_from,
    store_option,
    warn_ineffective,
)
from callscore.cli.output import open_output, print_note, stdout_to_stderr
from callscore.cli.output_formats import FORMATS, report_options
from callscore.cli.progress import run_progress
from callscore.cli.saved_html import write_run_report
from callscore.core.phrases import Language, Phrase, say
from callscore.core.results import RunResults
from callscore.errors import UnknownRun
from callscore.history.saved_totals import require_every_case
from callscore.models.consent import require_consent
from callscore.models.secrets import hide_secrets
from callscore.runner.rescoring import RescoreOptions, rescore
from callscore.runner.stored_runs import ShowOptions

_RESCORING = Phrase(
    "rescoring run {run} of {moment} UTC",
    "повторная оценка прогона {run} от {moment} UTC",
)
_HELP = """Score the saved answers of a RUN again. No agent is run.

RUN is an id, or the beginning of one; `latest`, or `latest~2`, two before it. The default is the newest
run of `callscore run`.

The answers are scored with the settings of the run. The settings below override them; a file of settings is
used only if --config names it. The result is saved as a new run. A judge is called only for values that it has not judged yet.
Scorers that are functions are loaded from the current files of their evaluations.
"""


@click.command(cls=SettingsCommand, short_help="Score saved answers again.", help=_HELP)
@click.argument("run", required=False, shell_complete=complete_run)
@settings_options
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    metavar="NAME",
    help="Scorer that replaces those of the run; repeatable.",
)
@judge_option
@max_skipped_option
@show_options
@report_options(FORMATS)
@store_option
@lang_option
def command(*, run: str | None, lang: Language, **options: Any) -> int:
    """Score the answers of a run again, write the report, and find the exit code."""
    allowed = options["allow_servers"]
    judge = judge_from(options)
    preset, settings, labels = overrides_from(options)
    if judge is not None:
        require_consent(judge.base_url, judge.key_variable, judge.origin)
        settings["judge"] = judge
    rescoring = RescoreOptions(
        preset=preset,
        settings=settings,
        scorers=options["scorers"] or None,
        fail_under=options["fail_under"],
        allow_servers=allowed,
        **show_options_from(options),
    )
    output_format: str = options["output_format"]
    place: str | None = options["store"]
    named = [] if run is None else [run]
    kept_in = [] if place is None else ["--store", hide_secrets(place)]
    go_on = shlex.join(["callscore", "rescore", *named, *kept_in])
    results = RunResults()
    try:
        with open_output(options["output"], output_format, lang, is_gate=True) as target:
            with stdout_to_stderr():  # scorers may print
                results = _rescored(run, rescoring, lang, place)
            warn_ineffective(labels, [each.results.settings for each in results.evaluations], lang)
            shown = ShowOptions(show=rescoring.show, max_shown=rescoring.max_shown, lang=lang)
            is_shown = write_run_report(results, target, output_format, shown, store=place)
    except (click.ClickException, KeyboardInterrupt):
        print_kept(results, lang, go_on=go_on)
        raise
    max_skipped = options["max_skipped"]
    return run_exit_code(results, lang, go_on=go_on, is_shown=is_shown, max_skipped=max_skipped)


def _rescored(
    run: str | None, options: RescoreOptions, lang: Language, place: str | None
) -> RunResults:
    with open_existing_store(place) as store:
        if run is None:
            found = next((each for each in store.runs() if each.command == "run"), None)
        else:
            found = store.find(run)
        if found is None:
            raise UnknownRun(
                f"{store.place} has no run with saved answers. Start one with: callscore run"
            )
        require_every_case(found, "rescore")
        asked = found
        while asked.parent is not None:  # a rescored run has the answers of another
            asked = store.find(asked.parent)
        moment = strftime("%Y-%m-%d %H:%M", gmtime(asked.started_at))
        print_note(say(_RESCORING, lang, run=found.id, moment=moment))
        with run_progress(lang) as hooks:
            return rescore(store, found, options, hooks)
