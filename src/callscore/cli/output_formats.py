"""The options for output: `--format`, `--json`, and `-o`, whose suffix chooses the format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path, PurePath
from typing import Any, TypeVar

import click

from callscore.cli.inputs import protect_inputs

AnyCommand = TypeVar("AnyCommand", bound="Callable[..., Any]")

# The formats of the reports about runs.
FORMATS = ["table", "json", "markdown", "junit", "html"]

# What the help says about formats in which a report shows all cases.
ALL_IN_FORMATS = "all in json, jsonl, junit and html"

# The format that the suffix of a file stands for.
_SUFFIXES = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".md": "markdown",
    ".markdown": "markdown",
    ".xml": "junit",
    ".html": "html",
    ".htm": "html",
    ".csv": "csv",
    ".parquet": "parquet",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".toml": "toml",
}
# Suffixes, and none, that stand for the default format.
_TEXT_SUFFIXES = ("", ".txt", ".log", ".out")
_GZIP = ".gz"
_JSON_LINES = ("jsonl",)

_json_option = click.option(
    "--json", "as_json", is_flag=True, help="Write JSON: short for --format json."
)
_output_option = click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write to this file instead of the terminal; its suffix chooses the format.",
)
force_option = click.option("--force", is_flag=True, help="Overwrite files that exist.")


def is_for_people(output_format: str) -> bool:
    """Whether people read the format: then a report shows a few cases, not all."""
    return output_format in ("table", "markdown")


def report_options(
    formats: Sequence[str], *, compresses: bool = False
) -> Callable[[AnyCommand], AnyCommand]:
    """Add `--format`, `--json` if there is JSON, and `-o`; the first format is the default.

    The command gets the format that they choose as `output_format`. `compresses` means that it can
    write `.gz`.
    """
    format_option = click.option(
        "--format",
        "output_format",
        type=click.Choice(formats),
        help=f"Output format.  [default: by the suffix of -o, or {formats[0]}]",
    )

    def add(command: AnyCommand) -> AnyCommand:
        command = _resolving(command, formats, compresses=compresses)
        command = _output_option(command)
        if "json" in formats:
            command = _json_option(command)
        return format_option(command)

    return add


def output_options(output_format: str) -> Callable[[AnyCommand], AnyCommand]:
    """Add `-o` to a command that writes a single format."""

    def add(command: AnyCommand) -> AnyCommand:
        found: AnyCommand = _output_option(_resolving(command, (output_format,)))
        return found

    return add


def new_file_options(command: AnyCommand) -> AnyCommand:
    """Add `-o` for a file of cases, as JSON lines, and `--force`: people edit such files."""

    @wraps(command)
    def checked(*arguments: Any, force: bool, **options: Any) -> Any:
        require_new_file(options["output"], force=force)
        return command(*arguments, **options)

    found: AnyCommand = _output_option(force_option(_resolving(checked, _JSON_LINES)))
    return found


def _resolving(
    command: Callable[..., Any], formats: Sequence[str], *, compresses: bool = False
) -> Any:
    """The command, which gets the chosen format as `output_format`."""

    @wraps(command)
    def resolved(
        *arguments: Any, output_format: str | None = None, as_json: bool = False, **options: Any
    ) -> Any:
        protect_inputs()
        if as_json and output_format not in (None, "json"):
            raise click.UsageError(f"--json and --format {output_format} exclude each other.")
        chosen = "json" if as_json else output_format
        if chosen is None:
            chosen = format_for(options["output"], formats, compresses=compresses)
        if len(formats) > 1:
            options["output_format"] = chosen
        return command(*arguments, **options)

    return resolved


def format_for(output: str | None, formats: Sequence[str], *, compresses: bool = False) -> str:
    """The format that the suffix of a file chooses; the first one for a file of text."""
    path = PurePath(output or "")
    if path.suffix.lower() == _GZIP:
        if not compresses:
            raise click.UsageError(f"Cannot write {output}: this command does not compress.")
        path = path.with_suffix("")
    suffix = path.suffix.lower()
    found = formats[0] if suffix in _TEXT_SUFFIXES else _SUFFIXES.get(suffix, "")
    if found in formats:
        return found
    problem = f"unknown suffix {suffix!r}"
    if found:
        problem = f"{found} is not available for this command"
    known = ", ".join(suffix for suffix, name in _SUFFIXES.items() if name in formats)
    other = f" or pass --format ({', '.join(formats)})" if len(formats) > 1 else ""
    raise click.UsageError(
        f"Cannot write {output}: {problem}. Use another suffix ({known}){other}."
    )


def require_new_file(path: str | None, *, force: bool) -> None:
    """Refuse a file that exists, since people may have edited it."""
    if path not in (None, "-") and Path(path or "").is_file() and not force:
        raise click.UsageError(f"{path} already exists. Pass --force to overwrite it.")
