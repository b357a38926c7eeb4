"""`callscore sample`: what it writes, what it prints, and what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from click.testing import CliRunner

from callscore.cli.sample import command
from callscore.errors import UnreadableInput

if TYPE_CHECKING:
    from pathlib import Path

TOOLS = ["search"] * 60 + ["book"] * 30 + ["refund"] * 3


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    records = [
        {"id": f"case-{number}", "expected": [tool], "actual": [tool], "tags": [f"t{number % 30}"]}
        for number, tool in enumerate(TOOLS)
    ]
    (tmp_path / "log.jsonl").write_bytes(msgspec.json.Encoder().encode_lines(records))
    return tmp_path


def run(*arguments: str, **options: Any) -> Any:
    return CliRunner().invoke(command, arguments, standalone_mode=False, **options)


def test_the_sample_is_printed_and_its_strata_are_a_table(folder: Path) -> None:
    ran = run("log.jsonl", "-n", "21", "--by", "tool")

    assert ran.exception is None
    assert len(ran.stdout.splitlines()) == 21
    assert set(ran.stdout.splitlines()) < set((folder / "log.jsonl").read_text().splitlines())
    assert ran.stderr == (
        "callscore: 21 of 93 cases in the sample\n"
        "tool     in the log   in the sample\n"
        "search           60               9\n"
        "book             30               9\n"
        "refund            3               3\n"
    )


def test_only_the_largest_strata_are_listed() -> None:
    ran = run("log.jsonl", "-n", "40", "--by", "tag")

    lines = ran.stderr.splitlines()
    assert lines[1].split() == ["tag", "in", "the", "log", "in", "the", "sample"]
    assert len(lines) == 1 + 1 + 20 + 1
    assert lines[-1] == "… 10 more"


def test_unreadable_records_are_refused_or_named(folder: Path) -> None:
    with (folder / "log.jsonl").open("a") as file:
        file.write("{broken\n")

    refused = run("log.jsonl", "-n", "5", "-o", "sample.jsonl")
    skipped = run("log.jsonl", "-n", "5", "--skip-bad")

    assert isinstance(refused.exception, UnreadableInput)
    assert not (folder / "sample.jsonl").exists()
    assert "callscore: records skipped: 1\ncallscore: log.jsonl:94" in skipped.stderr


def test_the_result_of_a_pipe_is_the_same() -> None:
    with open("log.jsonl", "rb") as file:  # noqa: PTH123  (a stream is passed on)
        piped = run("-", "-n", "5", input=file)

    assert piped.stdout == run("log.jsonl", "-n", "5").stdout


def test_invisible_characters_are_escaped_except_in_a_file(folder: Path) -> None:
    line = '{"id": "a\u202eb ##[error]", "expected": [], "actual": []}\n'
    (folder / "log.jsonl").write_text(line, encoding="utf-8")

    shown = run("log.jsonl", "-n", "1").stdout
    run("log.jsonl", "-n", "1", "-o", "sample.jsonl")

    assert msgspec.json.decode(shown) == msgspec.json.decode(line)
    assert "\u202e" not in shown
    assert "##[" not in shown
    assert (folder / "sample.jsonl").read_text(encoding="utf-8") == line


def test_secrets_of_the_environment_are_hidden(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_KEY", "correct-horse-battery")
    call = {"name": "f", "arguments": {"key": "correct-horse-battery"}}
    record = {"id": "a", "expected": [call], "actual": [call]}
    malformed = (
        b'{"id": "b", "expected": [], "actual": [], "input": [NaN, "correct-horse-battery"]}'
    )
    plain = b'{"id": "c", "expected": [], "actual": [], "input": NaN}'
    lines = [msgspec.json.encode(record), malformed, plain, b'{"id": "d", "actual": [] }']
    (folder / "log.jsonl").write_bytes(b"\n".join(lines))

    ran = run("log.jsonl", "-n", "9", "-o", "sample.jsonl")

    written = (folder / "sample.jsonl").read_bytes().splitlines()
    assert b"correct-horse" not in b"".join(written)
    hidden = msgspec.json.decode(written[0])
    assert hidden["expected"] == hidden["actual"]
    assert written[2:] == lines[2:]
    assert "callscore: with hidden values: 2." in ran.stderr
