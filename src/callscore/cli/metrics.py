"""`callscore metrics`: other tools' numbers that can be asked for, and where they disagree."""

from __future__ import annotations

import inspect
import re
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import click
import msgspec
from click.core import ParameterSource

from callscore.cli.options import (
    input_format_option,
    lang_option,
    map_option,
    metric_option,
    reading_from,
    reading_options,
    report_options,
    require_inputs,
    sides_options,
    tools_from,
    tools_option,
)
from callscore.cli.output import open_output, write_report
from callscore.cli.progress import progress
from callscore.core.rendering import escape
from callscore.engines.local import ScoreHooks, score_files, score_joined
from callscore.engines.metric_disagreement import DisagreementCollector
from callscore.errors import UnreadableInput
from callscore.metrics.metric import describe_choices, options_of, python_options_of
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from callscore.cli.output import Output
    from callscore.core.phrases import Language
    from callscore.core.results import Results
    from callscore.metrics.metric import Metric, MetricProvider, Option

__all__ = [
    "command_examples",
    "metric_list",
    "metric_page",
    "option_text",
    "python_examples",
    "wrapped_docstring",
    "wrapped_text",
]


# Examples of calling a metric, on the command line and in Python.

_FILE = "cases.jsonl"
_EXAMPLE_WORDS = ("get_weather", "word")  # for an option that names a tool, and for any other
_EXAMPLE_NUMBERS = (0.5, 0.25)


def option_text(value: Any) -> str:
    """A value as the command line has it."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def command_examples(name: str, function: Callable[..., Any]) -> list[str]:
    """Commands that ask for a metric: as it comes, if it can be asked so, and with an option."""
    options = ",".join(
        [f"{key}={option_text(value)}" for key, value in _example_options(function).items()]
    )
    line = f"callscore score {_FILE} --metric {name}"
    is_required = any(option.is_required for option in options_of(function))
    plain = [] if is_required else [line]
    return [*plain, *([f"{line}:{options}"] if options else [])]


def python_examples(peer: MetricProvider, name: str, function: Callable[..., Any]) -> list[str]:
    """Lines of Python that ask for the same."""
    if peer.name == own_provider().name:
        return ["import callscore", "", f"callscore.score(expected, actual).{name}"]
    # Those of another package are where that package has them.
    package, _, module = function.__module__.rpartition(".")
    home = ("callscore.parity", peer.name) if peer.name in TOOLS else (package, module)
    source = f"from {home[0]} import {home[1]}" if home[0] else f"import {home[1]}"
    return [source, "", f"{home[1]}.{name}({', '.join(_example_arguments(peer, name, function))})"]


def _example_arguments(peer: MetricProvider, name: str, function: Callable[..., Any]) -> list[str]:
    if name in peer.metrics:
        return [
            "expected",
            "actual",
            *[f"{k}={_literal(v)}" for k, v in _example_options(function).items()],
        ]
    return [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty
    ]


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _example_options(function: Callable[..., Any]) -> dict[str, Any]:
    """Values for an example: of each option that must be told, or else of the first there is."""
    options = options_of(function)
    required = [option for option in options if option.is_required]
    return {option.name: _other_value(option) for option in required or options[:1]}


def _other_value(option: Option) -> Any:
    """A value that is not the default."""
    members = get_args(option.type) if get_origin(option.type) is not Literal else ()
    for kind in members or (option.type,):
        for value in _values(option.name, kind):
            if value != option.default:
                return value
    return option.default


def _values(name: str, kind: Any) -> tuple[Any, ...]:
    """A few values of a type, the most sensible first."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    some = {bool: (True, False), int: (1, 2), float: _EXAMPLE_NUMBERS}
    words = _EXAMPLE_WORDS if "tool" in name else _EXAMPLE_WORDS[::-1]
    return some.get(kind, words if kind is str else ())


# Docstrings wrapped for terminals that are narrower than source code.

_KEYWORD = re.compile(r"[\w.]+: ")
# What starts a new line: a keyword with its description, a bullet, an example.
_OWN_LINE = re.compile(r"[\w.]+: |[-*] |>>> |[^ ].*:$")


def wrapped_text(text: str, width: int, *, first: str = "", others: str = "") -> str:
    """A text in lines of this width, with something before the first of them and the others."""
    return fill(
        text,
        max(width, len(others) + 1),
        initial_indent=first,
        subsequent_indent=others,
        break_on_hyphens=False,
        break_long_words=False,
    )


def wrapped_docstring(text: str, width: int) -> str:
    """A docstring as it is written, if it has room; otherwise every paragraph of it wrapped anew."""
    lines = [escape(line) for line in text.splitlines()]
    if max(map(len, lines), default=0) <= width:
        return "\n".join(lines)
    return "\n".join(_wrapped_item(item, width) for item in _items(lines))


def _items(lines: list[str]) -> Iterator[list[str]]:
    """The lines that belong together: of a paragraph, or of one keyword."""
    item: list[str] = []
    for line in lines:
        if item and not _continues(line, item):
            yield item
            item = []
        item.append(line)
    yield item


