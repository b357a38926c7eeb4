"""What GitHub's runners are told: annotations, and the summary of a step."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from callscore.cli.run_progress import note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["add_summary", "annotate", "is_on_github"]


def is_on_github() -> bool:
    """Whether a runner reads what is printed, and obeys some of it."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def annotate(lines: Iterable[str]) -> None:
    """Print annotations, on standard error: standard output is the report alone."""
    for line in lines:
        click.echo(line, err=True)


def add_summary(write: Callable[[], str]) -> None:
    """Add Markdown to the summary of the step, where a runner wants one.

    Args:
        write: gives the Markdown.
    """
    name = os.environ.get("GITHUB_STEP_SUMMARY")
    if not name:
        return
    try:
        with Path(name).open("a", encoding="utf-8") as file:
            file.write(write())
    except OSError as error:  # the verdict does not hang on it
        note(f"the summary of the step is not written: {name}: {error.strerror}")
