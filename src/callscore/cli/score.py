"""`callscore score`: scores files of cases, writes the report, stores it, and gates on it."""

from __future__ import annotations

import gc
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import PurePath
from time import time
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from callscore.cli.exits import add_how_to_skip, score_exit_code
from callscore.cli.jobs import jobs_option
from callscore.cli.judge_options import judge_option, judged_settings_from
from callscore.cli.options import (
    DEFAULT_MAX_SHOWN,
    SettingsCommand,
    fail_under_option,
    input_options,
    lang_option,
    limit_option,
    max_shown_cases_option,
    max_skipped_option,
    metric_option,
    note_unused,
    open_store_to_write,
    parse_run_name,
    reading_from,
    require_inputs,
    settings_options,
    show_option,
    sides_options,
    store_option,
    tools_from,
    tools_option,
    warn_unknown_defaults,
)
from callscore.cli.output import Output, open_output, print_note, print_unread
from callscore.cli.output_formats import is_for_people, report_options
from callscore.cli.progress import progress
from callscore.cli.record_fields import note_unfound
from callscore.cli.sample_options import sample_options
from callscore.cli.score_rows import (
    formats_read,
    is_large,
    large_data_options,
    print_about_rows,
    require_possible,
    save_rows,
    scored_rows,
    write_cases,
)
from callscore.cli.typed_options import inputs_as_typed, settings_as_typed
from callscore.cli.unpacking import max_unpacked_option
from callscore.core.call import Tool
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import escape
from callscore.core.settings import Settings
from callscore.core.totals import Show
from callscore.engines.collector import ScoreHooks
from callscore.engines.local import score_files, score_joined
from callscore.errors import ModelFailed, UnreadableInput
from callscore.formats.trace import ReadOptions
from callscore.sources.paths import display_paths, expand_paths
from callscore.sources.remote import name_in_url, without_credentials
from callscore.words.value_text import CASES

if TYPE_CHECKING:
    from callscore.core.case import Case
    from callscore.core.results import Results
    from callscore.engines.sampling import SampledResults
    from callscore.engines.saving import SaveRequest, ScoreSaver
    from callscore.models.judging import Judge
    from callscore.reports.html.document import Heading

_SAVED = Phrase(
    "saved as run {run}. To show it: callscore show {name}",
    "сохранено как прогон {run}. Показать: callscore show {name}",
)
_NOT_ALL_SAVED = Phrase(
    "the run was not saved completely: {problem}", "прогон сохранён не полностью: {problem}"
)


@contextmanager
def saving_scores(
    request: SaveRequest | None, store: str | None, lang: Language
) -> Iterator[ScoreSaver | None]:
    """What stores the scores in the history; None without a request."""
    if request is None:
        yield None
        return
    from callscore.engines.saving import ScoreSaver
    from callscore.history.writer import fallback_file_for

    keeper = ScoreSaver(request, lambda: open_store_to_write(store), fallback_file_for(store))
    is_whole = False
    try:
        yield keeper
        is_whole = True
    finally:
        keeper.finish("finished" if is_whole else "interrupted")
        if not is_whole:  # else it follows the report
            print_saved(keeper, lang)


def print_saved(keeper: ScoreSaver | None, lang: Language) -> None:
    """Print where the results are stored; nothing without --save."""
    if keeper is None:
        return
    from callscore.history.writer import USING_FALLBACK

    phrase = USING_FALLBACK if keeper.is_aside else _NOT_ALL_SAVED
    for problem in keeper.problems:
        print_note(say(phrase, lang, problem=problem))
    if saved_in := keeper.saved(lang):
        print_note(saved_in)
    if keeper.run is not None and not keeper.is_aside:
        name = shlex.quote(keeper.run.name or keeper.run.id)
        print_note(say(_SAVED, lang, run=keeper.run.id, name=f"{name}{keeper.command_options}"))


_JUDGED = Phrase("{model} judged {values} with {times}", "{model}: {values}, {times}")
_VALUES = Plural(("value", "values"), ("значение оценено", "значения оценены", "значений оценено"))
_TIMES = Plural(("request", "requests"), ("запрос", "запроса", "запросов"))
_NOT_JUDGED = Phrase(
    "{cases} not judged, and not in the report", "не оценено судьёй и не вошло в отчёт: {cases}"
)
_UNUSED_JOBS = Phrase("--jobs has no effect with {option}", "--jobs не действует вместе с {option}")
_JOBS_OF_ENGINE = Phrase(
    "--jobs has no effect with --engine: the cluster has its own processes",
    "--jobs не действует вместе с --engine: у кластера свои процессы",
)
_MOST_NAMED = 10
_MOST_FAILURES_IN_A_ROW = 5  # then the judge is considered unavailable
_JUDGE_ANSWERS_NOT_KEPT = Phrase(
    "the answers of the judge were not saved: {problem}", "ответы судьи не сохранены: {problem}"
)


