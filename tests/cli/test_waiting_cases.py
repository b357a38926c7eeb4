"""Cases that wait until the report can be written."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

import click
import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from callscore.cli import waiting_cases
from callscore.cli.output import open_output, report_text
from callscore.cli.score import command
from callscore.engines.collector import ScoreHooks
from callscore.engines.local import score_cases, score_files
from callscore.errors import UnreadableInput
from callscore.hiding.hider import hide_for_report

if TYPE_CHECKING:
    from pathlib import Path

RECORDS: list[dict[str, Any]] = [
    {"id": f"case {number}", "expected": ["f", {"name": "g"}], "actual": ["f", "h"][: number % 3]}
    for number in range(40)
]
FORMATS = ["json", "junit", "markdown", "table"]


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(msgspec.json.Encoder().encode_lines(RECORDS))
    return path


def written(target: Path, output_format: str, records: list[dict[str, Any]]) -> str:
    """The report of these records, written case by case."""
    found = score_cases(records, show="all", max_shown=None)
    with open_output(str(target), output_format, "en") as output:
        assert output.on_case is not None
        take = output.on_case
        for case in found.cases:
            take(case)
        output.write(replace(found, shown=()))
    return target.read_text()


@pytest.mark.parametrize("output_format", FORMATS)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 40])
def test_the_report_is_the_same_as_if_all_cases_had_been_kept(
    tmp_path: Path, output_format: str, count: int
) -> None:
    whole = score_cases(RECORDS[:count], show="all", max_shown=None)

    found = written(tmp_path / "report", output_format, RECORDS[:count])

    assert found == report_text("score", output_format, whole, lang="en")


@pytest.mark.parametrize("output_format", FORMATS)
def test_secrets_are_hidden_before_a_case_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output_format: str
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "correct-horse-battery")
    calls = [{"name": "f", "arguments": {"key": "the correct-horse-battery"}}]
    records = [{"id": str(number), "expected": calls, "actual": []} for number in range(3)]
    stored: list[bytes] = []
    store = waiting_cases.WaitingCases._store_block

    def spy(self: waiting_cases.WaitingCases) -> None:
        stored.extend(self._block)
        store(self)

    monkeypatch.setattr(waiting_cases.WaitingCases, "_store_block", spy)
    whole = score_cases(records, show="all", max_shown=None)

    found = written(tmp_path / "report", output_format, records)

    assert found == report_text("score", output_format, hide_for_report(whole), lang="en")
    assert b"[hidden " in b"".join(stored)
    assert b"horse" not in b"".join(stored)


def test_cases_scored_before_an_unreadable_line_are_in_the_report(
    tmp_path: Path, cases: Path
) -> None:
    with cases.open("a") as file:
        file.write("{]\n")
    target = tmp_path / "report.json"

    found = CliRunner().invoke(
        command, [str(cases), "-o", str(target), "--json"], standalone_mode=False
    )

    assert isinstance(found.exception, UnreadableInput)
    document = msgspec.json.decode(target.read_bytes())
    assert len(document["cases"]) == document["totals"]["cases"] == len(RECORDS)
    assert document["stopped"]["count"] == 1


class FullDisk:
    """A file on a disk that is full."""

    def write(self, _: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def read(self, _: int) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    def seek(self, _: int) -> None:
        pass

    def close(self) -> None:
        pass


def test_a_full_disk_is_said_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cases: Path
) -> None:
    monkeypatch.setattr(waiting_cases, "SpooledTemporaryFile", lambda **_: FullDisk())
    monkeypatch.setattr(waiting_cases, "_BLOCK", 1000)
    monkeypatch.setattr(waiting_cases, "gettempdir", lambda: "the temporary folder")

    with (
        pytest.raises(
            click.ClickException,
            match=r"Cannot write a temporary file in the temporary folder: No space left on device\.",
        ),
        open_output(str(tmp_path / "report"), "json", "en") as output,
    ):
        score_files(cases, show="all", max_shown=None, hooks=ScoreHooks(on_case=output.on_case))

    assert not (tmp_path / "report").exists()
