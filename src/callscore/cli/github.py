"""What GitHub's runners are told: annotations, and the summary of a step."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from callscore.cli.output import note
from callscore.core.phrase import Phrase, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from callscore.core.phrase import Language

__all__ = ["add_summary", "annotate", "file_for_github", "for_log", "is_on_github"]

_NO_SUMMARY = Phrase(
    "the summary of the step is not written: {file}: {problem}",
    "сводка шага не записана: {file}: {problem}",
)


def is_on_github() -> bool:
    """Whether a runner reads what is printed, and obeys some of it."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def for_log(text: str, output_format: str = "table") -> str:
    """A text as it may be printed: where a runner reads along, no line of it is a command."""
    if not is_on_github():
        return text
    from callscore.reports.gate_annotations import disarmed

    return disarmed(text, output_format)


def file_for_github(file: str) -> str:
    """The file of an evaluation as a runner knows it: from the top of the repository on.

    Args:
        file: its path from the project's folder on, as the history has it.
    """
    top = os.environ.get("GITHUB_WORKSPACE")
    if not top or not file:
        return file
    from callscore.history.opening import default_path

    try:
        path = (default_path().parent.parent / file).resolve()
        return path.relative_to(Path(top).resolve()).as_posix()
    except (OSError, RuntimeError, ValueError):  # it lies elsewhere, or nobody knows where
        return file


def annotate(lines: Iterable[str]) -> None:
    """Print annotations, on standard error: standard output is the report alone."""
    for line in lines:
        click.echo(line, err=True)


def add_summary(write: Callable[[], str], lang: Language = "en") -> None:
    """Add Markdown to the summary of the step, where a runner wants one.

    Args:
        write: gives the Markdown.
        lang: the language in which to say that it cannot be written.
    """
    name = os.environ.get("GITHUB_STEP_SUMMARY")
    if not name:
        return
    try:
        with Path(name).open("a", encoding="utf-8") as file:
            file.write(write())
    except OSError as error:  # the verdict does not hang on it
        note(for_log(say(_NO_SUMMARY, lang, file=name, problem=error.strerror)))