def judged_lines(judge: Judge | None, lang: Language) -> list[str]:
    """How many questions a judge was asked; empty without a judge."""
    if judge is None:
        return []
    counts = judge.counts()
    lines: list[str] = []
    if counts.judged:
        values = count_of(_VALUES, counts.judged, lang)
        times = count_of(_TIMES, counts.asked, lang)
        lines.append(say(_JUDGED, lang, model=escape(counts.model), values=values, times=times))
    if judge.problem is not None:
        lines.append(say(_JUDGE_ANSWERS_NOT_KEPT, lang, problem=escape(judge.problem)))
    return lines


class UnjudgedCases:
    """The cases for which the judge gave no answer; they are not scored, but named at the end."""

    def __init__(self, judge: Judge | None) -> None:
        self._judge = judge
        self._named: list[str] = []
        self._count = 0
        self._in_a_row = 0
        self._judged = 0

    def __bool__(self) -> bool:
        """Whether there are any."""
        return self._count > 0

    def take(self, place: str, case: Case, error: ModelFailed) -> None:
        """Note a case; raises the error if there were too many in a row."""
        judged = 0 if self._judge is None else self._judge.counts().judged
        self._in_a_row = self._in_a_row + 1 if judged == self._judged else 1
        self._judged = judged
        self._count += 1
        if len(self._named) < _MOST_NAMED:
            self._named.append(f"{place}: {case.id}: {error}" if case.id else f"{place}: {error}")
        if self._in_a_row == _MOST_FAILURES_IN_A_ROW:
            raise error

    def lines(self, lang: Language) -> list[str]:
        """How many there are, and the first of them; empty if there are none."""
        if not self._count:
            return []
        cases = count_of(CASES, self._count, lang)
        return [say(_NOT_JUDGED, lang, cases=cases), *map(escape, self._named)]


_FORMATS = ["table", "json", "jsonl", "markdown", "junit", "html"]
_HELP = """Score FILEs of cases, or traces in any format that contain the expected calls.

Files are JSONL, JSON, YAML, CSV or Parquet, also compressed with gzip or zstd; - is standard input.

\b
One case per line, with both sides:
  {"id": "a", "expected": [{"name": "f", "arguments": {}}], "actual": [...]}
Or the two sides in two files, each in any format:
  callscore score --expected references.jsonl --actual traces.jsonl
Or large data, on all processors, on Spark or on Ray, with a row for each case:
  callscore score 'logs/**/*.jsonl.zst' --jobs auto --results rows.parquet
Or records of another shape, with the paths of the fields:
  callscore score runs.json --map 'id=$.task_id' --map 'expected=$.task.actions' --map 'actual=$.messages'

\b
Exit codes: 1 with --fail-under if the macro F1 is below it, a case has no answer,
a forbidden call was made, or more than --max-skipped records could not be read;
3 if nothing could be scored.
"""


class Request(Struct, frozen=True, kw_only=True):
    """The options of the command."""

    files: tuple[str, ...]
    expected: tuple[str, ...]
    actual: tuple[str, ...]
    settings: Settings
    show: Show | None
    limit: int | None
    max_shown: int | None
    output_format: str
    output: str | None
    fail_under: float | None
    lang: Language
    skip_bad: bool | None
    max_skipped: int
    fields: dict[str, str]
    input_format: str | None
    read_options: ReadOptions
    tools: Mapping[str, Tool] | None
    metric: tuple[str, ...]
    save: str | None
    store: str | None
    jobs: int
    sample: int | None
    by: str | None
    seed: int
    results: str | None
    pairs: bool
    resume: bool
    engine: str
    cluster: str | None
    save_cases: str | None


