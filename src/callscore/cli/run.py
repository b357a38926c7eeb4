"""`callscore run`: ask agents, score what they call, show what went wrong, and gate on it."""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from callscore.cli.exits import print_interrupted, print_kept, run_exit_code
from callscore.cli.options import (
    FORMATS,
    RUN_NAME,
    judge_from,
    judge_option,
    lang_option,
    open_store_to_write,
    output_format_for,
    report_options,
    show_options,
    show_options_from,
    store_option,
    store_without_password,
)
from callscore.cli.output import open_output, print_note, stdout_to_stderr, write_run
from callscore.cli.progress import run_progress
from callscore.cli.watch import watch
from callscore.core.phrases import Language, Phrase, say
from callscore.core.results import RunResults
from callscore.core.totals import Show
from callscore.errors import InvalidSettings, UnusableStore
from callscore.evaluations.discovery import discover
from callscore.evaluations.plan import Selection, make_plan
from callscore.history.writer import USING_FALLBACK, FallbackStore, fallback_store_for
from callscore.models.limits import Limits, Rate, parse_rate
from callscore.runner.resuming import LockedRun, find_unfinished_run, last_failed_cases
from callscore.runner.running import RunOptions, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from callscore.cli.options import AnyCommand
    from callscore.evaluations.evaluation import Evaluation
    from callscore.history.store import Store

__all__ = ["RunRequest", "choose_questions", "resume_command", "run_options", "run_request_from"]


# The options.

JOBS = 8
TIMEOUT = 60.0
RETRIES = 2


class _Rate(click.ParamType[Rate]):
    """`10`, `10/s`, `500/m`, `1000/h`."""

    name = "rate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Rate:
        try:
            return value if isinstance(value, Rate) else parse_rate(value)
        except InvalidSettings as error:
            self.fail(f"{str(error).removeprefix('rate: ')}.", param, ctx)


class RunRequest(Struct, frozen=True, kw_only=True):
    """What the user asked for.

    Attributes:
        paths: files and folders of evaluations.
        keyword: which of them, and which cases, by words.
        tags: which cases, by their tags.
        limit: how many cases of each evaluation at the most.
        trials: how often each case is asked; None for as often as its evaluation says.
        jobs: how many are asked at once.
        limits: how patient to be with each.
        fail_under: what the mean of each scorer must reach that has no threshold of its own.
        last_failed: whether to ask only what did not pass before.
        watch: whether to begin again whenever a file changes.
        resume: whether to go on with the run that did not end.
        cache: whether to take answers from earlier runs.
        judge: the model that judges where an evaluation names none.
        show: which cases to show.
        most: how many of them at the most.
        output_format: what to write.
        output: where to write it; None for standard output.
        lang: the language.
        trusts_kept: whether kept answers are taken where all that decides them is known.
        cache_since: from when on, in seconds since 1970, kept answers of code are good.
        name: what the run is called in the history.
        store: where the history is; None for that of the project.
    """

    paths: tuple[str, ...]
    keyword: str
    tags: tuple[str, ...]
    limit: int | None
    trials: int | None
    jobs: int
    limits: Limits
    fail_under: float | None
    last_failed: bool
    watch: bool
    resume: bool
    cache: bool
    judge: Any
    show: Show
    most: int | None
    output_format: str
    output: str | None
    lang: Language
    trusts_kept: bool = False
    cache_since: float = 0.0
    name: str | None = None
    store: str | None = None


