"""`callscore formats`: every format that traces can be in, with an example of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from callscore.cli.completion import complete_input_format
from callscore.cli.output import open_output
from callscore.cli.output_formats import report_options
from callscore.core.rendering import clip, escape, wrap
from callscore.formats.dialect import dialect_named, dialects
from callscore.reports.formatting import file_width
from callscore.words.value_text import encode_json, json_document

if TYPE_CHECKING:
    from rich.console import Console

    from callscore.formats.dialect import Dialect

__all__ = ["command"]

_INDENT = "    "
_SPACE = "  "
_SHORTEST_LINE = 10


@click.command()
@click.argument("name", required=False, shell_complete=complete_input_format)
@report_options(["table", "json"])
def command(*, name: str | None, output: str | None, output_format: str) -> None:
    """List the trace formats in the order in which they are tried, or show an example of NAME.

    The first format that recognizes a document is used.
    """
    with open_output(output, output_format, "en") as target:
        if name is not None:
            example = dialect_named(name).example
            is_text = isinstance(example, str) and output_format == "table"
            target.write_text(f"{example}\n" if is_text else json_document(example))
            return
        if output_format == "json":
            listed = [
                {"name": each.name, "title": each.title, "example": each.example}
                for each in dialects()
            ]
            target.write_text(json_document(listed))
            return
        from rich.console import Console

        console = Console()  # it respects NO_COLOR and FORCE_COLOR
        width = max(len(dialect.name) for dialect in dialects())
        for dialect in dialects():
            target.write_text(_entry(dialect, width, console), is_coloured=True)


def _entry(dialect: Dialect, width: int, console: Console) -> str:
    line_width = console.width if console.is_terminal else file_width()
    room = line_width - len(_INDENT)
    name = f"{dialect.name:<{width}}"
    start = width + len(_SPACE)
    title = f"\n{' ' * start}".join(wrap(dialect.title, max(line_width - start, _SHORTEST_LINE)))
    example = dialect.example
    shown = example if isinstance(example, str) else encode_json(example).decode()
    example = clip(escape(shown), room)
    if console.is_terminal and not console.no_color:
        name, example = click.style(name, bold=True), click.style(example, dim=True)
    return f"{name}{_SPACE}{title}\n{_INDENT}{example}\n"
