"""`callscore run`: asks agents, scores their calls, writes the report, and gates on it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from callscore.cli.exit_codes import INTERRUPTED
from callscore.cli.exits import (
    collect_exit_code,
    print_interrupted,
    print_kept,
    run_exit_code,
)
from callscore.cli.jobs import jobs_option
from callscore.cli.judge_options import judge_from, judge_option
from callscore.cli.options import (
    SettingsCommand,
    keyword_option,
    lang_option,
    limit_option,
    name_option,
    open_existing_store,
    open_store_to_write,
    overrides_from,
    project_from,
    settings_options,
    show_options,
    show_options_from,
    stacked,
    store_option,
    tag_option,
    warn_ineffective,
)
from callscore.cli.output import (
    open_output,
    print_note,
    stdout_to_stderr,
    without_secrets,
)
from callscore.cli.output_formats import FORMATS, format_for, report_options
from callscore.cli.progress import run_progress
from callscore.cli.saved_html import write_run_report
from callscore.cli.supervision import Progress, report, tracked_run
from callscore.cli.typed_options import option_text, settings_as_typed
from callscore.cli.unpacking import max_unpacked_option
from callscore.core.phrases import Language, Phrase, say
from callscore.core.results import RunResults, Unloaded
from callscore.core.settings import ineffective_settings, settings_from
from callscore.core.totals import Show
from callscore.engines.payloads import given_settings
from callscore.engines.saving import LockedRun
from callscore.errors import (
    CallscoreError,
    InvalidSettings,
    MissingExtra,
    UnknownRun,
    UnreadableInput,
    UnusableStore,
)
from callscore.evaluations.discovery import discover, forget_modules, is_evaluation_file
from callscore.evaluations.evaluation import (
    MAX_TRIALS,
    Evaluation,
    with_project_settings,
    with_settings,
)
from callscore.evaluations.plan import Plan, Selection, make_plan
from callscore.evaluations.servers import with_allowed_servers
from callscore.hiding.hider import contains_marker
from callscore.history.writer import USING_FALLBACK, FallbackFile, fallback_file_for
from callscore.models.consent import Server
from callscore.models.limits import Limits, Rate, parse_rate
from callscore.models.secrets import hide_secrets
from callscore.reports import run_plan
from callscore.reports.run_plan import PlannedEvaluation, RunPlan
from callscore.runner.resuming import find_unfinished_run, last_failed_cases
from callscore.runner.running import RunOptions, run
from callscore.runner.stored_runs import ShowOptions, stored_settings
from callscore.sources.files import MAX_UNPACKED, max_unpacked

if TYPE_CHECKING:
    from callscore.evaluations.project_config import Config
    from callscore.history.store import Store

JOBS = 8
TIMEOUT = 60.0
RETRIES = 2


def _parse_rate(value: str) -> Rate:
    """Parse `10`, `10/s`, `500/m` or `1000/h`."""
    try:
        return parse_rate(value)
    except InvalidSettings as error:
        raise click.BadParameter(f"{str(error).removeprefix('rate: ')}.") from error


def _ignore(run: str) -> None:
    """Do nothing about a run that has begun."""


class RunRequest(Struct, frozen=True, kw_only=True):
    """The options of the command.

    Attributes:
        limit: the maximum number of cases per evaluation.
        trials: the number of trials per case; None for the number of its evaluation.
        stop_on_failure: whether to stop after the first case that fails or has an error.
        fail_under: the lowest mean for scorers without a `fail_under` of their own.
        judge: the judge of evaluations that name none.
        allow_servers: the servers that files may name.
        project: the settings of the project, for what evaluations do not set themselves.
        preset: overrides the settings of every evaluation.
        settings: override those of every evaluation, and of the preset.
        report_text: the options of the command that shape the report.
        settings_text: the options of the command that name these settings.
        labels: what warnings call these settings, and those of the project.
        is_quiet: whether to print only the summary.
        trusts_saved: whether to reuse answers if everything that determines them is known.
        cache_since: the oldest time, in seconds since 1970, of answers of code to reuse.
        has_page: whether to show the run on a page.
        on_begun: called with the id of the run once it is saved.
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
    max_shown: int | None
    output_format: str
    output: str | None
    lang: Language
    allow_servers: tuple[Server, ...] = ()
    stop_on_failure: bool = False
    collect_only: bool = False
    is_quiet: bool = False
    max_listed: int = 0
    preset: str | None = None
    settings: dict[str, Any] = {}
    report_text: tuple[str, ...] = ()
    settings_text: tuple[str, ...] = ()
    project: dict[str, Any] = {}
    labels: dict[str, str] = {}
    trusts_saved: bool = False
    cache_since: float = 0.0
    name: str | None = None
    store: str | None = None
    has_page: bool = False
    on_begun: Callable[[str], None] = _ignore


