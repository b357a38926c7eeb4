"""`callscore gate`, from the command line to the exit code."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones, and minus signs, are meant)

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import fromstring

import msgspec
import pytest
from tests.e2e.weather import CITIES, program, write_answers, write_suite

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program


def run(callscore: Program, folder: Path, *, wrong: tuple[str, ...] = ()) -> str:
    """Run the suite with some wrong answers; the id of the run."""
    write_answers(folder, wrong=wrong)
    ran = callscore("run", "--format", "json")
    found: str = msgspec.json.decode(ran.stdout, type=dict[str, Any])["id"]
    return found


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where there is a baseline."""
    folder = tmp_path_factory.mktemp("good")
    write_suite(folder)
    program(folder, "run", "--show", "none")
    program(folder, "baseline", "set", "latest", "--name", "main")
    return folder


@pytest.fixture
def folder(good: Path, tmp_path: Path) -> Path:
    """A copy of it, for one test."""
    shutil.copytree(good, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_a_run_that_is_as_good_passes(callscore: Program, folder: Path) -> None:
    new = run(callscore, folder)

    ran = callscore("gate", "--against", "main")

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("Gate open   ")
    assert ", main → latest   --fail-on regressed\n" in ran.stdout
    assert ran.stdout.endswith(f"\n\nNext: callscore baseline set {new} --name main\n")


def test_a_run_that_is_worse_does_not_pass(callscore: Program, folder: Path) -> None:
    new = run(callscore, folder, wrong=CITIES[:9])

    ran = callscore("gate", "--against", "main")

    assert (ran.returncode, ran.stderr) == (1, "")
    assert ran.stdout.startswith(
        "Gate closed   regressed, main → latest   --fail-on regressed\n"
        "! regressed: passed 100.0% → 25.0%, −75.0 points (95% interval "
    )
    assert "\n\nBroken: 9 cases\n- oslo    F1 100.0% → 0.0%\n" in ran.stdout
    assert ran.stdout.endswith(f"\n\nNext: callscore show {new} oslo\n")
    assert callscore("show", new, "oslo").returncode == 0


def test_in_doubt_it_is_closed_if_more_broke_than_was_fixed(
    callscore: Program, folder: Path
) -> None:
    run(callscore, folder, wrong=("oslo",))

    ran = callscore("gate", "--against", "main", "--lang", "ru")

    assert ran.returncode == 1
    assert ran.stdout.startswith("Проверка не пройдена   мало данных, main → latest ")
    assert "а сломано больше, чем исправлено: 1 против 0\n" in ran.stdout


def test_any_run_can_be_held_against_any_other(callscore: Program, folder: Path) -> None:
    bad = run(callscore, folder, wrong=CITIES[:9])
    good = run(callscore, folder)

    assert callscore("gate", good, "--against", bad).returncode == 0
    assert callscore("gate", bad, "--against", good).returncode == 1
    assert callscore("gate", "--against", "latest~1", "--fail-on", "any").returncode == 1


def test_a_new_forbidden_call_closes_it_without_statistics(
    callscore: Program, tmp_path: Path
) -> None:
    write_suite(tmp_path)
    cases = (tmp_path / "cases.jsonl").read_text().splitlines()
    cases.append('{"id": "quiet", "input": "Hello", "expected": [{"forbid": "refund"}]}')
    (tmp_path / "cases.jsonl").write_text("\n".join(cases) + "\n")
    answers = (tmp_path / "answers.jsonl").read_text()
    (tmp_path / "answers.jsonl").write_text(answers + '{"id": "quiet", "answer": []}\n')
    callscore("run")
    callscore("baseline", "set", "latest", "--name", "main")
    (tmp_path / "answers.jsonl").write_text(answers + '{"id": "quiet", "answer": ["refund"]}\n')
    callscore("run")

    ran = callscore("gate", "--against", "main")

    assert ran.returncode == 1
    assert "! 1 case with a new forbidden call (weather: quiet)\n" in ran.stdout


def test_a_missed_threshold_closes_it(callscore: Program, tmp_path: Path) -> None:
    write_suite(tmp_path, wrong=CITIES[:3], more="thresholds = {accuracy = 0.9}\n")
    callscore("run")
    callscore("baseline", "set", "latest", "--name", "main")
    new = run(callscore, tmp_path, wrong=CITIES[:3])

    ran = callscore("gate", "--against", "main")

    assert ran.returncode == 1
    assert "\n! accuracy 0.750 is below 0.900\n" in ran.stdout
    assert ran.stdout.endswith(f"Next: callscore show {new}\n")


def test_a_baseline_that_is_not_there_is_wrong_usage_with_the_command_that_sets_it(
    callscore: Program, folder: Path
) -> None:
    new = run(callscore, folder)

    ran = callscore("gate", "--against", "release")

    assert (ran.returncode, ran.stdout) == (2, "")
    command = f"callscore baseline set {new} --name release"
    assert ran.stderr.endswith(f". A baseline is set with: {command}\n")
    assert callscore(*command.split()[1:]).returncode == 0
    assert callscore("gate", "--against", "release").returncode == 0


@pytest.mark.usefixtures("folder")
def test_a_run_that_is_its_own_baseline_is_pointed_out(callscore: Program) -> None:
    ran = callscore("gate", "--against", "main")

    assert ran.returncode == 0
    assert " is held against itself: run the evaluations again, and then the gate\n" in ran.stderr


def test_without_a_history_nothing_is_made(callscore: Program, tmp_path: Path) -> None:
    ran = callscore("gate", "--against", "main")

    assert ran.returncode == 2
    assert "there is no run yet" in ran.stderr
    assert not (tmp_path / ".callscore").exists()


def test_a_history_that_cannot_be_read_is_another_exit_code(
    callscore: Program, folder: Path
) -> None:
    (folder / ".callscore/history.db").write_bytes(b"not a database" * 100)

    assert callscore("gate", "--against", "main").returncode == 3


def test_reports_go_to_files_and_the_reasons_to_standard_error(
    callscore: Program, folder: Path
) -> None:
    run(callscore, folder, wrong=CITIES[:9])

    as_json = callscore("gate", "--against", "main", "--format", "json")
    as_xml = callscore("gate", "--against", "main", "-o", "gate.xml")
    as_text = callscore("gate", "--against", "main", "-o", "gate.md")

    report = msgspec.json.decode(as_json.stdout, type=dict[str, Any])
    assert (report["is_open"], report["reasons"][0]["kind"]) == (False, "regressed")
    assert report["next"].startswith("callscore show ")
    suite = fromstring((folder / "gate.xml").read_bytes())  # noqa: S314  (our own text)
    assert (suite.get("tests"), suite.get("failures")) == ("8", "1")
    assert (folder / "gate.md").read_text().startswith("## Gate closed: regressed, `main` → ")
    for ran in (as_json, as_xml, as_text):
        assert ran.returncode == 1
        assert ran.stderr.startswith("callscore: regressed: passed 100.0% → 25.0%")


def test_on_github_there_are_annotations_and_a_summary_of_the_step(
    callscore: Program, folder: Path
) -> None:
    run(callscore, folder, wrong=CITIES[:9])
    summary = folder / "summary.md"
    summary.write_text("# Earlier\n")

    ran = callscore(
        *("gate", "--against", "main", "--format", "json"),
        GITHUB_ACTIONS="true",
        GITHUB_STEP_SUMMARY=str(summary),
    )

    assert ran.returncode == 1
    assert msgspec.json.decode(ran.stdout, type=dict[str, Any])["fail_on"] == "regressed"
    lines = [line for line in ran.stderr.splitlines() if line.startswith("::")]
    assert lines[0].startswith(
        "::error title=callscore%3A Gate closed::regressed: passed 100.0%25 "
    )
    assert lines[1] == (
        "::error file=eval_weather.toml,title=Broken%3A oslo::weather, F1 100.0%25 → 0.0%25"
    )
    assert summary.read_text().startswith("# Earlier\n## Gate closed: regressed, `main` → `latest`")


def test_elsewhere_there_are_neither_and_a_terminal_has_colours(
    callscore: Program, folder: Path
) -> None:
    run(callscore, folder, wrong=CITIES[:9])

    ran = callscore("gate", "--against", "main", FORCE_COLOR="1")

    assert ran.stdout.startswith("\x1b[1;31mGate closed\x1b[0m   regressed, main → latest")
    assert "::error" not in ran.stdout + ran.stderr
