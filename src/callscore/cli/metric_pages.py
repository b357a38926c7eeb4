"""The list of other tools' metrics, and a page about one of them."""

from __future__ import annotations

import inspect
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

import click
import msgspec

from callscore.metrics.options import choices_of, options_of, python_options_of
from callscore.metrics.registry import function_named, itself, peers
from callscore.parity import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rich.console import Console

    from callscore.metrics.metric import Option, Peer

    Function = Callable[..., float | None]

__all__ = ["metric_list", "metric_page"]

_INDENT = "    "
_WIDTH = 100  # of a line that goes into a pipe or a file
_FILE = "cases.jsonl"


def metric_list(console: Console) -> str:
    """Every tool with its metrics: what each of them says, and what it can be told."""
    return "\n".join(_tool(tool, console) for tool in (itself(), *peers()))


def _tool(tool: Peer, console: Console) -> str:
    title = _styled(f"{tool.title} {tool.version}".rstrip(), console, bold=True)
    return f"{title}\n" + "".join(
        [_entry(f"{tool.name}.{name}", metric, console) for name, metric in tool.metrics.items()]
    )


def _entry(name: str, function: Function, console: Console) -> str:
    width = min(console.width, _WIDTH) if console.is_terminal else _WIDTH
    told = [f"{option.name}={_written(option)}" for option in options_of(function)]
    line, deeper = f"  {name}", f"  {_INDENT}"
    lines = fill(" ".join([line, *told]), width, subsequent_indent=deeper, break_on_hyphens=False)
    head = line + _styled(lines.removeprefix(line), console, dim=True)
    first = (inspect.getdoc(function) or "").partition("\n")[0]
    about = fill(first, width, initial_indent=deeper, subsequent_indent=deeper)
    return f"{head}\n{about}\n"


def metric_page(name: str, console: Console) -> str:
    """Everything about one metric: what it says, its defects, what it can be told, how it is asked.

    Raises:
        InvalidSettings: there is no such metric.
    """
    name = name.partition(":")[0]
    function = function_named(name)
    options, others = options_of(function), python_options_of(function)
    sections = {
        "Options": [_option(option) for option in options],
        "Options that only Python can give": [option.name for option in others],
        "On the command line": _commands(name, options),
        "In Python": _python(name, options),
    }
    parts = [f"{_styled(name, console, bold=True)}\n\n{inspect.getdoc(function) or ''}".rstrip()]
    for title, lines in sections.items():
        if lines:
            parts.append(f"{_styled(title, console, bold=True)}\n{indent(_joined(lines), _INDENT)}")
    return "\n\n".join(parts) + "\n"


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def _option(option: Option) -> str:
    default = "  [required]" if option.is_required else f"  [default: {_written(option)}]"
    return f"{option.name}: {choices_of(option.type)}{default}"


def _commands(name: str, options: tuple[Option, ...]) -> list[str]:
    told = ",".join([f"{option.name}={_written(option)}" for option in options])
    command = f"callscore score {_FILE} --metric {name}"
    return [command, f"{command}:{told}"] if told else [command]


def _python(name: str, options: tuple[Option, ...]) -> list[str]:
    tool, _, metric = name.partition(".")
    if tool == itself().name:
        return ["import callscore", "", f"callscore.score(expected, actual).{metric}"]
    # Those of another package are where that package has them.
    package, _, module = function_named(name).__module__.rpartition(".")
    home = ("callscore.parity", tool) if tool in TOOLS else (package, module)
    keywords = "".join([f", {option.name}={_literal(option)}" for option in options])
    source = f"from {home[0]} import {home[1]}" if home[0] else f"import {home[1]}"
    return [source, "", f"{home[1]}.{metric}(expected, actual{keywords})"]


def _written(option: Option) -> str:
    """The default as the command line has it."""
    if option.is_required:
        return "..."
    value: Any = option.default
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _literal(option: Option) -> str:
    """The default as Python has it."""
    if option.is_required:
        return "..."
    is_text = isinstance(option.default, str)
    return f'"{option.default}"' if is_text else repr(option.default)


def _styled(text: str, console: Console, **style: bool) -> str:
    is_coloured = console.is_terminal and not console.no_color
    return click.style(text, **style) if text and is_coloured else text
