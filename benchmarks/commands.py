"""Commands in processes of their own: what they cost the processor, and how large they become."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import callscore

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Cost", "callscore_command", "command", "job", "python_command", "seconds_of"]

_STARTER = Path(__file__).with_name("start_command.py")
_JOBS = Path(__file__).with_name("jobs.py")
_SOURCE = Path(callscore.__file__).parents[1]
_CODES = (0, 1)  # 1 is a gate that does not pass


class Cost(NamedTuple):
    """What a command cost, with all processes that it started.

    Attributes:
        seconds: of the processor.
        megabytes: of the largest process, when it was largest.
        elapsed: seconds by the clock.
    """

    seconds: float
    megabytes: float
    elapsed: float


def command(words: list[str], folder: Path) -> Cost:
    """Run a command in this folder, with its output in a file: a terminal is not measured.

    Nothing is in its environment that could change what it does. It runs the code that is measured
    here, which has its bytecode from the second time on.
    """
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(_SOURCE),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }
    output = folder / "output"
    starter = [sys.executable, "-I", "-S", str(_STARTER), str(output), *words]
    found = subprocess.run(starter, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE)
    code, *cost = found.stdout.split()
    if int(code) not in _CODES:
        text = output.read_text(encoding="utf-8", errors="replace")
        sys.exit(f"{' '.join(words)}: exit code {int(code)}\n{text[-2_000:]}")
    return Cost(*map(float, cost))


def python_command(*words: str) -> list[str]:
    """A command that starts this Python."""
    return [sys.executable, *words]


def callscore_command(*words: str) -> list[str]:
    """A command of callscore."""
    return python_command("-m", "callscore", *words)


def seconds_of(words: list[str], folder: Path) -> Callable[[], float]:
    """A job that runs a command, and returns the seconds of the processor that it took."""
    return lambda: command(words, folder).seconds


def job(name: str, path: Path) -> Callable[[], float]:
    """A job of `jobs.py` in a process of its own, where nothing is left over from others."""
    return partial(_number, [sys.executable, str(_JOBS), name, str(path)])


def _number(words: list[str]) -> float:
    environment = {**os.environ, "PYTHONPATH": str(_SOURCE)}
    done = subprocess.run(words, check=True, capture_output=True, text=True, env=environment)
    return float(done.stdout)
