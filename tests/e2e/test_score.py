"""`callscore score`, from the command line to the exit code."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.e2e.conftest import Program

OSLO = {"name": "get_weather", "arguments": {"city": "Oslo", "unit": "C"}}
BERGEN = {"name": "get_weather", "arguments": {"city": "Bergen", "unit": "C"}}
CASES: Sequence[dict[str, Any]] = (
    {"id": "right", "expected": [OSLO], "actual": [OSLO]},
    {"id": "wrong", "expected": [OSLO], "actual": [BERGEN]},
    {"id": "silent", "expected": [], "actual": []},
)


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    return write(tmp_path / "cases.jsonl", *CASES)


def write(path: Path, *records: Any) -> Path:
    path.write_bytes(msgspec.json.Encoder().encode_lines(records))
    return path


def test_a_file_is_scored_and_what_failed_is_shown(callscore: Program, cases: Path) -> None:
    run = callscore("score", cases)

    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("Macro F1 66.7%   Moderate")
    assert '~ city: "Oslo"     city: "Bergen"' in run.stdout
    assert "right  " not in run.stdout


def test_nothing_but_plain_text_goes_into_a_pipe(callscore: Program, cases: Path) -> None:
    assert "\x1b" not in callscore("score", cases).stdout


@pytest.mark.parametrize(("options", "code"), [("", 0), ("--fail-under 0.5", 1)])
def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path, options: str, code: int) -> None:
    many = write(tmp_path / "many.jsonl", *({**CASES[1], "id": n} for n in range(2_000)))
    command = f"{sys.executable} -m callscore score {many} --format jsonl {options} | head -n 1"

    run = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],  # noqa: S607  (whichever bash there is)
        capture_output=True,
        check=False,
    )

    assert run.returncode == code
    assert b"Traceback" not in run.stderr
    assert run.stdout.count(b"\n") == 1


def test_python_dash_m_and_the_script_are_one(callscore: Program) -> None:
    assert callscore("--version").stdout.strip().endswith("0.1.0")
