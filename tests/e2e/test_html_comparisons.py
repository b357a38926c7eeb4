"""`compare`, `gate` and `check` with `-o report.html`: the file, what is printed beside it, and the exit code."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.e2e.weather import CITIES, program, write_answers, write_suite
from tests.reports.opened_html import OpenedReport, open_html

from callscore.reports.html.packing import CHANGES

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


def test_two_runs_are_compared_with_the_inputs_and_the_answers(
    callscore: Program, folder: Path
) -> None:
    ran = callscore("compare", "main", "latest", "-o", "report.html")

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    report = report_in(folder)
    assert report.document["verdict"]["text"] == "Regressed: passed 100.0% → 25.0%, −75.0 points"
    assert report.index["id"] == [*WRONG, *CITIES[9:]]
    assert [CHANGES[each] for each in report.index["change"]] == ["broken"] * 9 + ["same"] * 3
    assert report.index["about"][0] == "Is it cold in oslo?"
    oslo = report.cases[0]
    assert (oslo["parts_at"], oslo["reasons"]) == (0, ["F1: 100.0% → 0.0%"])
    [after] = oslo["after"]
    assert after["rows"][0]["actual"] == {"name": "get_weather", "arguments": {"city": "x"}}
    assert after["answer"] == [{"name": "get_weather", "arguments": {"city": "x"}}]
    run = report.document["comparison"]["after"]["run"]
    assert after["command"] == f"callscore show {run} oslo"
    assert oslo["before"][0]["command"].startswith("callscore show ")
    # The suggested commands can be typed.
    [step] = report.document["next"]
    shown = callscore(*step["command"].split()[1:])
    assert (shown.returncode, "oslo" in shown.stdout) == (0, True)


def test_the_exit_code_and_the_reasons_are_those_of_the_other_formats(
    callscore: Program, folder: Path
) -> None:
    arguments = ("compare", "main", "latest", "--fail-on", "regressed")

    as_json = callscore(*arguments, "-o", "report.json")
    as_html = callscore(*arguments, "--format", "html", "-o", "report")

    assert (as_html.returncode, as_html.stderr) == (as_json.returncode, as_json.stderr)
    assert as_html.returncode == 1
    assert report_in(folder, "report").document["kind"] == "compare"


def test_a_file_is_compared_with_a_run(callscore: Program, folder: Path) -> None:
    write_cases(folder / "cases 2.jsonl", *[a_record(city, city) for city in CITIES[:10]])

    ran = callscore("compare", "cases 2.jsonl", "latest", "-o", "report.html", "--pass-mark", "0.5")

    assert ran.returncode == 0
    report = report_in(folder)
    changes = [CHANGES[each] for each in report.index["change"]]
    assert changes == ["broken"] * 9 + ["same"] + ["only_after"] * 2
    command = report.cases[0]["before"][0]["command"]
    assert command == "callscore explain 'cases 2.jsonl' --pass-mark 0.5 --case oslo"
    explained = callscore("explain", "cases 2.jsonl", "--pass-mark", "0.5", "--case", "oslo")
    assert (explained.returncode, explained.stdout[:4]) == (0, "oslo")


def test_traces_are_compared_with_references_and_standard_input(
    callscore: Program, folder: Path
) -> None:
    references = [{"id": "a", "expected": ["f"]}, {"id": "b", "expected": ["f"]}]
    write_cases(folder / "references.jsonl", *references)
    write_cases(folder / "traces.jsonl", {"id": "a", "calls": ["f"]}, {"id": "b", "calls": ["f"]})
    later = b'{"id": "a", "calls": ["f"]}\n{"id": "b", "calls": []}\n'

    ran = callscore(
        *("compare", "traces.jsonl", "-", "--expected", "references.jsonl"),
        *("-o", "report.html"),
        stdin=later,
    )

    assert ran.returncode == 0
    report = report_in(folder)
    assert report.index["id"] == ["b", "a"]
    [before], [after] = report.cases[0]["before"], report.cases[0]["after"]
    assert before["command"] == (
        "callscore explain --expected references.jsonl --actual traces.jsonl --case b"
    )
    assert "command" not in after  # standard input cannot be read again
    assert report.document["next"] == []


def test_a_gate_writes_its_report_beside_what_it_prints(callscore: Program, folder: Path) -> None:
    plain = callscore("gate", "-o", "report.json")

    ran = callscore("gate", "-o", "report.html")

    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", plain.stderr)
    found = report_in(folder).document
    assert found["kind"] == "gate"
    assert found["verdict"]["text"] == "Gate failed: regressed, main → latest"
    assert found["gate"]["passed"] is False
    assert found["gate"]["reasons"][0].startswith("regressed: passed 100.0% → 25.0%")
    assert found["next"][0]["command"].endswith(" oslo")
    assert report_in(folder).cases[0]["parts_at"] == 0


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


def test_a_gate_that_passes_exits_with_0(callscore: Program, folder: Path) -> None:
    write_answers(folder)
    callscore("run", "--show", "none", "--jobs", "1")

    ran = callscore("gate", "-o", "report.html")

    assert ran.returncode == 0
    found = report_in(folder).document
    assert (found["verdict"]["status"], found["gate"]) == ("good", {"passed": True, "reasons": []})
    assert found["next"][0]["why"] == "Make this run the baseline"


def test_checked_calls_are_listed_by_trace(callscore: Program, tmp_path: Path) -> None:
    weather = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    (tmp_path / "tools.json").write_bytes(
        msgspec.json.encode([{"name": "weather", "parameters": weather}])
    )
    write_cases(
        tmp_path / "traces.jsonl",
        {"id": "good", "calls": [{"name": "weather", "arguments": {"city": "Oslo"}}]},
        {"id": "bad", "calls": [{"name": "weather", "arguments": {}}, {"name": "nope"}]},
    )

    arguments = ("check", "traces.jsonl", "--tools", "tools.json", "--fail-on", "any")
    ran = callscore(*arguments, "-o", "report.html")

    assert (ran.returncode, ran.stderr) == (1, callscore(*arguments, "--json").stderr)
    report = report_in(tmp_path)
    assert report.document["title"] == "traces.jsonl"
    assert report.index["id"] == ["bad"]
    [rows] = [case["rows"] for case in report.cases]
    assert [row["notes"] for row in rows] == [
        ["missing argument: city: required, but not given"],
        ["unknown tool"],
    ]
    assert report.document["next"] == [
        {
            "command": "callscore check traces.jsonl --tools tools.json --fail-on any",
            "why": "Fail a build on any fault",
        }
    ]


def test_all_faults_are_listed_unless_fewer_are_asked_for(
    callscore: Program, tmp_path: Path
) -> None:
    traces = [{"id": str(number), "calls": ["f", "f", "f"]} for number in range(30)]
    write_cases(tmp_path / "traces.jsonl", *traces)

    every, some = (
        (callscore("check", "traces.jsonl", "-o", "report.html", *more), report_in(tmp_path))[1]
        for more in ((), ("--max-shown", "4"))
    )

    # Each trace has two repeats and a loop.
    assert (every.index["count"], every.document["not_shown"]) == (30, 0)
    assert (some.index["count"], some.document["not_shown"]) == (2, 28)
    assert [case["summary"] for case in some.cases] == ["3 faults", "1 fault"]


def test_several_processes_write_the_same_report(callscore: Program, tmp_path: Path) -> None:
    traces = [
        {"id": str(number), "calls": [{"name": "f", "arguments": {"text": "x" * 200}}] * 2}
        for number in range(9000)
    ]
    write_cases(tmp_path / "traces.jsonl", *traces)

    for jobs in ("1", "2"):
        callscore("check", "traces.jsonl", "--jobs", jobs, "-o", f"{jobs}.html")

    assert (tmp_path / "1.html").read_bytes() == (tmp_path / "2.html").read_bytes()
    assert report_in(tmp_path, "1.html").index["count"] == 9000


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
