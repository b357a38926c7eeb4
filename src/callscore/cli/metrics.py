"""`callscore metrics`: the metrics of other tools, and the cases on which they disagree."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import click
import msgspec
from click.core import ParameterSource

from callscore.cli.completion import complete_metric
from callscore.cli.exit_codes import OK
from callscore.cli.exits import add_how_to_skip, score_exit_code
from callscore.cli.options import (
    input_options,
    lang_option,
    limit_option,
    max_shown_option,
    metric_option,
    reading_from,
    require_inputs,
    sides_options,
    skip_bad_option,
    tools_from,
    tools_option,
)
from callscore.cli.output import open_output, write_report
from callscore.cli.output_formats import report_options
from callscore.cli.progress import progress
from callscore.cli.record_fields import note_unfound
from callscore.cli.unpacking import max_unpacked_option
from callscore.core.rendering import escape
from callscore.engines.collector import ScoreHooks
from callscore.engines.local import score_files, score_joined
from callscore.engines.tool_definitions import ToolDefinitions
from callscore.errors import UnreadableInput
from callscore.metrics.disagreement import DisagreementCollector
from callscore.metrics.metric import (
    Metric,
    MetricProvider,
    Option,
    describe_choices,
    options_of,
    python_options_of,
)
from callscore.metrics.registry import (
    OWN_NAME,
    find_metric_function,
    headline_metrics,
    metric_providers,
    own_provider,
    provider_named,
    resolve_metrics,
)
from callscore.parity import TOOLS
from callscore.reports.formatting import file_width
from callscore.sources.files import DEMO
from callscore.sources.paths import display_paths, expand_paths
from callscore.words.value_text import json_document

if TYPE_CHECKING:
    from rich.console import Console

    from callscore.core.results import Result, Results

_FILE = "cases.jsonl"
_EXAMPLE_WORDS = ("get_weather", "word")  # for an option that names a tool, and for any other
_EXAMPLE_NUMBERS = (0.5, 0.25)


def option_text(value: Any) -> str:
    """A value as it is written on the command line."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def command_examples(name: str, function: Callable[..., Any]) -> list[str]:
    """Commands for a metric: without options, unless one is required, and with an option."""
    examples = _example_options(function).items()
    options = ",".join([f"{key}={option_text(value)}" for key, value in examples])
    line = f"callscore score {_FILE} --metric {name}"
    is_required = any(option.is_required for option in options_of(function))
    return [*([] if is_required else [line]), *([f"{line}:{options}"] if options else [])]


def python_examples(peer: MetricProvider, name: str, function: Callable[..., Any]) -> list[str]:
    """Lines of Python that call the metric."""
    if peer.name == own_provider().name:
        return ["import callscore", "", f"callscore.score(expected, actual).{name}"]
    # The metrics of another package are imported from that package.
    package, _, module = function.__module__.rpartition(".")
    if peer.name in TOOLS:
        package, module = "callscore.parity", peer.name
    if name in peer.metrics:
        arguments = ["expected", "actual"]
        for key, value in _example_options(function).items():
            literal = f'"{value}"' if isinstance(value, str) else repr(value)
            arguments.append(f"{key}={literal}")
    else:
        parameters = inspect.signature(function).parameters.values()
        arguments = [each.name for each in parameters if each.default is each.empty]
    source = f"from {package} import {module}" if package else f"import {module}"
    return [source, "", f"{module}.{name}({', '.join(arguments)})"]


def _example_options(function: Callable[..., Any]) -> dict[str, Any]:
    """Values that are not the default: of each required option, or of the first option."""
    options = options_of(function)
    required = [option for option in options if option.is_required]
    examples = {}
    for option in required or options[:1]:
        members = get_args(option.type) if get_origin(option.type) is not Literal else ()
        values = [v for kind in members or (option.type,) for v in _values(option.name, kind)]
        others = (value for value in values if value != option.default)
        examples[option.name] = next(others, option.default)
    return examples


