"""`compare`, `gate` and `check` with `-o report.html`: the file, what is printed beside it, and the exit code."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.e2e.weather import CITIES, program, write_answers, write_suite
from tests.reports.opened_html import OpenedReport, open_html

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

WRONG = CITIES[:9]


@pytest.fixture(scope="module")
def worse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where there are two runs, the first is the baseline, and the second is much worse."""
    folder = tmp_path_factory.mktemp("worse")
    write_suite(folder)
    program(folder, "run", "--show", "none", "--jobs", "1")
    program(folder, "baseline", "set", "latest", "--name", "main")
    write_answers(folder, wrong=WRONG)
    program(folder, "run", "--show", "none", "--jobs", "1")
    return folder


@pytest.fixture
def folder(worse: Path, tmp_path: Path) -> Path:
    """A copy of it, for one test."""
    shutil.copytree(worse, tmp_path, dirs_exist_ok=True)
    return tmp_path


def report_in(folder: Path, name: str = "report.html") -> OpenedReport:
    return open_html((folder / name).read_bytes())


def write_cases(file: Path, *records: dict[str, Any]) -> None:
    file.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))


def a_record(city: str, answer: str) -> dict[str, Any]:
    return {
        "id": city,
        "expected": [{"name": "get_weather", "arguments": {"city": city}}],
        "actual": [{"name": "get_weather", "arguments": {"city": answer}}],
    }


def test_the_exit_code_and_the_reasons_are_those_of_the_other_formats(
    callscore: Program, folder: Path
) -> None:
    arguments = ("compare", "main", "latest", "--fail-on", "regressed")

    as_json = callscore(*arguments, "-o", "report.json")
    as_html = callscore(*arguments, "--format", "html", "-o", "report")

    assert (as_html.returncode, as_html.stderr) == (as_json.returncode, as_json.stderr)
    assert as_html.returncode == 1
    assert report_in(folder, "report").document["kind"] == "compare"


def test_a_gate_in_a_build_adds_its_summary_and_annotations_as_well(
    callscore: Program, folder: Path
) -> None:
    summary = folder / "summary.md"

    ran = callscore(
        *("gate", "-o", "report.html", "--lang", "ru"),
        GITHUB_ACTIONS="true",
        GITHUB_STEP_SUMMARY=str(summary),
    )

    assert ran.returncode == 1
    assert summary.read_text(encoding="utf-8").startswith("## Гейт не пройден")
    assert "::error title=callscore" in ran.stderr
    assert report_in(folder).document["gate"]["reasons"][0].startswith("стало хуже")


def test_no_secret_is_in_any_of_the_reports(callscore: Program, tmp_path: Path) -> None:
    secret = "sk-1234567890abcdef"  # noqa: S105  (made up)
    record = a_record(secret, f"{secret}!") | {"input": secret, "tags": [secret]}
    write_cases(tmp_path / "before.jsonl", record)
    write_cases(tmp_path / "after.jsonl", record | {"actual": [{"name": secret}, {"name": secret}]})
    for name in ("before", "after"):
        callscore("score", f"{name}.jsonl", "--save", name, SERVICE_API_KEY=secret)

    callscore("compare", "before.jsonl", "after.jsonl", "-o", "files.html", SERVICE_API_KEY=secret)
    callscore("compare", "before", "after", "-o", "runs.html", SERVICE_API_KEY=secret)
    callscore("gate", "after", "--against", "before", "-o", "gate.html", SERVICE_API_KEY=secret)
    callscore("check", "after.jsonl", "-o", "check.html", SERVICE_API_KEY=secret)

    for name in ("files", "runs", "gate", "check"):
        report = report_in(tmp_path, f"{name}.html")
        assert secret not in repr(report), name
        assert report.index["count"] == 1, name
        assert "SERVICE_API_KEY" in report.document["notes"][-1]["text"], name
