"""The program, run as a person runs it."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Protocol

import pytest
from tests.servers.fork_server import SOURCE, run_program

# `pytester` forgets the modules that a test has imported. Those of evaluations must be the same for all
# tests of a process, or an evaluation is not an instance of the class that the plugin looks for.
from callscore.evaluations import decorator, discovery  # noqa: F401  (see above)

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SOURCE", "Program"]


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
        ran = run_program(
            *map(str, arguments),
            folder=tmp_path,
            environment={**os.environ, "PYTHONPATH": SOURCE, **environment},
            stdin=stdin,
        )
        return subprocess.CompletedProcess(
            ran.args, ran.returncode, ran.stdout.decode(), ran.stderr.decode()
        )

    return run