def _values(name: str, kind: Any) -> tuple[Any, ...]:
    """A few values of a type, the most plausible first."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    some = {bool: (True, False), int: (1, 2), float: _EXAMPLE_NUMBERS}
    words = _EXAMPLE_WORDS if "tool" in name else _EXAMPLE_WORDS[::-1]
    return some.get(kind, words if kind is str else ())


_KEYWORD = re.compile(r"[\w.]+: ")
# Lines that are not joined with the line before: a keyword with its description, a bullet, an example.
_OWN_LINE = re.compile(r"[\w.]+: |[-*] |>>> |[^ ].*:$")


def wrapped_text(text: str, width: int, *, first: str = "", others: str = "") -> str:
    """A text in lines of this width; `first` and `others` are the indents of its lines."""
    return fill(
        text,
        max(width, len(others) + 1),
        initial_indent=first,
        subsequent_indent=others,
        break_on_hyphens=False,
        break_long_words=False,
    )


def wrapped_docstring(text: str, width: int) -> str:
    """A docstring as it is, if it fits; otherwise with every paragraph wrapped again."""
    lines = [escape(line) for line in text.splitlines()]
    if max(map(len, lines), default=0) <= width:
        return "\n".join(lines)
    items: list[list[str]] = []
    for line in lines:
        if items and _continues(line, items[-1]):
            items[-1].append(line)
        else:
            items.append([line])
    return "\n".join(_wrapped_item(item, width) for item in items)


def _continues(line: str, item: list[str]) -> bool:
    """Whether a line belongs to the paragraph or the keyword of the lines before it."""
    if not line or not item[-1] or item[-1].endswith(":"):
        return False
    is_deeper = _depth(line) > _depth(item[0])
    return is_deeper or (_depth(line) == _depth(item[0]) and _OWN_LINE.match(line.lstrip()) is None)


def _wrapped_item(item: list[str], width: int) -> str:
    first = " " * _depth(item[0])
    is_keyword = bool(first) and _KEYWORD.match(item[0].lstrip()) is not None
    others = first + _INDENT if is_keyword else first
    return wrapped_text(" ".join(line.strip() for line in item), width, first=first, others=others)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


_INDENT = "    "
_WIDTH = 100  # longer lines are hard to read
_LESS_IS_BETTER = "Lower is better."
_NO_METRICS = "It has no metric of a single case, so there is nothing for --metric."
_ONLY_PYTHON = "It does not return one number per case, so it is called from Python only."


def metric_list(console: Console) -> str:
    """Every tool with its metrics: what each of them measures, and its options."""
    return "\n".join(_tool_section(tool, console) for tool in (own_provider(), *metric_providers()))


def metric_page(name: str, console: Console) -> str:
    """The page of a tool, or of one function of it."""
    name = name.partition(":")[0]
    if name and "." not in name:
        return _tool_page(provider_named(name), console)
    peer, function = find_metric_function(name)
    return _function_page(peer, name, function, console)


def _title(tool: MetricProvider, console: Console) -> str:
    version = "" if tool == own_provider() else tool.version  # callscore has the installed one
    return _styled(escape(f"{tool.title} {version}".rstrip()), console, bold=True)


def _tool_section(tool: MetricProvider, console: Console) -> str:
    entries = [_entry(tool, name, metric, console) for name, metric in tool.metrics.items()]
    return f"{_title(tool, console)}\n{''.join(entries)}"


def _entry(tool: MetricProvider, name: str, function: Callable[..., Any], console: Console) -> str:
    defaults = [f"{option.name}={_default(option)}" for option in options_of(function)]
    line, deeper = f"  {tool.name}.{name}", f"  {_INDENT}"
    lines = wrapped_text(
        " ".join([line.strip(), *defaults]), _width(console), first="  ", others=deeper
    )
    head = line + _styled(lines.removeprefix(line), console, dim=True)
    first = escape((inspect.getdoc(function) or "").partition("\n")[0])
    said = " ".join(filter(None, [first, _LESS_IS_BETTER if name in tool.rates_of_fault else ""]))
    return f"{head}\n{wrapped_text(said, _width(console), first=deeper, others=deeper)}\n"


def _tool_page(tool: MetricProvider, console: Console) -> str:
    """The metrics of a tool, and what else Python can call."""
    others = [_entry(tool, name, function, console) for name, function in tool.others.items()]
    parts = [_tool_section(tool, console)]
    if not tool.metrics:
        parts.append(wrapped_text(_NO_METRICS, _width(console)) + "\n")
    if others:
        parts.append(f"{_styled('Called from Python', console, bold=True)}\n{''.join(others)}")
    see = f"{tool.name}.{next(iter(tool.metrics | tool.others))}"
    parts.append(wrapped_text(f"For details: callscore metrics {see}", _width(console)) + "\n")
    return "\n".join(parts)


def _function_page(
    tool: MetricProvider, name: str, function: Callable[..., Any], console: Console
) -> str:
    metric = name.partition(".")[2]
    width = _width(console)
    parts = [
        f"{_title(tool, console)}\n{_styled(name, console, bold=True)}",
        wrapped_docstring(inspect.getdoc(function) or "", width),
        _LESS_IS_BETTER if metric in tool.rates_of_fault else "",
        "" if metric in tool.metrics else wrapped_text(_ONLY_PYTHON, width),
    ]
    for title, lines in _sections(tool, name, function, width).items():
        if lines:
            shown = "\n".join([f"{_INDENT}{line}".rstrip() for line in lines])
            parts.append(f"{_styled(title, console, bold=True)}\n{shown}")
    return "\n\n".join(filter(None, parts)) + "\n"


def _sections(
    tool: MetricProvider, name: str, function: Callable[..., Any], width: int
) -> dict[str, list[str]]:
    """The sections below the docstring of a function; commands are not wrapped, to be copied."""
    metric = name.partition(".")[2]
    python = {"In Python": python_examples(tool, metric, function)}
    if metric not in tool.metrics:
        return python
    options = []
    for option in options_of(function):
        default = "[required]" if option.is_required else f"[default: {_default(option)}]"
        less = "; lower is better if it is true" if option.name in tool.inverting else ""
        line = f"{option.name}: {describe_choices(option.type)}{less}  {default}"
        options.append(wrapped_text(line, width - len(_INDENT), others=2 * _INDENT).strip())
    return {
        "Options": options,
        "Options that exist in Python only": [each.name for each in python_options_of(function)],
        "On the command line": command_examples(name, function),
        **python,
    }


def _default(option: Option) -> str:
    """The default as it is written on the command line."""
    return "..." if option.is_required else option_text(option.default)


def _width(console: Console) -> int:
    return min(console.width if console.is_terminal else file_width(), _WIDTH)


def _styled(text: str, console: Console, **style: bool) -> str:
    is_coloured = console.is_terminal and not console.no_color
    return click.style(text, **style) if text and is_coloured else text


_FORMATS = ["table", "json", "markdown"]
_LIST_FORMATS = ("table", "json")
_FEW = 5
_HELP = """List the metrics of other tools for 'callscore score --metric', or describe NAMEs.

