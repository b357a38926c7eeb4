"""A new file of cases: it replaces nothing that somebody may have reviewed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from callscore.cli.options import AnyCommand

__all__ = ["new_file_options", "require_new_file"]


_LINES = (".jsonl", ".ndjson", "")


def new_file_options(command: AnyCommand) -> AnyCommand:
    """Add the options for where cases go."""
    force = click.option("--force", is_flag=True, help="Replace the file if it is there.")
    output = click.option(
        "-o", "--output", metavar="FILE", help="Write them there, not to the terminal: JSON lines."
    )
    return output(force(command))


def require_new_file(path: str | None, *, force: bool) -> None:
    """Refuse a file that is there already, or whose name says that it holds no JSON lines."""
    if path is None or path == "-":
        return
    file = Path(path)
    if file.suffix.lower() not in _LINES:
        name = file.with_suffix(_LINES[0]).name
        raise click.UsageError(f"Cases are written as JSON lines: name the file {name}.")
    if file.is_file() and not force:
        raise click.UsageError(f"{path} is there already; --force replaces it.")
