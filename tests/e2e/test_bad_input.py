"""Wrong input: one clear sentence, the right exit code, no traceback, nothing lost."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

GOOD = b'{"id": "a", "expected": [], "actual": []}\n'


def test_a_missing_file(callscore: Program) -> None:
    run = callscore("score", "nowhere.jsonl")

    assert run.returncode == 3
    assert run.stderr == "callscore: nowhere.jsonl: file not found. Check the path.\n"


def test_a_directory(callscore: Program, tmp_path: Path) -> None:
    run = callscore("score", tmp_path)

    assert run.returncode == 3
    assert "the folder has no files with traces or cases" in run.stderr


def test_an_empty_file_beside_another(callscore: Program, tmp_path: Path) -> None:
    whole, empty = tmp_path / "whole.jsonl", tmp_path / "empty.jsonl"
    whole.write_text('{"expected": ["f"], "actual": ["f"]}\n', encoding="utf-8")

    for content in ("", "\n\n"):
        empty.write_text(content, encoding="utf-8")
        for words, code in (
            (["score"], 0),
            (["score", "--fail-under", "0.5"], 1),
            (["score", "--limit", "1", "--fail-under", "0.5"], 0),
            (["check"], 0),
            (["check", "--fail-on", "any"], 1),
        ):
            run = callscore(*words, whole, empty)
            assert run.returncode == code, (words, run.stderr)
            has_said = f"files without cases: {empty}" in run.stderr
            assert has_said == ("--limit" not in words)


def test_an_empty_file(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_bytes(b"\n\n")

    run = callscore("score", "empty.jsonl")

    assert run.returncode == 3
    assert run.stderr == "callscore: empty.jsonl: no cases to score found.\n"


@pytest.mark.parametrize(
    ("line", "place", "said"),
    [
        (b"not json", "c.jsonl:2:1", ""),
        (b'{"id": "b", "expected": [}', "c.jsonl:2:26", ""),
        (b'{"id": "b", "expected": [{"name": "f"', "c.jsonl:2:38", "may be truncated"),
        (b'{"id": "\xff", "expected": []}', "c.jsonl:2", "'id' must be text"),
        (b'["a", "b"]', "c.jsonl:2", "a case must be an object"),
        (b'{"id": "b", "expected": 7}', "c.jsonl:2", "expected: must be a list of calls"),
        (b'{"id": "b", "expected": [{}]}', "c.jsonl:2", "a call needs a name"),
        (
            b'{"id": "b", "expected": [{"name": "f", "arguments": [1]}]}',
            "c.jsonl:2",
            "expected[0]: in the call of 'f' the arguments are not a JSON object",
        ),
        (
            b'{"id": "b", "expected": [{"name": "f", "argumnts": {}}], "actual": []}',
            "c.jsonl:2",
            "expected[0]: unknown field 'argumnts' of a call",
        ),
        (
            b'{"id": "b", "expected": [], "actual": [{"name": "f", "argumnts": {}}]}',
            "c.jsonl:2",
            "actual[0]: unknown field 'argumnts' of a call",
        ),
        (
            b'{"id": "b", "expected": [], "actual": [{"name": "f", "tool": "g"}]}',
            "c.jsonl:2",
            "actual[0]: 'name' and 'tool' are the same field. Keep one of them.",
        ),
        (b'{"id": "b", "expectd": [], "actual": []}', "c.jsonl:2", "Did you mean 'expected'?"),
        (b'{"tests": []}', "c.jsonl:2", "a case must have 'id', 'expected' and 'actual'"),
        (b"[" * 100_000, "c.jsonl:2", ""),
    ],
)
def test_a_bad_line(callscore: Program, tmp_path: Path, line: bytes, place: str, said: str) -> None:
    (tmp_path / "c.jsonl").write_bytes(GOOD + line + b"\n")

    run = callscore("score", "c.jsonl")
    skipped = callscore("score", "c.jsonl", "--skip-bad")

    assert run.returncode == 3
    assert run.stderr.startswith(f"callscore: {place}")
    assert said in run.stderr
    assert run.stderr.count("\n") == 1
    assert "100.0%" in run.stdout  # what came before is not lost
    assert run.stdout.startswith("! Incomplete: stopped at 1 record that cannot be read")
    assert run.stderr.endswith(
        (". To score the rest: --skip-bad\n", "? To score the rest: --skip-bad\n")
    )
    assert (skipped.returncode, skipped.stderr) == (0, "")
    assert "1 record skipped: unreadable" in skipped.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": "\xff"}',
        rb'{"a": "\ud800"}',
        b"[1, 2]",
        b'"{oops"',
        b"[" * 100_000 + b"]" * 100_000,
    ],
)
def test_arguments_that_an_agent_got_wrong(
    callscore: Program, tmp_path: Path, arguments: bytes
) -> None:
    call = b'{"name": "f", "arguments": %s}' % arguments
    expected = b'{"name": "f", "arguments": {}}'
    line = b'{"id": "b", "expected": [%s], "actual": [%s]}\n' % (expected, call)
    (tmp_path / "c.jsonl").write_bytes(line)

    run = callscore("score", "c.jsonl")

    assert (run.returncode, run.stderr) == (0, "")
    assert "0 correct, 1 incorrect, 0 missed, 0 extra" in run.stdout


@pytest.mark.parametrize("name", [b'""', b"null", b"5", rb'"\ud800"'])
def test_a_call_that_an_agent_gave_no_name_is_extra(
    callscore: Program, tmp_path: Path, name: bytes
) -> None:
    line = b'{"id": "b", "expected": ["f"], "actual": [{"name": %s, "arguments": {}}]}\n' % name
    (tmp_path / "c.jsonl").write_bytes(line)

    run = callscore("score", "c.jsonl")

    assert (run.returncode, run.stderr) == (0, "")
    assert "0 correct, 0 incorrect, 1 missed, 1 extra" in run.stdout


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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Pass a file of cases"),
        (["--expected", "a.jsonl"], "go together"),
        (["c.jsonl", "--expected", "a.jsonl", "--actual", "b.jsonl"], "Pass either files of cases"),
        (["-", "-"], "only once"),
        (["c.jsonl", "--mode", "lenient"], "'lenient' is not one of 'strict', 'flexible'"),
        (["c.jsonl", "--argument-match-threshold", "2"], "is not in the range 0<=x<=1"),
        (["c.jsonl", "--fail-under", "nan"], "nan is not a number from 0 to 1"),
        (["c.jsonl", "--no-such-option"], "No such option"),
        (["c.jsonl", "-o", "no/such/folder/x"], "Cannot write no/such/folder/x"),
        (["c.jsonl", "-o", "."], "Cannot write .: it is a directory."),
    ],
)
def test_wrong_usage(callscore: Program, tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "c.jsonl").write_bytes(GOOD)

    run = callscore("score", *arguments)

    assert run.returncode == 2
    assert said in run.stderr
    assert "Traceback" not in run.stderr


def test_an_unknown_command(callscore: Program) -> None:
    run = callscore("scores")

    assert run.returncode == 2
    assert "No such command 'scores'" in run.stderr
