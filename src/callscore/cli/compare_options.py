"""What `callscore compare` and `callscore gate` have in common: options, sides, and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from callscore.cli.github import for_log, is_on_github
from callscore.cli.output import note, report_renderer, report_writer
from callscore.cli.output import write_report as output_report
from callscore.cli.run_options import FEW
from callscore.comparing.gating import FAIL_ON

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.cli.options import AnyCommand
    from callscore.cli.output import Output
    from callscore.comparing.gating import Gate
    from callscore.core.phrase import Language

__all__ = ["fail_on_option", "few_option", "measure_option", "say_reasons", "write_report"]


def measure_option(command: AnyCommand) -> AnyCommand:
    """Add the option for the number that is compared."""
    return click.option(
        "--measure",
        default="passed",
        show_default=True,
        metavar="NAME",
        help="What is compared: passed, f1, or a scorer.",
    )(command)


def few_option(command: AnyCommand) -> AnyCommand:
    """Add the option for how much is shown."""
    return click.option(
        "--most",
        type=click.IntRange(min=0),
        default=FEW,
        show_default=True,
        help="Show at most so many cases that went otherwise in the same way, and so many tools and"
        " tags; json has all.",
    )(command)


def fail_on_option(default: str | None) -> Callable[[AnyCommand], AnyCommand]:
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
    console = output.console() if output_format == "table" else None
    if not is_on_github():
        output_report(kind, (about,), output, output_format, **options)
        return
    if console is None:
        text = report_writer(kind, output_format)(about, **options)
    else:  # in colour, and still no line of it may be a command
        with console.capture() as capture:
            report_renderer(kind)(about, console=console, **options)
        text = capture.get()
    output.write_text(for_log(text, output_format))


def say_reasons(gate: Gate, lang: Language) -> None:
    """Say why a gate is closed, or that a loss did not close it, where the report is elsewhere."""
    from callscore.reports.gate_wording import doubt_line, reason_lines

    for _, sentence, names in reason_lines(gate, lang):
        note(for_log(sentence + (f" ({names})" if names else "")))
    doubt = doubt_line(gate, lang)
    if doubt:
        note(doubt)