def _continues(line: str, item: list[str]) -> bool:
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


# The list of metrics, and the page of a tool or of one of its functions.

_INDENT = "    "
_WIDTH = 100  # of a line that goes into a pipe or a file
_LESS_IS_BETTER = "Less is better."
_NO_METRICS = "It has no number of a single case that --metric could ask for."
_ONLY_PYTHON = "It does not give one number a case: it is called from Python."


def metric_list(console: Console) -> str:
    """Every tool with its metrics: what each of them says, and what it can be told."""
    return "\n".join(_tool_section(tool, console) for tool in (own_provider(), *metric_providers()))


def metric_page(name: str, console: Console) -> str:
    """Everything about a tool, or about one function of it: what it says, and how it is asked.

    Raises:
        InvalidSettings: there is no such tool or function.
    """
    name = name.partition(":")[0]
    if name and "." not in name:
        return _tool_page(provider_named(name), console)
    peer, function = find_metric_function(name)
    return _function_page(peer, name, function, console)


def _title(tool: MetricProvider) -> str:
    version = "" if tool == own_provider() else tool.version  # ours is the one that is installed
    return escape(f"{tool.title} {version}".rstrip())


def _tool_section(tool: MetricProvider, console: Console) -> str:
    return f"{_styled(_title(tool), console, bold=True)}\n" + "".join(
        [_entry(tool, name, metric, console) for name, metric in tool.metrics.items()]
    )


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
    parts.append(wrapped_text(f"`callscore metrics {see}` says more.", _width(console)) + "\n")
    return "\n".join(parts)


def _function_page(
    tool: MetricProvider, name: str, function: Callable[..., Any], console: Console
) -> str:
    metric = name.partition(".")[2]
    width = _width(console)
    about = [
        f"{_styled(_title(tool), console, bold=True)}\n{_styled(name, console, bold=True)}",
        wrapped_docstring(inspect.getdoc(function) or "", width),
        _LESS_IS_BETTER if metric in tool.rates_of_fault else "",
        "" if metric in tool.metrics else wrapped_text(_ONLY_PYTHON, width),
    ]
    parts = [*filter(None, about)]
    for title, lines in _sections(tool, name, function, width).items():
        if lines:
            shown = "\n".join([f"{_INDENT}{line}".rstrip() for line in lines])
            parts.append(f"{_styled(title, console, bold=True)}\n{shown}")
    return "\n\n".join(parts) + "\n"


def _sections(
    tool: MetricProvider, name: str, function: Callable[..., Any], width: int
) -> dict[str, list[str]]:
    """What stands below the docstring of a function; commands stay whole, to be copied."""
    metric = name.partition(".")[2]
    python = {"In Python": python_examples(tool, metric, function)}
    if metric not in tool.metrics:
        return python
    options = [_option(option, tool) for option in options_of(function)]
    return {
        "Options": [
            wrapped_text(line, width - len(_INDENT), others=2 * _INDENT).strip() for line in options
        ],
        "Options that only Python can give": [
            option.name for option in python_options_of(function)
        ],
        "On the command line": command_examples(name, function),
        **python,
    }


def _option(option: Option, tool: MetricProvider) -> str:
    default = "[required]" if option.is_required else f"[default: {_default(option)}]"
    less = "; less is better where it is true" if option.name in tool.inverting else ""
    return f"{option.name}: {describe_choices(option.type)}{less}  {default}"


def _default(option: Option) -> str:
    """The default as the command line has it."""
    return "..." if option.is_required else option_text(option.default)


def _width(console: Console) -> int:
    return min(console.width, _WIDTH) if console.is_terminal else _WIDTH


def _styled(text: str, console: Console, **style: bool) -> str:
    is_coloured = console.is_terminal and not console.no_color
    return click.style(text, **style) if text and is_coloured else text


# The command.

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
# The parameters that are valid without --disagree.
_ALWAYS = ("names", "disagree")


@click.command(short_help="List other tools' numbers, or show where they disagree.", help=_HELP)
@click.argument("names", nargs=-1, metavar="[NAME | FILE]...")
@click.option("--disagree", is_flag=True, help="Show on which cases of FILEs the tools disagree.")
@sides_options
@metric_option
@map_option
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
        is_name = file.partition(":")[0].partition(".")[0] in (OWN_NAME, *TOOLS)
        if is_name and not _is_file(file):
            raise click.UsageError(f"there is no file {file}. To choose a metric: --metric {file}")


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _compared(names: tuple[str, ...]) -> tuple[Metric, ...]:
    """Those who are asked for, if they can be compared; else the one that each tool is known for."""
    metrics = resolve_metrics(names) or headline_metrics()
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
        "wanted": reading_from(options, () if tools is None else tools.values()),
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
        hooks = ScoreHooks(on_score=gathered.take, on_bytes=on_bytes)
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