run_options = stacked(
    keyword_option,
    tag_option(multiple=True),
    limit_option,
    click.option(
        "--last-failed",
        "--lf",
        "last_failed",
        is_flag=True,
        help="Only cases whose latest result is a failure or an error.",
    ),
    click.option(
        "--collect-only", is_flag=True, help="List the cases that would run, and run nothing."
    ),
    click.option(
        "--trials",
        type=click.IntRange(1, MAX_TRIALS),
        metavar="N",
        help="Trials per case, for pass@k, pass^k and flaky cases.  [default: as in the evaluation,"
        " or 1]",
    ),
    click.option(
        "-x",
        "--exitfirst",
        "stop_on_failure",
        is_flag=True,
        help="Stop after the first case that fails or has an error.",
    ),
    jobs_option(JOBS),
    click.option("--rate", type=_parse_rate, metavar="N[/s|/m|/h]", help="Rate limit of requests."),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0),
        default=TIMEOUT,
        show_default=True,
        metavar="SECONDS",
        help="Time limit per answer; 0 for none.",
    ),
    click.option(
        "--retries",
        type=click.IntRange(min=0),
        default=RETRIES,
        show_default=True,
        metavar="N",
        help="Retries after a temporary error: 429, 5xx, a lost connection. A timeout is retried only"
        " for the models of suites and `models.chat`.",
    ),
    click.option("--watch", is_flag=True, help="Run again when files change, until Ctrl-C."),
    click.option(
        "--view",
        "has_page",
        is_flag=True,
        help="Show the run on a page in your browser, as `callscore view` does, until Ctrl-C.",
    ),
    click.option("--resume", is_flag=True, help="Continue the run that did not finish."),
    name_option(),
    click.option("--cache", is_flag=True, help="Reuse saved answers to identical questions."),
    click.option("-q", "--quiet", "is_quiet", is_flag=True, help="Print only the summary."),
    click.option(
        "-v", "--verbose", is_flag=True, help="Show every case in detail, as with --show all."
    ),
)


def run_request_from(options: dict[str, Any]) -> RunRequest:
    """The request from the options of the command."""
    limits = Limits(
        retries=options.pop("retries"),
        timeout=options.pop("timeout") or None,
        rate=options.pop("rate"),
    )
    paths = options.pop("paths") or (".",)
    report_text = tuple(_report_options(options))
    _apply_verbosity(options)
    shown = show_options_from(options)
    judge = options.pop("judge")  # it is not an override: evaluations may have their own
    settings_text = tuple(settings_as_typed(options))
    project = project_from(options)
    preset, settings, labels = overrides_from(options)
    return RunRequest(
        paths=paths,
        limits=limits,
        judge=judge,
        preset=preset,
        settings=settings,
        report_text=report_text,
        settings_text=settings_text,
        project=project.values,
        labels={**_project_labels(project, preset, settings), **labels},
        **shown,
        **options,
    )


def _project_labels(
    project: Config, preset: str | None, settings: dict[str, Any]
) -> dict[str, str]:
    """What warnings call the settings in the file of the project.

    A setting that has an effect together with the others in the file may be for other evaluations:
    it gets a warning only if options override those.
    """
    is_overridden = preset is not None or not {"mode", "count_calls"}.isdisjoint(settings)
    alone = ineffective_settings(project.given, settings_from(project.values))
    return {
        name: f"{project.place}: {name}" for name in project.given if is_overridden or name in alone
    }


def _apply_verbosity(options: dict[str, Any]) -> None:
    """Turn `-v` into `--show all` without a limit; contradictory options are refused."""
    is_verbose, is_quiet = options.pop("verbose"), options["is_quiet"]
    if is_verbose and is_quiet:
        raise click.UsageError("-q and -v exclude each other.")
    for option, is_given in (("-v", is_verbose), ("-q", is_quiet)):
        if is_given and options["show"] is not None:
            raise click.UsageError(f"{option} and --show exclude each other.")
    if is_verbose:
        options["show"] = "all"
        if options["max_shown"] is None:
            options["max_shown"] = sys.maxsize