@click.command(cls=SettingsCommand, help=_HELP)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@sides_options()
@input_options
@limit_option
@sample_options
@tools_option
@settings_options
@judge_option
@metric_option
@show_option
@max_shown_cases_option
@report_options(_FORMATS)
@fail_under_option
@click.option(
    "--save",
    type=parse_run_name,
    metavar="NAME",
    help="Save the run in the history, under this name.",
)
@store_option
@large_data_options
@lang_option
@jobs_option(1)
@max_skipped_option
@max_unpacked_option
def command(**options: Any) -> int:
    """Score files of cases, write the report, and find the exit code."""
    # Thousands of cases are decoded and scored together. There are no cycles among them, and looking
    # for cycles took a tenth of the time.
    gc.set_threshold(50_000, 20, 100)
    typed = (*settings_as_typed(options), *inputs_as_typed(options))
    settings, judge = judged_settings_from(options)
    tools = tools_from(options)
    read_options = reading_from(options, (tools or {}).values())
    fields = dict(options.pop("fields"))
    if options["engine"] == "local":  # a cluster has paths and patterns of its own
        for side in ("files", "expected", "actual"):
            options[side] = tuple(expand_paths(options[side]))
    request = Request(
        settings=settings, read_options=read_options, tools=tools, fields=fields, **options
    )
    require_inputs(request.files, request.expected, request.actual)
    require_possible(request)
    if is_large(request):
        return _score_large(request, typed)
    unjudged = UnjudgedCases(judge)
    _note_unused_jobs(request, is_judged=judge is not None)
    # Answers of a judge, and cases on standard input, may be long in coming.
    is_prompt = judge is not None or "-" in (*request.files, *request.expected, *request.actual)
    with _open_report(request, typed, is_prompt=is_prompt) as output:
        with saving_scores(_keep_request(request), request.store, request.lang) as keeper:
            results, sampled = _score(request, output, unjudged, keeper)
            if keeper is not None:
                keeper.unreadable = results.skipped.count
        _write_estimate(sampled, request, output)
        # What is required is compared with the estimate, if there is one.
        required = request.fail_under if sampled is None else None
        output.write(replace(results, fail_under=required))
        _write_below(judged_lines(judge, request.lang), request, output)
    _print_notes(results, keeper, request.lang)
    code = score_exit_code(
        results,
        request.fail_under,
        request.lang,
        is_judged=not unjudged,
        is_joined=not request.files,
        max_skipped=request.max_skipped,
        estimate=None if sampled is None else sampled.estimate,
    )
    _print_unjudged(unjudged, request.lang)
    if not is_for_people(request.output_format):
        print_unread(results.unread, request.lang)
    return code


def _score_large(request: Request, typed: tuple[str, ...]) -> int:
    """Score data that may be larger than the memory, or on a cluster."""
    started_at = time()
    if request.engine != "local" and request.jobs > 1:
        print_note(say(_JOBS_OF_ENGINE, request.lang))
    with _open_report(request, typed, is_prompt=False) as output, scored_rows(request) as run:
        hides_calls = request.show == "none"
        results = replace(run.results, hides_calls=hides_calls, inputs=formats_read(request))
        output.write(replace(write_cases(results, output.on_case), fail_under=request.fail_under))
        print_about_rows(run, request)
        keeper = save_rows(_keep_request(request, started_at), request, run)
    _print_notes(results, keeper, request.lang)
    if not is_for_people(request.output_format):
        print_unread(results.unread, request.lang)
    return score_exit_code(
        results,
        request.fail_under,
        request.lang,
        is_judged=True,
        is_joined=not request.files,
        max_skipped=request.max_skipped,
    )


def _print_notes(results: Results, keeper: ScoreSaver | None, lang: Language) -> None:
    """Print which option had no effect, and where the run is saved."""
    warn_unknown_defaults([results.summary], lang)
    print_saved(keeper, lang)


@contextmanager
def _open_report(request: Request, typed: tuple[str, ...], *, is_prompt: bool) -> Iterator[Output]:
    is_gate = request.fail_under is not None
    destination = request.output, request.output_format, request.lang
    with open_output(*destination, is_gate=is_gate, is_prompt=is_prompt) as output:
        if request.output_format == "html":
            output.heading = _heading(request, typed)
        yield output


def _write_below(lines: list[str], request: Request, output: Output) -> None:
    """Write lines below a report that people read; elsewhere they are notes."""
    for line in lines:
        if request.output_format == "table":
            output.write_text(f"\n{line}\n")
        else:
            print_note(line)


_OF_THE_SAMPLE = Phrase("The rest is about the sample.", "Дальше речь только о выборке.")


def _write_estimate(sampled: SampledResults | None, request: Request, output: Output) -> None:
    """Write what a sample says about all cases above the report, whose numbers are those of the sample."""
    if sampled is None:
        return
    from callscore.reports.sample import estimate_lines

    lines = estimate_lines(sampled, request.lang)
    if is_for_people(request.output_format):
        output.write_text("\n".join([*lines, say(_OF_THE_SAMPLE, request.lang)]) + "\n\n")
        return
    for line in lines:
        print_note(line)


