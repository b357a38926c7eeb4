"""`callscore score`, from the command line to the exit code."""

from __future__ import annotations

import gzip
import subprocess
import sys
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

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


def test_two_files_are_joined_on_id(callscore: Program, tmp_path: Path) -> None:
    write(
        tmp_path / "references.jsonl", *({"id": c["id"], "expected": c["expected"]} for c in CASES)
    )
    write(tmp_path / "traces.jsonl", *({"id": c["id"], "actual": c["actual"]} for c in CASES[:2]))

    run = callscore("score", "--expected", "references.jsonl", "--actual", "traces.jsonl")

    assert run.returncode == 0
    assert "Macro F1 33.3%" in run.stdout
    assert "1 case without an answer: not passed, and 0 in the macro means (silent)" in run.stdout


@pytest.mark.parametrize(
    ("bar", "code", "said"),
    [("0.66", 0, ""), ("0.67", 1, "callscore: macro F1 66.7%, required ≥ 67.0% (--fail-under)\n")],
)
def test_the_gate_looks_at_the_macro_f1(
    callscore: Program, cases: Path, bar: str, code: int, said: str
) -> None:
    run = callscore("score", cases, "--show", "none", "--fail-under", bar)

    assert (run.returncode, run.stderr) == (code, said)


def test_a_reference_that_was_not_run_fails_the_gate(callscore: Program, tmp_path: Path) -> None:
    write(tmp_path / "c.jsonl", *CASES[::2], {"id": "never", "expected": [OSLO]})

    run = callscore("score", "c.jsonl", "--fail-under", "0")

    assert run.returncode == 1
    assert "without an answer: never" in run.stderr


def test_a_file_without_expected_calls_is_refused_with_advice(
    callscore: Program, tmp_path: Path
) -> None:
    write(tmp_path / "c.jsonl", {"id": "a", "actual": [OSLO]})

    run = callscore("score", "c.jsonl", "--fail-under", "0")

    assert run.returncode == 3
    assert "no case was scored: the expected calls are missing." in run.stderr
    assert "--expected REFERENCES --actual TRACES" in run.stderr


def test_the_report_can_be_in_russian(callscore: Program, cases: Path) -> None:
    run = callscore("score", cases, "--lang", "ru", "--fail-under", "0.9")

    assert "Средне" in run.stdout
    assert run.stderr == "callscore: macro F1 66.7%, требуется ≥ 90.0% (--fail-under)\n"


@pytest.mark.parametrize("output_format", ["table", "jsonl"])
def test_a_forbidden_call_fails_the_gate(
    callscore: Program, tmp_path: Path, output_format: str
) -> None:
    forbidden = {"id": "a", "expected": [{"forbid": "get_*"}], "actual": [OSLO]}
    write(tmp_path / "c.jsonl", CASES[0], forbidden)

    run = callscore("score", "c.jsonl", "--format", output_format, "--fail-under", "0.5")

    assert run.returncode == 1
    assert run.stderr.endswith("callscore: forbidden calls were made: get_weather\n")


def test_json_holds_everything(callscore: Program, cases: Path) -> None:
    document = msgspec.json.decode(callscore("score", cases, "--format", "json").stdout)

    assert [case["id"] for case in document["cases"]] == ["right", "wrong", "silent"]


def test_json_lines_come_one_a_case(callscore: Program, cases: Path) -> None:
    lines = callscore("score", cases, "--format", "jsonl").stdout.splitlines()

    assert [msgspec.json.decode(line)["score"] for line in lines] == [1.0, 0.0, 1.0]


def test_json_lines_keep_their_notes_apart(callscore: Program, tmp_path: Path) -> None:
    write(tmp_path / "c.jsonl", CASES[0], {"id": "never", "expected": [OSLO]})

    run = callscore("score", "c.jsonl", "--format", "jsonl")

    assert (run.returncode, run.stdout.count("\n")) == (0, 1)
    assert (
        run.stderr
        == "callscore: 1 case without an answer: not passed, and 0 in the macro means (never)\n"
    )


def test_messages_of_chat_completions_are_traces(callscore: Program, tmp_path: Path) -> None:
    function = {"name": "get_weather", "arguments": '{"unit": "C", "city": "Oslo"}'}
    call = {"id": "call_1", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    write(tmp_path / "references.jsonl", {"id": "a", "expected": [OSLO]})
    write(tmp_path / "traces.jsonl", {"id": "a", **message})

    run = callscore("score", "--expected", "references.jsonl", "--actual", "traces.jsonl")

    assert "100.0%" in run.stdout


def test_junit_fails_what_did_not_pass(callscore: Program, cases: Path) -> None:
    suites = ET.fromstring(callscore("score", cases, "--format", "junit").stdout)  # noqa: S314

    assert (suites.get("tests"), suites.get("failures")) == ("3", "1")


def test_markdown_is_a_table(callscore: Program, cases: Path) -> None:
    assert "| --- |" in callscore("score", cases, "--format", "markdown").stdout


def test_a_report_can_go_to_a_file(callscore: Program, cases: Path, tmp_path: Path) -> None:
    run = callscore("score", cases, "--format", "junit", "-o", "report.xml")

    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert (tmp_path / "report.xml").read_text().startswith("<?xml")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cases.jsonl", "report.xml"]


def test_a_failed_run_leaves_the_old_report_alone(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text("old")

    run = callscore("score", "missing.jsonl", "--format", "junit", "-o", "report.xml")

    assert run.returncode == 3
    assert [path.name for path in tmp_path.iterdir()] == ["report.xml"]
    assert (tmp_path / "report.xml").read_text() == "old"


def test_settings_reach_the_score(callscore: Program, cases: Path) -> None:
    run = callscore("score", cases, "--mode", "flexible", "--argument-match-threshold", "0.5")

    assert "100.0%" in run.stdout


def test_standard_input_is_a_file_too(callscore: Program, cases: Path) -> None:
    run = callscore("score", "-", stdin=gzip.compress(cases.read_bytes()))

    assert "Macro F1 66.7%" in run.stdout


def test_a_limit_says_how_much_is_hidden(callscore: Program, cases: Path) -> None:
    assert "… 1 case not shown" in callscore("score", cases, "--max-shown", "0").stdout


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