def _report_options(options: dict[str, Any]) -> Iterator[str]:
    """The given options of the report, as options of the command line."""
    output, output_format = options["output"], options["output_format"]
    try:
        by_suffix = format_for(output, FORMATS)
    except click.UsageError:
        by_suffix = ""
    if output_format != by_suffix:
        yield f"--format {output_format}"
    if output is not None:
        yield f"-o {shlex.quote(output)}"
    for option, value in (("--show", options["show"]), ("--max-shown", options["max_shown"])):
        if value is not None:
            yield f"{option} {value}"
    for option, is_given in (("-q", options["is_quiet"]), ("-v", options["verbose"])):
        if is_given:
            yield option


_HOUR = 3600
_ALL_PASSED = Phrase(
    "no case failed when it last ran: running all cases",
    "при последних запусках не было непройденных случаев: запускаются все",
)
_NEVER_RUN = Phrase(
    "there is no earlier run: running all cases",
    "предыдущих прогонов нет: запускаются все случаи",
)


class ChosenQuestions(Struct, frozen=True, kw_only=True):
    """The questions to ask.

    Attributes:
        trials: the number of trials per case; None for the number of its evaluation.
        arguments: the same choice as it is stored with the run.
        resumed: the run that is continued, locked against other processes.
    """

    selection: Selection
    trials: int | None
    arguments: dict[str, Any]
    resumed: LockedRun | None = None


