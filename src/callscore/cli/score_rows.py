"""`callscore score` on large data: `--results` writes a row for each case, `--engine` chooses who scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from callscore.cli.options import DEFAULT_MAX_SHOWN, open_store_to_write, stacked
from callscore.cli.output import print_note
from callscore.cli.progress import progress
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import escape
from callscore.errors import UnreadableInput
from callscore.hiding.redaction import current_redaction
from callscore.sources.files import open_bytes
from callscore.sources.remote import is_url, without_credentials

if TYPE_CHECKING:
    from callscore.cli.score import Request
    from callscore.core.case import Case
    from callscore.core.results import InputFiles, Result, Results
    from callscore.engines.batches import RowOptions
    from callscore.engines.row_totals import RowRun
    from callscore.engines.saving import SaveRequest, ScoreSaver

_FORMATS = ("table", "json", "markdown", "html")
# What the addresses of other engines begin with.
_ADDRESSES = {"spark": ("ray://",), "ray": ("spark://", "local[")}
# These would show the score of the sample as that of the log.
_NOT_OF_SAMPLE = ("html", "junit")

_WRITTEN = Phrase("{rows} written to {path}", "{rows} записано в {path}")
_ROWS = Plural(("row", "rows"), ("строка", "строки", "строк"))
_REPLACED = Phrase(
    "{processes} ended by the system or from outside, and replaced; no case was lost",
    "{processes}, завершённых системой или извне; ни один случай не потерян",
)
_PROCESSES = Plural(
    ("process was", "processes were"),
    ("заменён процесс", "заменены процессы", "заменены процессы"),
)
_RESUMED = Phrase(
    "continued: {splits} done before were not scored again",
    "продолжено: {splits}, готовые ранее, не оценивались снова",
)
_SPLITS = Plural(("part", "parts"), ("часть", "части", "частей"))
_LOST = Phrase(
    "not scored, because it ended every process that worked on it: {place}",
    "не оценено, потому что завершало каждый процесс: {place}",
)
_STOPPED = Phrase(
    "stopped; what is done is in {folder}. To continue, add --resume to the same command",
    "остановлено; готовое находится в {folder}. Чтобы продолжить, добавьте --resume к той же команде",
)
_NOTHING_TO_RESUME = Phrase(
    "there is no unfinished run to continue: starting from the beginning",
    "нет незавершённого прогона, который можно продолжить: начинаем сначала",
)


_results_option = click.option(
    "--results",
    metavar="FILE",
    help="Write a row for each case to this Parquet file; to a folder of them if it ends with /, and"
    " always with --engine.",
)
_pairs_option = click.option(
    "--pairs", is_flag=True, help="Add the aligned pairs of each case to the rows, as JSON."
)
_resume_option = click.option(
    "--resume", is_flag=True, help="Continue the run that did not finish."
)
_engine_option = click.option(
    "--engine",
    type=click.Choice(["local", "spark", "ray"]),
    default="local",
    show_default=True,
    help="Who scores: this machine, Spark or Ray.",
)
_cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="The cluster of --engine, such as spark://host:7077 or ray://host:10001."
    "  [default: this machine]",
)
_skip_bad_option = click.option(
    "--skip-bad/--no-skip-bad",
    default=None,
    help="Skip and report records that cannot be read.  [default: only with --results or --engine]",
)
_save_cases_option = click.option(
    "--save-cases",
    type=click.Choice(["failing", "all", "none"]),
    help="Which cases --save keeps beside the totals.  [default: failing with --results and --engine,"
    " otherwise all]",
)

large_data_options = stacked(
    _results_option,
    _pairs_option,
    _resume_option,
    _engine_option,
    _cluster_option,
    _save_cases_option,
    _skip_bad_option,
)


def is_large(request: Request) -> bool:
    """Whether rows are written, or an engine scores."""
    return request.results is not None or request.engine != "local"


def require_possible(request: Request) -> None:
    """Refuse options that do not go together.

    Raises:
        click.UsageError: naming them, and what to do.
    """
    if not is_large(request):
        _refuse_without_rows(request)
        return
    if request.save_cases is not None and request.save is None:
        raise click.UsageError("--save-cases needs --save NAME.")
    refused = {
        "--limit": (request.limit is not None, "Pass fewer files."),
        "--metric": (bool(request.metric), "Score without --results and --engine."),
        "--judge": (request.settings.judge is not None, "Score a sample: --sample."),
        "--sample": (request.sample is not None, "Write the sample first: callscore sample."),
        "--show all": (
            request.show == "all",
            "A report shows the failing cases; the rows have all cases.",
        ),
        "--resume": (
            request.resume and request.engine != "local",
            f"{request.engine.capitalize()} repeats what failed by itself.",
        ),
        "--save-cases all": (
            request.save_cases == "all" and request.engine != "local",
            "It would bring all cases to this machine: save the failing ones.",
        ),
        "--cluster": (
            request.cluster is not None and request.engine == "local",
            "Add --engine spark or --engine ray.",
        ),
        f"--cluster {request.cluster}": (
            str(request.cluster).startswith(_ADDRESSES.get(request.engine, ())),
            "It is the address of another engine.",
        ),
        "-": (
            request.engine != "local"
            and "-" in (*request.files, *request.expected, *request.actual),
            "The machines of a cluster cannot read standard input: save it as a file.",
        ),
        f"--format {request.output_format}": (
            request.output_format not in _FORMATS,
            f"Choose from: {', '.join(_FORMATS)}. --results writes all cases.",
        ),
    }
    for option, (is_given, advice) in refused.items():
        if is_given:
            with_what = "--results" if request.engine == "local" else f"--engine {request.engine}"
            raise click.UsageError(f"{option} cannot be used with {with_what}. {advice}")


def _refuse_without_rows(request: Request) -> None:
    needed = {
        "--save-cases": (request.save_cases is not None and request.save is None, "--save NAME"),
        "--pairs": (request.pairs, "--results FILE"),
        "--resume": (request.resume, "--results FILE"),
        "--cluster": (request.cluster is not None, "--engine spark or --engine ray"),
        "--by": (request.by is not None and request.sample is None, "--sample N"),
        "--sample": (request.sample is not None and not request.files, "FILEs with both sides"),
    }
    for option, (is_given, other) in needed.items():
        if is_given:
            raise click.UsageError(f"{option} needs {other}.")
    if request.sample is not None:
        _refuse_with_sample(request)
    if request.save_cases not in (None, "all"):
        raise click.UsageError(
            f"--save-cases {request.save_cases} needs --results FILE or --engine."
        )


def _refuse_with_sample(request: Request) -> None:
    first = "Write the sample with `callscore sample` first, and score that file."
    shown = request.output_format
    refused = {
        "--limit": (request.limit is not None, "Keep one of them."),
        "--save": (request.save is not None, first),
        f"--format {shown}": (shown in _NOT_OF_SAMPLE, f"Choose table, json or markdown. {first}"),
    }
    for option, (is_given, advice) in refused.items():
        if is_given:
            raise click.UsageError(f"--sample cannot be used with {option}. {advice}")


@contextmanager
def scored_rows(request: Request) -> Iterator[RowRun]:
    """Score large data; what it needs is removed at the end."""
    options = _row_options(request)
    run = (
        _score_here(request, options)
        if request.engine == "local"
        else _on_cluster(request, options)
    )
    try:
        yield run
    finally:
        run.close()


def formats_read(request: Request) -> tuple[InputFiles, ...]:
    """The formats of the files, as far as they are on this machine: the same on every engine."""
    from callscore.engines.batches import formats_of

    files, references = map(_files_here, (request.files or request.actual, request.expected))
    return formats_of(files, references, _row_options(request))


def _files_here(paths: Iterable[str]) -> list[str]:
    from callscore.sources.paths import expand_paths

    try:
        return expand_paths([path for path in paths if not is_url(path)])
    except UnreadableInput:  # a pattern of the engine's own
        return []


def _row_options(request: Request) -> RowOptions:
    from callscore.engines.batches import RowOptions

    return RowOptions(
        settings=request.settings,
        fields=request.fields or None,
        format=request.input_format,
        read_options=request.read_options,
        tools=request.tools,
        pairs=request.pairs,
        cases="all" if request.save_cases == "all" else "failing",
        skip_bad=request.skip_bad is not False,
        redaction=current_redaction(),
    )


def _max_shown(request: Request) -> int:
    if request.show == "none":
        return 0
    return DEFAULT_MAX_SHOWN if request.max_shown is None else request.max_shown


def _score_here(request: Request, options: RowOptions) -> RowRun:
    from callscore.engines.local_rows import score_to_rows
    from callscore.engines.row_files import parts_folder

    results = request.results or ""
    folder = parts_folder(results)
    if request.resume and not folder.exists():
        print_note(say(_NOTHING_TO_RESUME, request.lang))
    files = request.files or request.actual
    if results.endswith("/") and not (request.resume and folder.exists()):
        require_new_folder(results)
    _require_writable(results)
    _require_files((*files, *request.expected))
    try:
        with progress(files) as on_bytes:
            return score_to_rows(
                files,
                results,
                options,
                references=request.expected,
                jobs=request.jobs,
                resume=request.resume,
                max_shown=_max_shown(request),
                keeps_failing=_keeps_cases(request),
                on_bytes=on_bytes,
            )
    except KeyboardInterrupt:
        if folder.exists():
            print_note(say(_STOPPED, request.lang, folder=folder))
        raise


def require_new_folder(results: str) -> None:
    """Refuse a folder that has files: rows beside them would be taken for one result."""
    folder = Path(results)
    if folder.is_dir() and any(folder.iterdir()):
        raise click.UsageError(
            f"--results {results}: the folder has files. Delete them, or specify another folder."
        )


def _require_files(paths: Iterable[str]) -> None:
    """Refuse files that are missing, and folders: each would be one unreadable row of many."""
    for path in paths:
        if path != "-" and not is_url(path) and not Path(path).is_file():
            with open_bytes(path):  # says what is wrong; a pipe can be read
                pass


def _require_writable(results: str) -> None:
    """Refuse to write where nothing can be written, before anything is scored."""
    target = Path(results)
    if is_url(results):
        raise click.UsageError(
            f"--results {without_credentials(results)}: rows are written to this machine. Write a"
            " file, and copy it; --engine spark and --engine ray write to addresses."
        )
    if not results.endswith("/") and target.is_dir():
        raise click.UsageError(
            f"--results {results}: this is a folder. Write {results}/ to use it."
        )
    if not results.endswith("/") and target.suffix != ".parquet":
        raise click.UsageError(f"--results {results}: the name must end with .parquet or /.")
    if not target.parent.exists():
        raise click.UsageError(f"--results {results}: there is no folder {target.parent}.")


def _on_cluster(request: Request, options: RowOptions) -> RowRun:
    from importlib import import_module

    if request.results is not None and not is_url(request.results):
        require_new_folder(request.results)  # before the engine is started, which takes long
    engine = import_module(f"callscore.engines.{request.engine}")
    run: RowRun = engine.score_paths(
        request.files or request.actual,
        options,
        references=request.expected,
        cluster=request.cluster,
        results=request.results,
        max_shown=_max_shown(request),
        keeps_failing=_keeps_cases(request),
    )
    return run


def _keeps_cases(request: Request) -> bool:
    return request.save is not None and _saved_cases(request) != "none"


def _saved_cases(request: Request) -> Any:
    return request.save_cases or "failing"


def save_rows(save: SaveRequest | None, request: Request, run: RowRun) -> ScoreSaver | None:
    """Save the totals of a run, and its failing cases; None without --save."""
    if save is None:
        return None
    from callscore.engines.saving import save_totals
    from callscore.history.writer import fallback_file_for

    return save_totals(
        save,
        run.results,
        _results(run.failing(), request),
        lambda: open_store_to_write(request.store),
        saved_cases=_saved_cases(request),
        fallback=fallback_file_for(request.store),
    )


def _results(cases: Iterable[Case], request: Request) -> Iterator[Result]:
    from callscore.engines.row_totals import result_of_case
    from callscore.engines.tool_definitions import ToolDefinitions

    definitions = ToolDefinitions(request.tools)
    for case in cases:
        yield result_of_case(case, request.settings, definitions)


def print_about_rows(run: RowRun, request: Request) -> None:
    """Print where the rows are, and what happened on the way."""
    lang = request.lang
    if request.results is not None and run.rows:
        rows = count_of(_ROWS, run.rows, lang)
        print_note(say(_WRITTEN, lang, rows=rows, path=escape(request.results)))
    for line in _local_notes(run, lang):
        print_note(line)


def _local_notes(run: RowRun, lang: Language) -> Iterator[str]:
    if run.resumed:
        yield say(_RESUMED, lang, splits=count_of(_SPLITS, run.resumed, lang))
    if run.deaths and not run.lost:
        yield say(_REPLACED, lang, processes=count_of(_PROCESSES, run.deaths, lang))
    for place in run.lost:
        yield say(_LOST, lang, place=escape(place))


def write_cases(results: Results, on_case: Callable[[Any], None] | None) -> Results:
    """Hand the cases to show to a report that takes them one by one; returns the rest."""
    from msgspec.structs import replace

    if results.hides_calls:  # nothing is to be shown, so that nothing is missing
        results = replace(results, not_shown=0)
    if on_case is None:
        return results
    for case in results.cases:
        on_case(case)
    return replace(results, shown=())
