"""`callscore check`: faults of calls that can be found without knowing what was expected."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path, PurePath
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from callscore.api import tools_by_name
from callscore.checks.check import FAULT_KINDS, CheckResults, FaultyRun
from callscore.checks.tool_schema import require_usable_schema
from callscore.cli.exits import ANY_FAULT, check_exit_code
from callscore.cli.jobs import jobs_option
from callscore.cli.options import (
    fail_on_option,
    input_options,
    lang_option,
    limit_option,
    max_shown_option,
    max_skipped_option,
    reading_from,
    refuse_evaluations,
    require_one_stdin,
    skip_bad_option,
    tools_option,
)
from callscore.cli.output import Output, open_output, print_named_note, print_note, write_report
from callscore.cli.output_formats import is_for_people, report_options
from callscore.cli.progress import progress
from callscore.cli.record_fields import note_all_unfound
from callscore.cli.unpacking import max_unpacked_option
from callscore.core.phrases import Language, Phrase, say
from callscore.documents import raise_unreadable
from callscore.engines.checking import check_files
from callscore.engines.inputs import InputOptions, input_options_for
from callscore.errors import InvalidSettings, UnreadableInput
from callscore.hiding.hider import Hider, hide_for_report
from callscore.sources.paths import display_paths, expand_paths
from callscore.sources.remote import name_in_url, without_credentials

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.reports.html.document import Heading

_FORMATS = ["table", "json", "jsonl", "markdown", "html"]
_FEW = 10
_IN_MEMORY = 1 << 22  # bytes of the lines of an HTML report; more of them are in a file
_WITH_TOOLS = Phrase(
    "Check the arguments, too, against definitions of the tools",
    "Проверить и аргументы по описаниям инструментов",
)
_IN_BUILD = Phrase("Fail a build on any fault", "Останавливать сборку при любой ошибке")
_HELP = """Check the calls in FILEs, in any trace format, without expected calls.

With tool definitions, it finds calls of unknown tools, and arguments that are missing, unknown, of the
wrong type or out of range. Without them, it finds arguments that are not JSON, repeats, loops, and
failed calls that are made again unchanged.

\b
The definitions come from the traces, or from a file:
  callscore check traces.jsonl --tools tools.json
"""


class _Request(Struct, frozen=True, kw_only=True):
    """The options of the command."""

    files: tuple[str, ...]
    tools: str | None
    inputs: InputOptions
    fail_on: tuple[str, ...]
    output_format: str
    output: str | None
    lang: Language
    limit: int | None
    max_shown: int | None
    skip_bad: bool
    max_skipped: int
    jobs: int


@click.command(help=_HELP)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@tools_option
@input_options
@limit_option
@fail_on_option([ANY_FAULT, *FAULT_KINDS], multiple=True)
@max_shown_option(f"{_FEW}; all in json, jsonl and html")
@report_options(_FORMATS)
@lang_option
@jobs_option(1)
@skip_bad_option
@max_skipped_option
@max_unpacked_option
def command(**options: Any) -> int:
    """Check the calls in files, write the report, and find the exit code."""
    read_options, fields = reading_from(options), dict(options.pop("fields"))
    keeps_tools = options["tools"] is None
    inputs = input_options_for(
        fields, options.pop("input_format"), read_options, keeps_tools=keeps_tools
    )
    require_one_stdin(*options["files"], options["tools"])
    options["files"] = tuple(expand_paths(options["files"]))
    request = _Request(inputs=inputs, **options)
    refuse_evaluations(*request.files)
    if request.jobs > 1 and request.limit is not None:
        print_note("--jobs has no effect with --limit")
    destination = request.output, request.output_format, request.lang
    with open_output(*destination, is_gate=bool(request.fail_on)) as output:
        if request.output_format == "html":
            results = _write_html(request, output)
        elif request.output_format == "jsonl":
            results = _write_jsonl(request, output)
        else:
            results = _check(request)
            write_report(
                "check", (results,), output, request.output_format, is_live=True, lang=request.lang
            )
    if request.jobs == 1:  # what other processes have found is not known here
        note_all_unfound(inputs)
    return check_exit_code(results, request.fail_on, request.lang, request.max_skipped)


def _write_jsonl(request: _Request, output: Output) -> CheckResults:
    """Check the calls, and write each finding as it is found."""
    from callscore.reports.check import check_notes, jsonl_line

    hider = Hider(is_live=True)

    def write(run: FaultyRun) -> None:
        for finding in run.findings():
            output.write_text(jsonl_line(hider.data(finding), lang=request.lang))

    results = _check(request, write)
    for note in check_notes(hide_for_report(results), request.lang):
        print_named_note(*note)
    return results


def _write_html(request: _Request, output: Output) -> CheckResults:
    """Check the calls, and write every run with faults, with all its calls."""
    from callscore.reports.html.check import html_parts, run_line

    hider = Hider(is_live=True)
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as lines:
        results = _check(request, lambda run: lines.write(run_line(hider.data(run), request.lang)))
        lines.seek(0)
        heading = _heading(request, results)
        for part in html_parts(results, lines, lang=request.lang, heading=heading):
            output.write_unchanged(part)
    return results


def _heading(request: _Request, results: CheckResults) -> Heading:
    """What the report is about, and what to do next."""
    from callscore.reports.html.document import Heading, NextStep

    title = ", ".join([PurePath(name_in_url(file)).name for file in request.files])
    command = shlex.join(["callscore", "check", *map(without_credentials, request.files)])
    steps = []
    if results.without_tools.count and request.tools is None:
        steps.append(NextStep(f"{command} --tools tools.json", say(_WITH_TOOLS, request.lang)))
    if results.faulty_calls:
        tools = "" if request.tools is None else f" --tools {shlex.quote(request.tools)}"
        why = say(_IN_BUILD, request.lang)
        steps.append(NextStep(f"{command}{tools} --fail-on {ANY_FAULT}", why))
    return Heading(title=title, next=tuple(steps))


def _check(
    request: _Request, on_faulty: Callable[[FaultyRun], object] | None = None
) -> CheckResults:
    for_people = is_for_people(request.output_format)
    with progress(request.files, "checking") as on_bytes:
        results = check_files(
            request.files,
            inputs=request.inputs,
            tools=None if request.tools is None else _tools_in(request.tools),
            limit=request.limit,
            max_shown=_FEW if request.max_shown is None and for_people else request.max_shown,
            skip_bad=request.skip_bad,
            jobs=request.jobs,
            on_faulty=on_faulty,
            on_bytes=on_bytes,
        )
    if not results.runs and not results.without_calls.count and not results.skipped.count:
        raise UnreadableInput(display_paths(request.files), "no calls to check found.")
    return results


def _tools_in(path: str) -> dict[str, Tool]:
    """The definitions in a file, by name; there must be some, and all schemas must be usable."""
    tools = tools_by_name(Path(path))
    for tool in tools.values():
        try:
            require_usable_schema(tool)
        except InvalidSettings as error:
            raise_unreadable(path, str(error))
    if not tools:
        raise_unreadable(path, "no tool definitions found.")
    return tools
