"""The program, run as a person runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Protocol

import pytest

SOURCE = str(Path(__file__).parents[2] / "src")


class Program(Protocol):
    def __call__(
        self, *arguments: str | Path, stdin: bytes = b"", **environment: str
    ) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture
def callscore(tmp_path: Path) -> Program:
    """Runs `callscore` with some arguments, in an empty folder."""

    def run(
        *arguments: str | Path, stdin: bytes = b"", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        finished = subprocess.run(
            [sys.executable, "-m", "callscore", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": SOURCE, **environment},
        )
        return subprocess.CompletedProcess(
            finished.args,
            finished.returncode,
            finished.stdout.decode(),
            finished.stderr.decode(),
        )

    return run
