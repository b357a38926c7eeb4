"""How time and memory are measured: the best of several rounds, and the rivals take turns in each.

A machine is disturbed more often than it is too quick, so the smallest time is the truest one; and
what is compared is measured in the same minute.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["best_in_children", "best_times", "child_number", "import_times"]

_JOBS = Path(__file__).with_name("jobs.py")


def best_times(jobs: Sequence[Callable[[], object]], *, rounds: int) -> list[float]:
    """The seconds that each of these takes at its best."""
    best = [float("inf")] * len(jobs)
    for _ in range(rounds):
        for position, job in enumerate(jobs):
            start = perf_counter()
            job()
            best[position] = min(best[position], perf_counter() - start)
    return best


def best_in_children(jobs: Sequence[Sequence[str]], *, rounds: int) -> list[float]:
    """The same for jobs of `jobs.py`, each in a process of its own, where nothing is left over."""
    taken = [[child_number(job) for job in jobs] for _ in range(rounds)]
    return [min(times) for times in zip(*taken, strict=True)]


def child_number(job: Sequence[str]) -> float:
    """The number that a job of `jobs.py` prints."""
    command = [sys.executable, str(_JOBS), *job]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def import_times(statements: Sequence[str], *, rounds: int) -> list[float]:
    """The seconds that a new interpreter takes, at its best, to run each of these and to end.

    All modules have their bytecode, as they have where they are installed.
    """
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)

        def run(statement: str) -> None:
            subprocess.run([sys.executable, "-c", statement], check=True, env=environment)

        jobs = [lambda statement=statement: run(statement) for statement in statements]
        return best_times(jobs, rounds=rounds)