def choose_questions(
    request: RunRequest, store: Store | None, on_note: Callable[[str], None]
) -> ChosenQuestions:
    """The questions that the request selects; a resumed run asks what it asked before.

    `on_note` is called with a sentence if all questions are chosen for lack of failed ones.
    """
    given: dict[str, Any] = {
        "keyword": request.keyword,
        "tags": list(request.tags),
        "limit": request.limit,
        "trials": request.trials,
        "fail_under": request.fail_under,
        "preset": request.preset,
        "settings": given_settings(request.settings).get("settings"),
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
        if contains_marker([given["keyword"], given["tags"]]):
            raise InvalidSettings(
                "a secret is hidden in the -k or --tag of the run to resume. Pass them again"
            )
    elif store is not None and request.last_failed:
        known = last_failed_cases(store, request.paths)
        if known:
            given["cases"] = sorted([list(key) for key in known], key=str)
        else:
            on_note(say(_NEVER_RUN if known is None else _ALL_PASSED, request.lang))
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


def resume_command(request: RunRequest) -> str:
    """The command that resumes the run."""
    paths = map(shlex.quote, request.paths)
    return " ".join(["callscore", "run", *paths, "--resume", *_resume_options(request)])


def _resume_options(request: RunRequest) -> Iterator[str]:
    """The options that are not stored with the run, and differ from their defaults."""
    limits, rate = request.limits, request.limits.rate
    given = {
        "--jobs": (request.jobs, JOBS),
        "--rate": (rate and f"{rate.starts * _HOUR / rate.seconds:g}/h", None),
        "--timeout": (limits.timeout or 0, TIMEOUT),
        "--retries": (limits.retries, RETRIES),
        "--judge": (getattr(request.judge, "model", None), None),
        "--fail-under": (request.fail_under, None),
        "--store": (None if request.store is None else hide_secrets(request.store), None),
        "--lang": (request.lang, "en"),
    }
    for option, (value, default) in given.items():
        if value != default:
            yield f"{option} {shlex.quote(option_text(value))}"
    for server in request.allow_servers:
        yield f"--allow-server {shlex.quote(str(server))}"
    if request.cache:
        yield "--cache"
    if max_unpacked() != MAX_UNPACKED:
        yield f"--max-unpacked {max_unpacked()}"
    yield from request.report_text
    yield from request.settings_text


_HELP = """Run the evaluations in PATHs: files, and folders with eval_*.py, eval_*.yaml, eval_*.yml or
eval_*.toml.

Every answer is saved in .callscore/history.db: --resume, --cache and `callscore rescore` reuse it.

The settings below override those of every evaluation. Those of the project, and then their defaults, apply
where an evaluation has no setting of its own.

\b
Exit codes: 1 a case failed, or, for an evaluation with fail_under, a mean is below it;
3 an evaluation or a scorer does not work, or no case is selected or scored; 4 the agent
gave no answer; 5 the agent ended the process; 130 interrupted.
"""


@click.command(cls=SettingsCommand, short_help="Run evaluations of agents.", help=_HELP)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@run_options
@judge_option
@show_options
@settings_options
@report_options(FORMATS)
@store_option
@max_unpacked_option
@lang_option
def command(**options: Any) -> int:
    """Run evaluations, write the report, and find the exit code."""
    options["judge"] = judge_from({**options})
    request = run_request_from(options)
    if request.collect_only:
        return collect(request)
    if not request.has_page:
        return _run_or_watch(request)
    from callscore.cli.view import run_with_page  # imports the server

    return run_with_page(
        request.store,
        request.lang,
        lambda on_begun: _run_or_watch(replace(request, on_begun=on_begun)),
    )


def _run_or_watch(request: RunRequest) -> int:
    return watch(request, run_once) if request.watch else run_once(request)


def run_once(request: RunRequest) -> int:
    """Run the evaluations, write the report, and find the exit code."""
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
                is_shown = write_run_report(
                    results,
                    output,
                    request.output_format,
                    ShowOptions(show=request.show, max_shown=request.max_shown, lang=request.lang),
                    store=request.store,
                    is_quiet=request.is_quiet,
                    is_live=True,
                )
    except (click.ClickException, KeyboardInterrupt):
        print_kept(results, request.lang, go_on=go_on)
        raise
    return run_exit_code(results, request.lang, go_on=go_on, is_shown=is_shown)


def run_evaluations(request: RunRequest) -> RunResults:
    """Find the evaluations, and run the selected cases.

    Raises:
        UnreadableInput: no case is selected.
    """
    evaluations, unloaded = _find_evaluations(request)
    if not evaluations:
        return RunResults(unloaded=tuple(unloaded))
    evaluations = _with_project(request, evaluations)
    # The identity of a task is everything that determines an answer: a model without code has one.
    if request.trusts_saved and all(hasattr(each.task, "identity") for each in evaluations):
        request = replace(request, cache=True)
    if request.judge is not None:
        evaluations = [
            replace(each, settings=replace(each.settings, judge=request.judge))
            if each.settings.judge is None
            else each
            for each in evaluations
        ]
    allowed = request.allow_servers
    results = _run_in_store(request, [with_allowed_servers(each, allowed) for each in evaluations])
    if not results.evaluations and not results.unloaded and not unloaded:
        raise nothing_selected(request)
    return replace(results, unloaded=(*unloaded, *results.unloaded))


def nothing_selected(request: RunRequest) -> UnreadableInput:
    """The error that no case is selected, with the options that select."""
    given = [f"-k {request.keyword!r}"] if request.keyword else []
    given += [f"--tag {tag!r}" for tag in request.tags[:1]]
    given += [f"or --tag {tag!r}" for tag in request.tags[1:]]
    given += ["--last-failed"] if request.last_failed else []
    given += ["the selection of the resumed run"] if request.resume else []
    text = " and ".join(given).replace(" and or ", " or ")
    problem = f"no case matches {text}." if text else "no cases."
    return UnreadableInput(" ".join(request.paths), f"nothing to run: {problem}")


def collect(request: RunRequest) -> int:
    """List the cases that would run, and find the exit code; nothing is run or saved."""
    given = (("--watch", request.watch), ("--resume", request.resume), ("--view", request.has_page))
    for option, is_given in given:
        if is_given:
            raise click.UsageError(f"--collect-only and {option} exclude each other.")
    if request.output_format not in _PLAN_FORMATS:
        raise click.UsageError(f"--collect-only cannot be written as {request.output_format}.")
    with open_output(request.output, request.output_format, request.lang) as output:
        with stdout_to_stderr():
            evaluations, unloaded = _find_evaluations(request)
            planned = _plan_without_run(request, evaluations)
            _warn_ineffective(request, planned)
        unloaded = [*unloaded, *planned.unloaded]
        if not planned.groups and not unloaded:
            raise nothing_selected(request)
        for warning in planned.warnings:
            print_note(warning)
        plan = without_secrets(_run_plan(planned, unloaded))
        if request.output_format == "table":
            width, is_quiet = output.width(), request.is_quiet
            text = run_plan.write_text(plan, lang=request.lang, width=width, is_quiet=is_quiet)
        else:
            text = run_plan.write_json(plan, lang=request.lang)
        output.write_text(text)
    return collect_exit_code(unloaded)


_PLAN_FORMATS = ("table", "json")


def _plan_without_run(request: RunRequest, evaluations: Sequence[Evaluation]) -> Plan:
    store: AbstractContextManager[Store | None] = nullcontext()
    if request.last_failed:
        try:
            store = open_existing_store(request.store)
        except UnknownRun:  # there is no history yet
            request = replace(request, last_failed=False)
            print_note(say(_NEVER_RUN, request.lang))
    with store as opened:
        choice = choose_questions(request, opened, print_note)
    evaluations = _with_overrides(_with_project(request, evaluations), choice.arguments)
    return make_plan(evaluations, choice.selection, trials=choice.trials, lang=request.lang)


def _run_plan(planned: Plan, unloaded: Sequence[Unloaded]) -> RunPlan:
    return RunPlan(
        evaluations=tuple(
            PlannedEvaluation(
                name=group.evaluation.name,
                variant=group.variant,
                place=group.evaluation.place,
                cases=tuple(dict.fromkeys(question.case.id for question in group.questions)),
                trials=len(group.questions),
                skipped=tuple((each.case.id, each.reason) for each in group.left_out),
            )
            for group in planned.groups
        ),
        unloaded=tuple(unloaded),
    )


def _run_in_store(request: RunRequest, evaluations: Sequence[Evaluation]) -> RunResults:
    with _store_or_rescue_file(request) as store:
        kept = None if isinstance(store, FallbackFile) else store
        choice = choose_questions(request, kept, print_note)
        evaluations = _with_overrides(evaluations, choice.arguments)
        planned = make_plan(evaluations, choice.selection, trials=choice.trials, lang=request.lang)
        _warn_ineffective(request, planned)
        if not planned.groups:
            if choice.resumed is not None:
                choice.resumed.lock.release()
            return RunResults(unloaded=planned.unloaded)
        options = RunOptions(
            jobs=request.jobs,
            stop_on_failure=request.stop_on_failure,
            limits=request.limits,
            resume=choice.resumed or request.resume,
            use_cache=request.cache,
            cache_since=request.cache_since,
            fail_under=choice.arguments["fail_under"],
            show=request.show,
            max_shown=request.max_shown,
            max_listed=request.max_listed,
            arguments=choice.arguments,
            lang=request.lang,
            name=request.name,
        )
        try:
            go_on = resume_command(request) if kept is not None else ""
            begun = Progress(go_on, request.lang)
            with run_progress(request.lang) as shown, tracked_run(shown, begun) as hooks:
                return run(planned, options, replace(hooks, on_begun=request.on_begun), store)
        except KeyboardInterrupt:  # the second one
            if kept is not None:
                print_interrupted(request.lang, go_on=resume_command(request))
            raise


def _warn_ineffective(request: RunRequest, planned: Plan) -> None:
    """Print which settings of the command and of the project have no effect in this run."""
    all_settings = [group.evaluation.settings for group in planned.groups]
    warn_ineffective(request.labels, all_settings, request.lang)


def _find_evaluations(request: RunRequest) -> tuple[list[Evaluation], list[Unloaded]]:
    """The evaluations of the paths, and the files that cannot be used."""
    found = discover(
        request.paths, print_note, lambda file: report(Progress("", request.lang, file=str(file)))
    )
    report(None)
    return found


def _with_project(request: RunRequest, evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """The evaluations with the settings of the project where they have none of their own."""
    return [with_project_settings(each, request.project) for each in evaluations]


def _with_overrides(
    evaluations: Sequence[Evaluation], arguments: dict[str, Any]
) -> Sequence[Evaluation]:
    """The evaluations with the settings of the command, or of the resumed run."""
    preset, settings = arguments["preset"], stored_settings(arguments["settings"] or {})
    if preset is None and not settings:
        return evaluations
    return [with_settings(each, preset, settings) for each in evaluations]


@contextmanager
def _store_or_rescue_file(request: RunRequest) -> Iterator[Store | FallbackFile]:
    """The history; if it is unusable and not needed, a file instead, and a note is printed."""
    try:
        store = open_store_to_write(request.store)
    except UnusableStore as error:
        if request.resume or request.last_failed or request.cache:
            raise
        print_note(say(USING_FALLBACK, request.lang, problem=error))
        yield fallback_file_for(request.store)
        return
    with store:
        yield store


_SUFFIXES = frozenset(
    (".py", ".yaml", ".yml", ".toml", ".json", ".jsonl", ".csv", ".txt", ".md", ".parquet")
)
_NAMES_SHOWN = 3
_PAUSE = 200  # milliseconds between two checks for Ctrl-C
_WATCHING = Phrase(
    "watching for changes; press Ctrl-C to stop", "ожидание изменений; Ctrl-C — остановить"
)
_CHANGED = Phrase("changed: {names}", "изменено: {names}")


def watch(request: RunRequest, run_once: Callable[[RunRequest], int]) -> int:
    """Run the evaluations, and again whenever a file changes, until Ctrl-C."""
    if request.resume:
        raise click.UsageError("--watch and --resume exclude each other.")
    watched = _WatchedFiles(request)
    changes = watched.changes()
    code: int | None = run_once(request)
    since = 0.0 if request.cache else watched.began  # --cache also reuses older answers
    try:
        while code != INTERRUPTED:
            ended = time()  # before a change that the note invites to
            print_note(say(_WATCHING, request.lang))
            changed = watched.wait_for(changes, ended)
            if not _are_evaluations(changed, request):
                since = watched.began
            forget_modules([Path.cwd(), *(Path(path).resolve().parent for path in request.paths)])
            try:
                code = run_once(replace(request_after_change(request, changed), cache_since=since))
            except CallscoreError as error:  # the next change may repair it
                print_note(str(error))
                code = None
    except KeyboardInterrupt:
        pass
    return INTERRUPTED


def request_after_change(request: RunRequest, changed: Sequence[Path]) -> RunRequest:
    """The request for the next run after these files have changed.

    Changed files of evaluations are run alone, and answers to unchanged questions are reused. After
    a change of other code no older answer is reused, and after a change of other data only if
    everything that is sent to a model is known.
    """
    if _are_evaluations(changed, request):
        existing = tuple(_relative_path(path) for path in changed if path.exists())
        return replace(request, paths=existing or request.paths, cache=True)
    is_code = any(path.suffix == ".py" for path in changed)
    return replace(request, trusts_saved=not is_code)


def _are_evaluations(changed: Sequence[Path], request: RunRequest) -> bool:
    named = {Path(path).resolve() for path in request.paths}
    return all(is_evaluation_file(path.name) or path in named for path in changed)


def _relative_path(path: Path) -> str:
    """A path relative to the working directory if it is below it."""
    here = Path.cwd().resolve()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


class _WatchedFiles:
    """The files that are watched; `began` is the time when the last run started."""

    def __init__(self, request: RunRequest) -> None:
        self._request = request
        named = [Path(path).resolve() for path in request.paths]
        self._is_deep = any(path.is_dir() for path in named)
        self._roots = list(dict.fromkeys(p if p.is_dir() else p.parent for p in named))
        self._written = None if request.output is None else Path(request.output).resolve()
        self.began = 0.0

    def changes(self) -> Iterator[set[Path]]:
        """Start to watch: sets of changed files, which are empty while nothing changes."""
        try:
            import watchfiles
        except ImportError as error:
            raise MissingExtra("--watch", "watch") from error
        default = watchfiles.DefaultFilter()
        found = watchfiles.watch(
            *[root for root in self._roots if root.exists()],
            watch_filter=lambda change, path: default(change, path) and self._is_watched(path),
            recursive=self._is_deep,
            yield_on_timeout=True,
            rust_timeout=_PAUSE,
            ignore_permission_denied=True,
        )
        next(found)  # from here on no change is missed
        self.began = time()
        return ({Path(path).resolve() for _, path in some} for some in found)

    def _is_watched(self, path: str) -> bool:
        file = Path(path)
        inner = next((file.relative_to(r) for r in self._roots if file.is_relative_to(r)), file)
        is_hidden = any(part.startswith(".") for part in inner.parts)
        return file.suffix in _SUFFIXES and not is_hidden and file.resolve() != self._written

    def wait_for(self, changes: Iterator[set[Path]], ended: float) -> list[Path]:
        """Wait for changes, and return the changed files; `ended` is the time when the last run did."""
        for some in changes:
            files = sorted(path for path in some if not self._is_output(path, ended))
            if files:
                self.began = time()
                names = [_relative_path(path) for path in files[:_NAMES_SHOWN]]
                more = [f"+{len(files) - _NAMES_SHOWN}"] if len(files) > _NAMES_SHOWN else []
                names_text = ", ".join([*names, *more])
                print_note(say(_CHANGED, self._request.lang, names=names_text))
                return files
        raise KeyboardInterrupt  # the watch has ended

    def _is_output(self, path: Path, ended: float) -> bool:
        """Whether the run itself wrote a file: the log of an agent must not start another run."""
        if path.suffix == ".py" or _are_evaluations([path], self._request):
            return False
        try:
            written = path.stat().st_mtime
        except OSError:
            return False
        return self.began <= written <= ended