_RUN_OPTIONS = (
    click.option(
        "-k",
        "keyword",
        default="",
        metavar="WORDS",
        help="Only what has these words in the name of its evaluation, its variant or its case;"
        " with and, or, not, as in 'weather and not slow'.",
    ),
    click.option(
        "--tag",
        "tags",
        multiple=True,
        metavar="TAG",
        help="Only cases with this tag; may be given several times.",
    ),
    click.option(
        "--limit", type=click.IntRange(min=1), help="At most so many cases of each evaluation."
    ),
    click.option(
        "--trials",
        type=click.IntRange(min=1),
        help="Ask each case so often: pass@k, pass^k, flaky cases.  [default: as the evaluation"
        " says, or once]",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(min=1),
        default=JOBS,
        show_default=True,
        help="Ask so many at once.",
    ),
    click.option("--rate", type=_Rate(), metavar="N[/s|/m|/h]", help="Begin at most so many."),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0),
        default=TIMEOUT,
        show_default=True,
        metavar="SECONDS",
        help="Give an answer up after so long; 0 for never.",
    ),
    click.option(
        "--retries",
        type=click.IntRange(min=0),
        default=RETRIES,
        show_default=True,
        help="Repeat after an error that may pass: 429, 5xx, a lost connection. What --timeout has"
        " given up is repeated only where a ready model is asked.",
    ),
    click.option(
        "--last-failed", is_flag=True, help="Only what failed, or had an error, the last time."
    ),
    click.option("--watch", is_flag=True, help="Run again what changes, until Ctrl-C."),
    click.option("--resume", is_flag=True, help="Go on with the run that did not come to its end."),
    click.option("--name", type=RUN_NAME, metavar="NAME", help="Call the run so in the history."),
    click.option(
        "--cache", is_flag=True, help="Take kept answers where just the same was asked before."
    ),
)


def run_options(function: AnyCommand) -> AnyCommand:
    """Add the options that say what is asked, and how."""
    for option in reversed(_RUN_OPTIONS):
        function = option(function)
    return function


def run_request_from(options: dict[str, Any]) -> RunRequest:
    """What the user asked for, from the options of `callscore run`."""
    limits = Limits(
        retries=options.pop("retries"),
        timeout=options.pop("timeout") or None,
        rate=options.pop("rate"),
    )
    paths = options.pop("paths") or (".",)
    shown = show_options_from(options)
    return RunRequest(paths=paths, limits=limits, **shown, **options)


# Selecting the questions: by options, those that failed last time, or those of an unfinished run.

_HOUR = 3600
_ALL_PASSED = Phrase(
    "nothing failed the last time: everything is run", "в прошлый раз всё прошло: запускается всё"
)
_NEVER_RUN = Phrase(
    "nothing was run before: everything is run", "раньше ничего не запускалось: запускается всё"
)


class ChosenQuestions(Struct, frozen=True, kw_only=True):
    """What is asked.

    Attributes:
        selection: which of the questions.
        trials: how often each; None for as often as its evaluation says.
        arguments: the same as it is kept with the run.
        resumed: the run that goes on, which no other process can take meanwhile.
    """

    selection: Selection
    trials: int | None
    arguments: dict[str, Any]
    resumed: LockedRun | None = None


def choose_questions(
    request: RunRequest, store: Store | None, on_note: Callable[[str], None]
) -> ChosenQuestions:
    """What the user asks for; a run that goes on asks what it asked before.

    Args:
        request: what the user asked for.
        store: the runs before; None where there are none, and nobody asks for any.
        on_note: called with a sentence on what may be unexpected.

    Raises:
        UnknownRun: a run is to go on, and there is none.
    """
    given: dict[str, Any] = {
        "keyword": request.keyword,
        "tags": list(request.tags),
        "limit": request.limit,
        "trials": request.trials,
        "fail_under": request.fail_under,
        "cases": None,
    }
    resumed = None
    if store is not None and request.resume:
        resumed = find_unfinished_run(store, {"paths": list(request.paths)})
        begun = resumed.record.arguments
        given = {
            name: begun.get(name, value) if value in (None, "", []) else value
            for name, value in given.items()
        }
    elif store is not None and request.last_failed:
        given["cases"] = _failed_last_time(request, store, on_note)
    cases = given["cases"]
    failed = None if cases is None else frozenset((str(a), b, str(c)) for a, b, c in cases)
    selection = Selection(
        keyword=given["keyword"] or "",
        tags=tuple(given["tags"] or ()),
        limit=given["limit"],
        last_failed=failed,
    )
    arguments = {"paths": list(request.paths), **given}
    return ChosenQuestions(
        selection=selection, trials=given["trials"], arguments=arguments, resumed=resumed
    )


