"""Files as programs read and write them: large, cut off, links, devices, full disks and closed pipes."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Program

PASSING = b'{"id": "a", "expected": [], "actual": []}\n'
FAILING = b'{"id": "a", "expected": ["f"], "actual": ["g"]}\n'
CALLS = b'[{"name": "f", "arguments": {"a": 1}}, {"name": "g", "arguments": {}}]'
DOCS = Path(__file__).parents[2] / "docs/reference"


def test_integers_beyond_64_bits_and_long_strings_are_compared_exactly(
    callscore: Program, tmp_path: Path
) -> None:
    big = b'{"name": "f", "arguments": {"n": %d, "s": "%s"}}' % (2**80, b"x" * 10_000_000)
    other = b'{"name": "f", "arguments": {"n": %d, "s": "%s"}}' % (2**80 + 1, b"x" * 10_000_000)
    (tmp_path / "c.jsonl").write_bytes(
        b'{"id": "a", "expected": [%s], "actual": [%s]}\n' % (big, big)
        + b'{"id": "b", "expected": [%s], "actual": [%s]}\n' % (big, other)
    )

    run = callscore("score", "c.jsonl")

    assert (run.returncode, run.stderr) == (0, "")
    assert "Macro F1 50.0%" in run.stdout
    assert len(run.stdout) < 10_000


def test_a_compressed_file_that_was_cut_off(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(PASSING * 100_000)[:-30])

    run = callscore("score", "c.jsonl.gz", "--show", "none")

    assert run.returncode == 3
    assert "the gzip data is truncated" in run.stderr
    assert "100.0%" in run.stdout


@pytest.mark.parametrize(("options", "code"), [("", 0), ("--fail-under 0.5", 1)])
def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path, options: str, code: int) -> None:
    many = tmp_path / "many.jsonl"
    many.write_bytes(FAILING * 2_000)
    command = f"{sys.executable} -m callscore score {many} --format jsonl {options} | head -n 1"

    run = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],  # noqa: S607  (whichever bash there is)
        capture_output=True,
        check=False,
    )

    assert run.returncode == code
    assert b"Traceback" not in run.stderr
    assert run.stdout.count(b"\n") == 1


def test_extracted_calls_can_be_scored(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(CALLS)

    assert callscore("extract", "run.json", "-o", "golden.jsonl").stdout == ""
    ran = callscore("score", "--expected", "golden.jsonl", "--actual", "run.json")

    assert ran.returncode == 0
    assert "100.0%" in ran.stdout


def test_the_example_of_a_format_can_be_read_again(callscore: Program) -> None:
    shown = callscore("formats", "openai_chat")
    ran = callscore("extract", "-", stdin=shown.stdout.encode())

    assert msgspec.json.decode(ran.stdout)["name"] == "get_weather"
    assert "openai_chat: 1 requested call\n" in ran.stderr


def test_a_link_stays_a_link_and_a_device_a_device(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(CALLS)
    (tmp_path / "out.jsonl").write_text("old")
    (tmp_path / "link").symlink_to("out.jsonl")

    linked = callscore("extract", "run.json", "-o", "link")
    dropped = callscore("extract", "run.json", "-o", "/dev/null")

    assert (linked.returncode, dropped.returncode) == (0, 0)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "out.jsonl").read_text().count("\n") == 2
    assert Path("/dev/null").is_char_device()


def test_a_full_disk_is_a_sentence(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(CALLS)
    command = [sys.executable, "-m", "callscore", "extract", str(tmp_path / "run.json")]

    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    to_file = callscore("extract", "run.json", "-o", "/dev/full")

    assert (ran.returncode, to_file.returncode) == (2, 2)
    assert ran.stderr.decode().endswith("Cannot write the output: No space left on device.\n")
    assert "Cannot write /dev/full: No space left on device." in to_file.stderr


@pytest.mark.parametrize("name", ["case", "suite"])
def test_a_published_schema_is_what_the_command_writes(callscore: Program, name: str) -> None:
    printed = callscore("schema", name)

    assert (printed.returncode, printed.stderr) == (0, "")
    published = (DOCS / f"{name}.schema.json").read_text(encoding="utf-8")
    assert printed.stdout == published  # renewed by `make pictures`
