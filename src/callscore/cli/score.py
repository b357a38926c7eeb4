"""`callscore score`: score files of cases, show what went wrong, and gate on it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from callscore.cli.exits import AGENT, BELOW, FINE
from callscore.cli.judge_option import (
    Unjudged,
    judge_option,
    judged_lines,
    judged_settings_from,
)
from callscore.cli.options import (
    SHARE,
    SettingsCommand,
    lang_option,
    metric_option,
    report_options,
    settings_options,
    tools_from,
    tools_option,
)
from callscore.cli.output import Output, open_output
from callscore.cli.progress import progress
from callscore.cli.reading import (
    fields_option,
    input_format_option,
    reading_options,
    require_inputs,
    sides_options,
    wanted_from,
)
from callscore.cli.saving import save_option, saved, tell_saved
from callscore.cli.store_option import store_option
from callscore.cli.wording import gate_reasons
from callscore.core.settings import Settings
from callscore.core.tool import Tool
from callscore.core.wording import Language
from callscore.engines.collector import Hooks, Show
from callscore.engines.local import score_files, score_joined
from callscore.errors import ModelFailed, UnreadableInput
from callscore.formats.trace import Wanted

if TYPE_CHECKING:
    from callscore.core.results import Results
    from callscore.engines.keeping import KeepRequest, ScoreKeeper

__all__ = ["command"]

_FORMATS = ["table", "json", "jsonl", "markdown", "junit"]
_FOR_PEOPLE = ("table", "markdown")
_FEW = 10
_HELP = """Score FILEs of cases, or traces of any stack that say what was expected.

Files are JSONL, JSON, YAML, CSV or Parquet, or gzip or zstd of these; - is standard input.

\b
One case a line, with both sides:
  {"id": "a", "expected": [{"name": "f", "arguments": {}}], "actual": [...]}
Or the two sides in two files, each in whatever format it is:
  callscore score --expected references.jsonl --actual traces.jsonl
Or records of another shape, with the places of what matters:
  callscore score runs.json --map 'id=$.task_id' --map 'expected=$.task.actions' --map 'actual=$.messages'
"""


class _Request(Struct, frozen=True, kw_only=True):
    """What the user asked for."""

    files: tuple[str, ...]
    expected: tuple[str, ...]
    actual: tuple[str, ...]
    settings: Settings
    show: Show | None
    limit: int | None
    output_format: str
    output: str | None
    fail_under: float | None
    lang: Language
    skip_bad: bool
    fields: dict[str, str]
    input_format: str | None
    wanted: Wanted
    tools: Mapping[str, Tool] | None
    metric: tuple[str, ...]
    save: str | None
    store: str | None


@click.command(cls=SettingsCommand, short_help="Score files of cases.", help=_HELP)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@sides_options
@fields_option
@input_format_option
@reading_options
@tools_option
@settings_options
@judge_option
@metric_option
@click.option(
    "--show",
    type=click.Choice(["failing", "all", "none"]),
    help="Which cases to show.  [default: failing; all in json, jsonl and junit]",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    help=f"Show at most so many.  [default: {_FEW}; all in json, jsonl and junit]",
)
@report_options(_FORMATS)
@click.option(
    "--fail-under",
    type=SHARE,
    help="Exit with 1 if the macro F1 is below, a reference was not run, or a forbidden call made.",
)
@save_option
@store_option
@lang_option
@click.option("--skip-bad", is_flag=True, help="Count and skip what cannot be read.")
def command(**options: Any) -> int:
    """Score files of cases, write the report, and find the exit code."""
    settings, judge = judged_settings_from(options)
    tools = tools_from(options)
    wanted = wanted_from(options, () if tools is None else tools.values())
    fields = dict(options.pop("fields"))
    request = _Request(settings=settings, wanted=wanted, tools=tools, fields=fields, **options)
    require_inputs(request.files, request.expected, request.actual)
    is_gate = request.fail_under is not None
    destination = request.output, request.output_format, request.lang
    unjudged = Unjudged(judge)
    with open_output(*destination, is_gate=is_gate) as output:
        with saved(_kept(request), request.store, request.lang) as keeper:
            results = _score(request, output, unjudged, keeper)
        output.write(results)
        for line in judged_lines(judge, request.lang):
            if request.output_format == "table":
                output.write_text(f"\n{line}\n")
            else:  # where the report is for a program, or for another place
                click.echo(f"callscore: {line}", err=True)
    tell_saved(keeper, request.lang)
    code = _gate(results, request)
    _name(unjudged, request.lang)
    return AGENT if unjudged else code


def _name(unjudged: Unjudged, lang: Language) -> None:
    for line in unjudged.lines(lang):
        click.echo(f"callscore: {line}", err=True)


def _kept(request: _Request) -> KeepRequest | None:
    """What is to be kept; None where nobody asked for that."""
    if request.save is None:
        return None
    from callscore.engines.keeping import KeepRequest

    return KeepRequest(
        name=request.save,
        cases=request.files or request.expected,
        actual=request.actual,
        settings=request.settings,
        tools=request.tools,
        fail_under=request.fail_under,
    )


def _score(
    request: _Request, output: Output, unjudged: Unjudged, keeper: ScoreKeeper | None
) -> Results:
    """Score the input; where it breaks off, what was scored before is still written."""
    for_people = request.output_format in _FOR_PEOPLE
    options: dict[str, Any] = {
        "settings": request.settings,
        "show": request.show or ("failing" if for_people else "all"),
        "limit": _FEW if request.limit is None and for_people else request.limit,
        "skip_bad": request.skip_bad,
        "fields": request.fields,
        "format": request.input_format,
        "wanted": request.wanted,
        "tools": request.tools,
        "metrics": request.metric,
    }
    paths = request.files or (*request.expected, *request.actual)
    try:
        with progress(paths) as on_bytes:
            hooks = Hooks(on_case=output.on_case, on_unjudged=unjudged.take, on_bytes=on_bytes)
            hooks = hooks if keeper is None else keeper.told(hooks)
            if request.files:
                score = partial(score_files, request.files)
            else:
                score = partial(score_joined, request.expected, request.actual)
            results = score(hooks=hooks, **options)
    except (UnreadableInput, ModelFailed) as error:
        if error.results is not None and error.results.summary.cases:
            output.write(error.results)
        _name(unjudged, request.lang)
        raise
    if not results.summary.cases and not results.has_notes and not unjudged:
        places = ", ".join(request.files or request.actual)
        raise UnreadableInput(places, "there is no case to score in it.")
    return results


def _gate(results: Results, request: _Request) -> int:
    if request.fail_under is None:
        return FINE
    reasons = gate_reasons(results, request.fail_under, request.lang)
    for reason in reasons:
        click.echo(f"callscore: {reason}", err=True)
    return BELOW if reasons else FINE
