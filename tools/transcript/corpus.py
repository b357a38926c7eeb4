"""All jobs that are recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.transcript.files_corpus import file_jobs
from tools.transcript.history_corpus import history_jobs
from tools.transcript.python_corpus import python_jobs
from tools.transcript.runs_corpus import run_jobs

if TYPE_CHECKING:
    from pathlib import Path

    from tools.transcript.steps import Job

__all__ = ["corpus"]


def corpus(repository: Path) -> list[Job]:
    """Every job, in the order in which it is recorded.

    Args:
        repository: where data files are taken from: samples, examples, documentation.
    """
    # The slowest come first, so that no process waits for the last one alone.
    return [
        *python_jobs(repository),
        *run_jobs(repository),
        *history_jobs(),
        *file_jobs(repository),
    ]
