"""`callscore run`: ask agents, score what they call, show what went wrong, and gate on it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from callscore.cli.judge_option import judge_from, judge_option
from callscore.cli.options import lang_option, report_options
from callscore.cli.output import note, open_output
from callscore.cli.run_options import (
    FORMATS,
    asking_options,
    format_for,
    request_from,
    shown_options,
)
from callscore.cli.run_progress import run_progress
from callscore.cli.run_report import (
    exit_code,
    output_aside,
    say_interrupted,
    say_kept,
    write_run,
)
from callscore.cli.run_selection import chosen, go_on_command
from callscore.cli.store_option import made_store, store_option
from callscore.core.phrase import say
from callscore.core.run import RunResults
from callscore.errors import InvalidSettings, UnusableStore
from callscore.evaluations.discovery import discover
from callscore.evaluations.plan import plan
from callscore.runner.running import RunOptions, run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callscore.cli.run_options import RunRequest
    from callscore.evaluations.evaluation import Evaluation
    from callscore.history.rescue import Rescue
    from callscore.history.store import Store

__all__ = ["command", "run_evaluations"]

_HELP = """Run the evaluations in PATHs: files, and folders with eval_*.py, eval_*.yaml, eval_*.toml.

Every answer is kept in .callscore/history.db, so that --resume, --cache and `callscore rescore` ask for
nothing twice.

\b
Exit codes: 1 below a threshold, 3 a file of evaluations or a scorer does not
work, 4 an agent gave no answer, 130 interrupted.
"""


@click.command(short_help="Run evaluations of agents.", help=_HELP)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@asking_options
@judge_option
@shown_options
@report_options(FORMATS)
@store_option
@lang_option
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Run evaluations, write the report, and find the exit code."""
    options["output_format"] = format_for(ctx, options)
    options["judge"] = judge_from(options)
    request = request_from(options)
    if request.watch:
        from callscore.cli.watching import watch

        return watch(request, run_once)
    return run_once(request)


def run_once(request: RunRequest) -> int:
    """Run the evaluations one time, write the report, and find the exit code."""
    results, is_shown = RunResults(), False
    go_on = go_on_command(request)
    try:
        with open_output(
            request.output, request.output_format, request.lang, is_gate=True
        ) as output:
            with output_aside():
                results = run_evaluations(request)
            has_more = any(each.details for each in results.unloaded)  # than a sentence on stderr
            if results.evaluations or has_more or request.output_format != "table":
                is_shown = write_run(results, output, request.output_format, request.lang)
    except (click.ClickException, KeyboardInterrupt):
        say_kept(results, request.lang, go_on=go_on)
        raise
    return exit_code(results, request.lang, go_on=go_on, is_shown=is_shown)


def run_evaluations(request: RunRequest) -> RunResults:
    """Find the evaluations, and run what is selected.

    Raises:
        InvalidSettings: nothing is selected.
        UnknownRun: a run is to go on, and there is none.
        UnusableStore: nothing could be kept.
    """
    evaluations, unloaded = discover(request.paths, note)
    if not evaluations:
        return RunResults(unloaded=tuple(unloaded))
    if request.trusts_kept and all(_is_known_by_content(each) for each in evaluations):
        request = replace(request, cache=True)
    results = _run_in_store(request, _with_judge(evaluations, request.judge))
    if not results.evaluations and not results.unloaded and not unloaded:
        raise InvalidSettings(f"nothing is selected: no case fits {_selected_by(request)}")
    return replace(results, unloaded=(*unloaded, *results.unloaded))


def _selected_by(request: RunRequest) -> str:
    given = {
        "-k": request.keyword,
        "--tag": request.tags,
        "--last-failed": request.last_failed,
        "the run that goes on": request.resume,
    }
    return " and ".join(name for name, value in given.items() if value) or "these files"


def _is_known_by_content(evaluation: Evaluation) -> bool:
    """Whether all that decides an answer is known, as it is where a model is asked without code."""
    return hasattr(evaluation.task, "identity")


def _run_in_store(request: RunRequest, evaluations: Sequence[Evaluation]) -> RunResults:
    from callscore.history.rescue import Rescue

    with _store(request) as store:
        kept = None if isinstance(store, Rescue) else store
        choice = chosen(request, kept, note)
        planned = plan(evaluations, choice.selection, trials=choice.trials)
        if not planned.groups:
            if choice.resumed is not None:
                choice.resumed.lock.release()
            return RunResults(unloaded=planned.unloaded)
        options = RunOptions(
            jobs=request.jobs,
            limits=request.limits,
            resume=choice.resumed or request.resume,
            use_cache=request.cache,
            cache_since=request.cache_since,
            fail_under=choice.arguments["fail_under"],
            show=request.show,
            most=request.most,
            arguments=choice.arguments,
            lang=request.lang,
            name=request.name,
        )
        try:
            with run_progress(request.lang) as hooks:
                return run(planned, options, hooks, store)
        except KeyboardInterrupt:  # the second one
            if kept is not None:
                say_interrupted(request.lang, go_on=go_on_command(request))
            raise


@contextmanager
def _store(request: RunRequest) -> Iterator[Store | Rescue]:
    """The history; where there can be none and none is needed, a word about it, and a file."""
    from callscore.history.rescue import ASIDE, rescue_for

    try:
        store = made_store(request.store)
    except UnusableStore as error:
        if request.resume or request.last_failed or request.cache:
            raise
        note(say(ASIDE, request.lang, problem=error))
        yield rescue_for(request.store)
        return
    with store:
        yield store


def _with_judge(evaluations: Sequence[Evaluation], judge: Any) -> list[Evaluation]:
    """The evaluations, with a judge for those that have none of their own."""
    return [
        replace(each, settings=replace(each.settings, judge=judge))
        if judge is not None and each.settings.judge is None
        else each
        for each in evaluations
    ]
