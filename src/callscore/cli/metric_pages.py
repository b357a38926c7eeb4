"""The list of other tools' metrics, and pages about a tool or a function of it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import click

from callscore.cli.metric_examples import command_lines, python_lines, written
from callscore.cli.page_text import wrapped, wrapped_docstring
from callscore.core.text import escape
from callscore.metrics.options import choices_of, options_of, python_options_of
from callscore.metrics.registry import find, itself, peer_named, peers

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from callscore.metrics.metric import Option, Peer

__all__ = ["metric_list", "metric_page"]

_INDENT = "    "
_WIDTH = 100  # of a line that goes into a pipe or a file
_LESS = "Less is better."
_NO_NUMBER = "It has no number of a single case that --metric could ask for."
_ONLY_PYTHON = "It does not give one number a case: it is called from Python."


def metric_list(console: Console) -> str:
    """Every tool with its metrics: what each of them says, and what it can be told."""
    return "\n".join(_tool(tool, console) for tool in (itself(), *peers()))


def metric_page(name: str, console: Console) -> str:
    """Everything about a tool, or about one function of it: what it says, and how it is asked.

    Raises:
        InvalidSettings: there is no such tool or function.
    """
    name = name.partition(":")[0]
    if name and "." not in name:
        return _tool_page(peer_named(name), console)
    peer, function = find(name)
    return _function_page(peer, name, function, console)


def _title(tool: Peer) -> str:
    version = "" if tool == itself() else tool.version  # ours is the one that is installed
    return escape(f"{tool.title} {version}".rstrip())


def _tool(tool: Peer, console: Console) -> str:
    return f"{_styled(_title(tool), console, bold=True)}\n" + "".join(
        [_entry(tool, name, metric, console) for name, metric in tool.metrics.items()]
    )


def _entry(tool: Peer, name: str, function: Callable[..., Any], console: Console) -> str:
    told = [f"{option.name}={_default(option)}" for option in options_of(function)]
    line, deeper = f"  {tool.name}.{name}", f"  {_INDENT}"
    lines = wrapped(" ".join([line.strip(), *told]), _width(console), first="  ", others=deeper)
    head = line + _styled(lines.removeprefix(line), console, dim=True)
    first = escape((inspect.getdoc(function) or "").partition("\n")[0])
    said = " ".join(filter(None, [first, _LESS if name in tool.rates_of_fault else ""]))
    return f"{head}\n{wrapped(said, _width(console), first=deeper, others=deeper)}\n"


def _tool_page(tool: Peer, console: Console) -> str:
    """The metrics of a tool, and what else Python can call."""
    others = [_entry(tool, name, function, console) for name, function in tool.others.items()]
    parts = [_tool(tool, console)]
    if not tool.metrics:
        parts.append(wrapped(_NO_NUMBER, _width(console)) + "\n")
    if others:
        parts.append(f"{_styled('Called from Python', console, bold=True)}\n{''.join(others)}")
    see = f"{tool.name}.{next(iter(tool.metrics | tool.others))}"
    parts.append(wrapped(f"`callscore metrics {see}` says more.", _width(console)) + "\n")
    return "\n".join(parts)


def _function_page(tool: Peer, name: str, function: Callable[..., Any], console: Console) -> str:
    metric = name.partition(".")[2]
    width = _width(console)
    about = [
        f"{_styled(_title(tool), console, bold=True)}\n{_styled(name, console, bold=True)}",
        wrapped_docstring(inspect.getdoc(function) or "", width),
        _LESS if metric in tool.rates_of_fault else "",
        "" if metric in tool.metrics else wrapped(_ONLY_PYTHON, width),
    ]
    parts = [*filter(None, about)]
    for title, lines in _sections(tool, name, function, width).items():
        if lines:
            shown = "\n".join([f"{_INDENT}{line}".rstrip() for line in lines])
            parts.append(f"{_styled(title, console, bold=True)}\n{shown}")
    return "\n\n".join(parts) + "\n"


def _sections(
    tool: Peer, name: str, function: Callable[..., Any], width: int
) -> dict[str, list[str]]:
    """What stands below the docstring of a function; commands stay whole, to be copied."""
    metric = name.partition(".")[2]
    python = {"In Python": python_lines(tool, metric, function)}
    if metric not in tool.metrics:
        return python
    options = [_option(option, tool) for option in options_of(function)]
    return {
        "Options": [
            wrapped(line, width - len(_INDENT), others=2 * _INDENT).strip() for line in options
        ],
        "Options that only Python can give": [
            option.name for option in python_options_of(function)
        ],
        "On the command line": command_lines(name, function),
        **python,
    }


def _option(option: Option, tool: Peer) -> str:
    default = "[required]" if option.is_required else f"[default: {_default(option)}]"
    less = "; less is better where it is true" if option.name in tool.inverting else ""
    return f"{option.name}: {choices_of(option.type)}{less}  {default}"


def _default(option: Option) -> str:
    """The default as the command line has it."""
    return "..." if option.is_required else written(option.default)


def _width(console: Console) -> int:
    return min(console.width, _WIDTH) if console.is_terminal else _WIDTH


def _styled(text: str, console: Console, **style: bool) -> str:
    is_coloured = console.is_terminal and not console.no_color
    return click.style(text, **style) if text and is_coloured else text
