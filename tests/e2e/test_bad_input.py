"""Wrong input: one clear sentence, the right exit code, no traceback, nothing lost."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

GOOD = b'{"id": "a", "expected": [], "actual": []}\n'


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


def test_a_repeated_id_is_reported(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_bytes(GOOD * 3)

    run = callscore("score", "c.jsonl")

    assert run.returncode == 0
    assert "2 cases with a repeated id and trial, also scored (a, … 1 more)" in run.stdout


def test_a_compressed_file_that_was_cut_off(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(GOOD * 100_000)[:-30])

    run = callscore("score", "c.jsonl.gz", "--show", "none")

    assert run.returncode == 3
    assert "the gzip data is truncated" in run.stderr
    assert "100.0%" in run.stdout