def _heading(request: Request, typed: tuple[str, ...]) -> Heading:
    """What the report is about, and the command that explains one of its cases."""
    from callscore.reports.html.document import Heading

    names = request.files or (*request.expected, *request.actual)
    title = ", ".join([PurePath(name_in_url(name)).name for name in names])
    sides = {"--expected": request.expected, "--actual": request.actual}
    given = {"": request.files} if request.files else sides
    if any(len(paths) != 1 or paths == ("-",) for paths in given.values()):
        return Heading(title=title)  # `explain` reads one file
    files = [
        f"{option} {shlex.quote(without_credentials(path))}".strip()
        for option, (path,) in given.items()
    ]
    return Heading(
        title=title, case_command=" ".join(["callscore explain", *files, *typed, "--case"])
    )


def _note_unused_jobs(request: Request, *, is_judged: bool) -> None:
    """Say that one process does the work although more are asked for."""
    reasons = {
        "--expected and --actual": not request.files,
        "--limit": request.limit is not None,
        "--judge": is_judged,
        "--save": request.save is not None,
        "--sample": request.sample is not None,
    }
    if request.jobs > 1 and any(reasons.values()):
        found = next(reason for reason, is_so in reasons.items() if is_so)
        print_note(say(_UNUSED_JOBS, request.lang, option=found))


def _print_unjudged(unjudged: UnjudgedCases, lang: Language) -> None:
    for line in unjudged.lines(lang):
        print_note(line)


def _keep_request(request: Request, started_at: float | None = None) -> SaveRequest | None:
    """What to store; None without --save. The run began when it is saved, unless it says otherwise."""
    if request.save is None:
        return None
    from callscore.engines.saving import SaveRequest

    return SaveRequest(
        name=request.save,
        cases=[*map(without_credentials, request.files or request.expected)],
        actual=[*map(without_credentials, request.actual)],
        settings=request.settings,
        reading=request.read_options,
        tools=request.tools,
        fail_under=request.fail_under,
        started_at=started_at,
    )


def _score(
    request: Request, output: Output, unjudged: UnjudgedCases, keeper: ScoreSaver | None
) -> tuple[Results, SampledResults | None]:
    """Score the input, or a sample of it; after an error, what was scored before is still written."""
    if request.output_format == "junit":  # a build server counts the tests in it
        request = replace(request, show="all", max_shown=None)
    for_people = is_for_people(request.output_format)
    options: dict[str, Any] = {
        "settings": request.settings,
        "show": request.show or ("failing" if for_people else "all"),
        "limit": request.limit,
        "max_shown": DEFAULT_MAX_SHOWN
        if request.max_shown is None and for_people
        else request.max_shown,
        "skip_bad": bool(request.skip_bad),
        "fields": request.fields,
        "format": request.input_format,
        "read_options": request.read_options,
        "tools": request.tools,
        "metrics": request.metric,
    }
    paths = request.files or (*request.expected, *request.actual)
    try:
        with progress(paths) as on_bytes:
            on_case = output.on_case
            hooks = ScoreHooks(
                on_case=on_case,
                takes_unanswered=output.takes_unanswered,
                on_unjudged=unjudged.take,
                on_bytes=on_bytes,
                on_unfound=note_unfound,
                on_unused=note_unused,
                render=None if on_case is None else output.render,
            )
            hooks = hooks if keeper is None else keeper.with_saving(hooks)
            results, sampled = _score_input(request, options | {"hooks": hooks})
    except (UnreadableInput, ModelFailed) as error:
        if error.results is not None and error.results.summary.scored:
            output.write(error.results)
            add_how_to_skip(error)
        elif request.sample is not None:  # the log is read before anything is scored
            add_how_to_skip(error)
        _print_unjudged(unjudged, request.lang)
        raise
    if not results.summary.scored and not results.has_notes and not unjudged:
        if results.empty_files and not request.files:
            raise UnreadableInput(display_paths(results.empty_files), "the file is empty.")
        places = display_paths(request.files or request.actual)
        raise UnreadableInput(places, "no cases to score found.")
    return results, sampled


def _score_input(
    request: Request, options: dict[str, Any]
) -> tuple[Results, SampledResults | None]:
    if request.sample is not None:
        from callscore.engines.sampling import score_sample
        from callscore.reports.sample import estimate_to_dict

        del options["limit"]
        choice = {"by": request.by, "seed": request.seed, **options}
        sampled = score_sample(request.files, n=request.sample, **choice)
        return replace(sampled.results, sample=estimate_to_dict(sampled)), sampled
    if request.files:
        return score_files(request.files, jobs=request.jobs, **options), None
    return score_joined(request.expected, request.actual, **options), None
