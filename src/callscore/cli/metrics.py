"""`callscore metrics`: other tools' numbers that can be asked for, and where they disagree."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from callscore.cli.metric_pages import metric_list, metric_page
from callscore.cli.options import (
    lang_option,
    metric_option,
    report_options,
    tools_from,
    tools_option,
)
from callscore.cli.output import open_output, write_report
from callscore.cli.progress import progress
from callscore.cli.reading import (
    fields_option,
    input_format_option,
    reading_options,
    require_inputs,
    sides_options,
    wanted_from,
)
from callscore.engines.collector import Hooks
from callscore.engines.disagreeing import DisagreementCollector
from callscore.engines.local import score_files, score_joined
from callscore.errors import UnreadableInput
from callscore.metrics import own
from callscore.metrics.registry import headlines, metrics_from
from callscore.parity import TOOLS

if TYPE_CHECKING:
    from callscore.cli.output import Output
    from callscore.core.phrase import Language
    from callscore.core.results import Results
    from callscore.metrics.metric import Metric

__all__ = ["command"]

_FORMATS = ["table", "json", "markdown"]
_FEW = 5
_HELP = """List other tools' numbers that `callscore score --metric` can show, or describe NAMEs.

With --disagree, show the cases of FILEs on which the tools disagree most, and what each of them is
blind to: every kind of difference in a case is repaired, and each tool is asked again.

\b
  callscore metrics
  callscore metrics ragas
  callscore metrics ragas.tool_call_f1
  callscore metrics --disagree cases.jsonl
"""
# What has a meaning without --disagree.
_ALWAYS = ("names", "disagree")


@click.command(short_help="List other tools' numbers, or show where they disagree.", help=_HELP)
@click.argument("names", nargs=-1, metavar="[NAME | FILE]...")
@click.option("--disagree", is_flag=True, help="Show on which cases of FILEs the tools disagree.")
@sides_options
@metric_option
@fields_option
@input_format_option
@reading_options
@tools_option
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=_FEW,
    show_default=True,
    help="Show at most so many cases.",
)
@report_options(_FORMATS)
@lang_option
@click.option("--skip-bad", is_flag=True, help="Count and skip what cannot be read.")
@click.pass_context
def command(
    context: click.Context, /, *, names: tuple[str, ...], disagree: bool, **options: Any
) -> None:
    """List metrics, describe some, or show where they disagree."""
    if disagree:
        _disagree(names, options)
        return
    _refuse_options(context)
    _refuse_files(names)
    with open_output(None, "text", "en") as output:
        from rich.console import Console

        console = Console()  # it knows NO_COLOR, FORCE_COLOR and the like
        pages = [metric_page(name, console) for name in names] or [metric_list(console)]
        output.write_text("\n".join(pages))


def _refuse_options(context: click.Context) -> None:
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name not in _ALWAYS and source is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{parameter.opts[-1]} goes with --disagree.")


def _refuse_files(names: tuple[str, ...]) -> None:
    for name in names:
        if _is_file(name):
            raise click.UsageError(f"{name} is a file: callscore metrics --disagree {name}")


def _refuse_names(files: tuple[str, ...]) -> None:
    """A metric among the files is to be compared, and has an option of its own."""
    for file in files:
        is_name = file.partition(":")[0].partition(".")[0] in (own.NAME, *TOOLS)
        if is_name and not _is_file(file):
            raise click.UsageError(f"there is no file {file}. To choose a metric: --metric {file}")


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _compared(names: tuple[str, ...]) -> tuple[Metric, ...]:
    """Those who are asked for, if they can be compared; else the one that each tool is known for."""
    metrics = metrics_from(names) or headlines()
    for metric in metrics:
        if metric.less_is_better:
            problem = "less is better there, so that it has no opinion on how right a case is."
            raise click.UsageError(f"--metric {metric.name}: {problem}")
    if len(metrics) == 1:
        problem = f"--metric {metrics[0].name} is alone: name at least two to compare."
        raise click.UsageError(f"{problem} Without --metric, all tools are compared.")
    return metrics


def _disagree(files: tuple[str, ...], options: dict[str, Any]) -> None:
    sides = options.pop("expected"), options.pop("actual")
    _refuse_names(files)
    require_inputs(files, *sides)
    gathered = DisagreementCollector(_compared(options.pop("metric")), options.pop("limit"))
    tools = tools_from(options)
    reading = {
        "wanted": wanted_from(options, () if tools is None else tools.values()),
        "fields": dict(options.pop("fields")),
        "format": options.pop("input_format"),
        "skip_bad": options.pop("skip_bad"),
        "tools": tools,
    }
    with (
        open_output(options["output"], options["output_format"], options["lang"]) as output,
        progress(files or (*sides[0], *sides[1]), "comparing") as on_bytes,
    ):
        score = partial(score_files, files) if files else partial(score_joined, *sides)
        hooks = Hooks(on_score=gathered.take, on_bytes=on_bytes)
        write = partial(_write, gathered, output, options["output_format"], options["lang"])
        try:
            results = score(hooks=hooks, show="none", **reading)
        except UnreadableInput as error:
            if error.results is not None and error.results.summary.cases:
                write(error.results)
            raise
        if not results.summary.cases and not results.has_notes:
            raise UnreadableInput(", ".join(files or sides[1]), "there is no case to score in it.")
        write(results)


def _write(
    gathered: DisagreementCollector,
    output: Output,
    output_format: str,
    lang: Language,
    results: Results,
) -> None:
    about = gathered.results(), results
    write_report("disagreement", about, output, output_format, lang=lang)