def _failed_last_time(
    request: RunRequest, store: Store, on_note: Callable[[str], None]
) -> list[list[str | None]] | None:
    failed = last_failed_cases(store, request.paths)
    if not failed:
        on_note(say(_NEVER_RUN if failed is None else _ALL_PASSED, request.lang))
        return None
    return sorted([list(key) for key in failed], key=str)


def resume_command(request: RunRequest) -> str:
    """What to type to go on with a run that did not come to its end."""
    return " ".join(
        [
            "callscore",
            "run",
            *map(shlex.quote, request.paths),
            "--resume",
            *_resume_options(request),
        ]
    )


def _rate_text(rate: Rate | None) -> str | None:
    """A rate as it is typed."""
    return None if rate is None else f"{rate.starts * _HOUR / rate.seconds:g}/h"


def _resume_options(request: RunRequest) -> Iterator[str]:
    """The options that decide how it is asked and what is good enough; what is asked is kept."""
    limits = request.limits
    given = {
        "--jobs": (request.jobs, JOBS),
        "--rate": (_rate_text(limits.rate), None),
        "--timeout": (limits.timeout or 0, TIMEOUT),
        "--retries": (limits.retries, RETRIES),
        "--judge": (getattr(request.judge, "model", None), None),
        "--fail-under": (request.fail_under, None),
        "--store": (None if request.store is None else store_without_password(request.store), None),
        "--lang": (request.lang, "en"),
    }
    for option, (value, default) in given.items():
        if value != default:
            yield f"{option} {shlex.quote(f'{value:g}' if isinstance(value, float) else str(value))}"


# The command.

_HELP = """Run the evaluations in PATHs: files, and folders with eval_*.py, eval_*.yaml, eval_*.toml.

Every answer is kept in .callscore/history.db, so that --resume, --cache and `callscore rescore` ask for
nothing twice.

\b
Exit codes: 1 below a threshold, 3 a file of evaluations or a scorer does not
work, 4 an agent gave no answer, 130 interrupted.
"""


@click.command(short_help="Run evaluations of agents.", help=_HELP)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@run_options
@judge_option
@show_options
@report_options(FORMATS)
@store_option
@lang_option
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Run evaluations, write the report, and find the exit code."""
    options["output_format"] = output_format_for(ctx, options)
    options["judge"] = judge_from(options)
    request = run_request_from(options)
    if request.watch:
        return watch(request, run_once)
    return run_once(request)


def run_once(request: RunRequest) -> int:
    """Run the evaluations one time, write the report, and find the exit code."""
    results, is_shown = RunResults(), False
    go_on = resume_command(request)
    try:
        with open_output(
            request.output, request.output_format, request.lang, is_gate=True
        ) as output:
            with stdout_to_stderr():
                results = run_evaluations(request)
            has_more = any(each.details for each in results.unloaded)  # than a sentence on stderr
            if results.evaluations or has_more or request.output_format != "table":
                is_shown = write_run(results, output, request.output_format, request.lang)
    except (click.ClickException, KeyboardInterrupt):
        print_kept(results, request.lang, go_on=go_on)
        raise
    return run_exit_code(results, request.lang, go_on=go_on, is_shown=is_shown)


def run_evaluations(request: RunRequest) -> RunResults:
    """Find the evaluations, and run what is selected.

    Raises:
        InvalidSettings: nothing is selected.
        UnknownRun: a run is to go on, and there is none.
        UnusableStore: nothing could be kept.
    """
    evaluations, unloaded = discover(request.paths, print_note)
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
    with _store_or_rescue_file(request) as store:
        kept = None if isinstance(store, FallbackStore) else store
        choice = choose_questions(request, kept, print_note)
        planned = make_plan(evaluations, choice.selection, trials=choice.trials)
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
                print_interrupted(request.lang, go_on=resume_command(request))
            raise


@contextmanager
def _store_or_rescue_file(request: RunRequest) -> Iterator[Store | FallbackStore]:
    """The history; where there can be none and none is needed, a word about it, and a file."""
    try:
        store = open_store_to_write(request.store)
    except UnusableStore as error:
        if request.resume or request.last_failed or request.cache:
            raise
        print_note(say(USING_FALLBACK, request.lang, problem=error))
        yield fallback_store_for(request.store)
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
