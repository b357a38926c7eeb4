"""What importing callscore, and every public name, does: it loads little, and does nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

SOURCE = Path(__file__).parents[2] / "src"

LOADED_LATE_OR_NEVER = [
    "asyncio",
    "click",
    "numpy",
    "rich",
    "ruamel",
    "ruamel.yaml",
    "socket",
    "sqlite3",
    "zstandard",
]

# Importing is watched from inside: the interpreter reports each file and socket that it opens.
PROGRAM = """
import sys

written, connected = [], []

def watch(event, arguments):
    if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        written.append(str(arguments[0]))
    if event.startswith("socket."):
        connected.append(event)

sys.addaudithook(watch)
before = set(sys.modules)
import callscore
for name in callscore.__all__:
    getattr(callscore, name)
loaded = sorted(set(sys.modules) - before)
import msgspec
sys.stdout.buffer.write(msgspec.json.encode([loaded, written, connected]))
"""


@pytest.fixture(scope="module")
def report() -> tuple[list[str], list[str], list[str]]:
    """The modules loaded, the files written and the socket events of a bare import."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")
    }
    environment |= {"PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True
    )
    assert ran.stderr == b""
    return msgspec.json.decode(ran.stdout, type=tuple[list[str], list[str], list[str]])


def test_importing_loads_callscore(report: tuple[list[str], list[str], list[str]]) -> None:
    loaded, _, _ = report

    assert "callscore" in loaded


@pytest.mark.parametrize("heavy", LOADED_LATE_OR_NEVER)
def test_importing_does_not_load(
    heavy: str, report: tuple[list[str], list[str], list[str]]
) -> None:
    loaded, _, _ = report

    assert heavy not in loaded


def test_importing_writes_no_file(report: tuple[list[str], list[str], list[str]]) -> None:
    _, written, _ = report

    assert written == []


def test_importing_opens_no_socket(report: tuple[list[str], list[str], list[str]]) -> None:
    _, _, connected = report

    assert connected == []
