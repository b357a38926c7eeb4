"""A parent process may close standard output and standard error: both are then discarded."""

from __future__ import annotations

import subprocess
import sys
from shutil import which
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(which("sh") is None, reason="no shell")
CASE = '{"id": "a", "expected": ["f"], "actual": ["f"]}\n'
PROGRAM = [sys.executable, "-m", "callscore"]


def run(folder: Path, closed: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the program in a shell that closes streams."""
    command = [which("sh") or "sh", "-c", f'exec "$@" {closed}', "sh", *PROGRAM, *words]
    return subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)


@pytest.mark.parametrize("closed", ["2>&-", ">&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_command_does_the_same_without_a_stream(tmp_path: Path, closed: str) -> None:
    (tmp_path / "c.jsonl").write_text(CASE)

    usual = run(tmp_path, "", "score", "c.jsonl", "--save", "usual", "-o", "usual.json")
    ran = run(tmp_path, closed, "score", "c.jsonl", "--save", "night", "-o", "night.json")
    shown = run(tmp_path, closed, "score", "c.jsonl")
    failed = run(tmp_path, closed, "score", "nothing.jsonl")
    names = run(tmp_path, "", "history", "--json").stdout

    assert [usual.returncode, ran.returncode, shown.returncode, failed.returncode] == [0, 0, 0, 3]
    assert '"name": "usual"' in names
    assert '"name": "night"' in names
    assert (tmp_path / "night.json").read_text().replace("night", "usual") == (
        tmp_path / "usual.json"
    ).read_text()
    assert bool(shown.stdout) is (">&-" not in closed.replace("2>&-", ""))


def test_a_closed_standard_input_is_an_error_of_what_reads_it(tmp_path: Path) -> None:
    ran = run(tmp_path, "<&-", "score", "-")

    assert ran.returncode == 3
    assert "standard input is closed" in ran.stderr


def test_a_file_that_is_the_standard_input_is_not_overwritten(tmp_path: Path) -> None:
    cases = tmp_path / "c.jsonl"
    cases.write_text('{"expected": ["f"], "actual": ["f"]}\n')
    before = cases.read_bytes()

    for words in (["score", "-"], ["check", "-"], ["extract", "-"], ["effects", "-"]):
        with cases.open("rb") as stdin:
            command = [sys.executable, "-m", "callscore", *words, "-o", str(cases)]
            ran = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=False)

        assert (ran.returncode, cases.read_bytes()) == (2, before), words
        assert "the command reads this file, which would be lost" in ran.stderr