With --disagree, show the cases in FILEs on which the tools disagree most, and what each of them does not
see: every difference in a case is repaired in turn, and the metrics are computed again.

\b
  callscore metrics
  callscore metrics ragas
  callscore metrics ragas.tool_call_f1
  callscore metrics --disagree cases.jsonl
"""
# The parameters that are valid without --disagree.
_ALWAYS = ("names", "disagree", "output_format", "as_json", "output")


@click.command(help=_HELP)
@click.argument("names", nargs=-1, metavar="[NAME | FILE]...", shell_complete=complete_metric)
@click.option("--disagree", is_flag=True, help="Show the cases on which the tools disagree.")
@sides_options()
@metric_option
@input_options
@limit_option
@tools_option
@max_shown_option(str(_FEW))
@report_options(_FORMATS)
@lang_option
@skip_bad_option
@max_unpacked_option
@click.pass_context
def command(
    context: click.Context, /, *, names: tuple[str, ...], disagree: bool, **options: Any
) -> int:
    """List metrics, describe some, or show where they disagree."""
    if disagree:
        return _disagree(names, options)
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name not in _ALWAYS and source is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{parameter.opts[-1]} requires --disagree.")
    for name in names:
        if _is_file(name):
            raise click.UsageError(f"{name} is a file. Use: callscore metrics --disagree {name}")
    output_format = options["output_format"]
    if output_format not in _LIST_FORMATS:
        raise click.UsageError(
            f"The list of metrics cannot be written as {output_format}."
            f" Choose from: {', '.join(_LIST_FORMATS)}."
        )
    with open_output(options["output"], output_format, "en") as output:
        if output_format == "json":
            output.write_text(json_document(metric_records(names)))
            return OK
        from rich.console import Console

        console = Console()  # it respects NO_COLOR and FORCE_COLOR
        pages = [metric_page(name, console) for name in names] or [metric_list(console)]
        output.write_text("\n".join(pages))
    return OK


def metric_records(names: tuple[str, ...]) -> list[dict[str, Any]]:
    """The metrics of the named tools, or the named metrics, for programs; by default all."""
    if not names:
        tools = (own_provider(), *metric_providers())
        return [_record(tool, name) for tool in tools for name in tool.metrics]
    records = []
    for name in names:
        if "." not in name:
            tool = provider_named(name)
            records += [_record(tool, metric) for metric in tool.metrics]
        else:
            tool, _ = find_metric_function(name.partition(":")[0])
            metric = name.partition(":")[0].partition(".")[2]
            records += [_record(tool, metric)] if metric in tool.metrics else []
    return records


def _record(tool: MetricProvider, name: str) -> dict[str, Any]:
    function = tool.metrics[name]
    return {
        "name": f"{tool.name}.{name}",
        "tool": tool.title,
        "version": tool.version,
        "description": (inspect.getdoc(function) or "").partition("\n")[0],
        "lower_is_better": name in tool.rates_of_fault,
        "options": [
            {
                "name": option.name,
                "type": describe_choices(option.type),
                "required": option.is_required,
                "default": None if option.is_required else option.default,
            }
            for option in options_of(function)
        ],
    }


def _is_file(name: str) -> bool:
    try:
        return name == DEMO or Path(name).is_file()
    except (OSError, ValueError):
        return False


def _compared(names: tuple[str, ...]) -> tuple[Metric, ...]:
    """The named metrics, if they can be compared; by default the best-known one of each tool."""
    metrics = resolve_metrics(names) or headline_metrics()
    for metric in metrics:
        if metric.less_is_better:
            problem = "lower is better for it, so it does not measure how correct a case is."
            raise click.UsageError(f"--metric {metric.name}: {problem}")
    if len(metrics) == 1:
        problem = f"--metric {metrics[0].name}: pass at least two metrics to compare."
        raise click.UsageError(f"{problem} Without --metric, all tools are compared.")
    return metrics


def _take_scored(
    gathered: DisagreementCollector, definitions: ToolDefinitions, result: Result
) -> None:
    if result.score is not None:
        tools = definitions.of(result.case.tools, result.id)
        gathered.take(result.case, result.score, tools)


def _disagree(files: tuple[str, ...], options: dict[str, Any]) -> int:
    sides = options.pop("expected"), options.pop("actual")
    for file in files:
        is_metric = file.partition(":")[0].partition(".")[0] in (OWN_NAME, *TOOLS)
        if is_metric and not _is_file(file):
            raise click.UsageError(f"There is no file {file}. To select a metric: --metric {file}")
    require_inputs(files, *sides)
    files = tuple(expand_paths(files))
    sides = tuple(expand_paths(sides[0])), tuple(expand_paths(sides[1]))
    shown = options.pop("max_shown")
    tools = tools_from(options)
    gathered = DisagreementCollector(
        _compared(options.pop("metric")), _FEW if shown is None else shown
    )
    reading = {
        "read_options": reading_from(options, (tools or {}).values()),
        "fields": dict(options.pop("fields")),
        "format": options.pop("input_format"),
        "limit": options.pop("limit"),
        "skip_bad": options.pop("skip_bad"),
        "tools": tools,
    }
    output_format, lang = options["output_format"], options["lang"]
    with (
        open_output(options["output"], output_format, lang) as output,
        progress(files or (*sides[0], *sides[1]), "comparing") as on_bytes,
    ):

        def write(results: Results) -> None:
            about = gathered.results(), results
            write_report("disagreement", about, output, output_format, lang=lang)

        score = partial(score_files, files) if files else partial(score_joined, *sides)
        hooks = ScoreHooks(
            on_result=partial(_take_scored, gathered, ToolDefinitions(tools)),
            on_bytes=on_bytes,
            on_unfound=note_unfound,
        )
        try:
            results = score(hooks=hooks, show="none", **reading)
        except UnreadableInput as error:
            if error.results is not None and error.results.summary.scored:
                write(error.results)
                add_how_to_skip(error)
            raise
        if not results.summary.scored and not results.has_notes:
            raise UnreadableInput(display_paths(files or sides[1]), "no cases to score found.")
        write(results)
    return score_exit_code(results, None, lang, is_judged=True, is_joined=not files)
