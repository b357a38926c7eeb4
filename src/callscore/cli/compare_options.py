"""What `callscore compare` and `callscore gate` have in common: options, sides, and the report."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import click

from callscore.cli.github import for_log, is_on_github
from callscore.cli.run_progress import note
from callscore.comparing.gating import FAIL_ON
from callscore.reports.gate_wording import doubt_line, reason_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.cli.output import Output
    from callscore.comparing.gating import Gate
    from callscore.core.phrase import Language

__all__ = ["fail_on_option", "few_option", "measure_option", "say_reasons", "write_report"]

_Command = TypeVar("_Command", bound="Callable[..., Any]")
_FEW = 10
_MODULES = {"table": "terminal", "json": "json", "markdown": "markdown", "junit": "junit"}


def measure_option(command: _Command) -> _Command:
    """Add the option for the number that is compared."""
    return click.option(
        "--measure",
        default="passed",
        show_default=True,
        metavar="NAME",
        help="What is compared: passed, f1, or a scorer.",
    )(command)


def few_option(command: _Command) -> _Command:
    """Add the option for how much is shown."""
    return click.option(
        "--most",
        type=click.IntRange(min=0),
        default=_FEW,
        show_default=True,
        help="Show at most so many cases that went otherwise in the same way, and so many tools and"
        " tags; json has all.",
    )(command)


def fail_on_option(default: str | None) -> Callable[[_Command], _Command]:
    """Add the option for what makes the command fail."""
    return click.option(
        "--fail-on",
        type=click.Choice(FAIL_ON),
        default=default,
        show_default=default is not None,
        help="Exit with 1 if the second run is worse; if any case broke; if anything is other than"
        " before.",
    )


def write_report(kind: str, about: Any, output: Output, output_format: str, **options: Any) -> None:
    """Write a report; in colour where a terminal shows it.

    Args:
        kind: `compare` or `gate`.
        about: the comparison, or the gate.
        output: where it goes.
        output_format: what to write.
        options: what the report wants to know besides.
    """
    report = import_module(f"callscore.reports.{kind}_{_MODULES[output_format]}")
    console = output.console() if output_format == "table" else None
    if console is not None and not is_on_github():
        report.render(about, console=console, **options)
        return
    if console is None:
        text = report.write(about, **options)
    else:  # in colour, and still no line of it may be a command
        with console.capture() as capture:
            report.render(about, console=console, **options)
        text = capture.get()
    output.write_text(for_log(text, output_format))


def say_reasons(gate: Gate, lang: Language) -> None:
    """Say why a gate is closed, or that a loss did not close it, where the report is elsewhere."""
    for _, sentence, names in reason_lines(gate, lang):
        note(for_log(sentence + (f" ({names})" if names else "")))
    doubt = doubt_line(gate, lang)
    if doubt:
        note(doubt)
