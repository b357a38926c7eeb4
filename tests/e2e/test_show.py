"""`callscore show`, from the command line to the exit code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest
from tests.e2e.agents import add_file, asked

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

AGENT = """
ANSWERS["sum"][0]["arguments"]["b"] = 8

@evaluation(cases=CASES, fail_under={"accuracy": 0.9})
def agent(case):
    asking(case)
    if case.id == "greeting":
        raise ValueError("not in the mood")
    return ANSWERS[case.id]
"""
# How long it took to the last, and on which line the evaluation stands, is not kept.
UNKEPT = re.compile(r'"seconds": [^,]*,|"place": "[^"]*"|"details": ".*"|time="[^"]*"')


@pytest.fixture
def folder(callscore: Program, tmp_path: Path) -> Path:
    """Where a run has left its answers, and what gave them is gone."""
    file = add_file(tmp_path, "eval_agent.py", AGENT)
    assert callscore("run", "--jobs", "1", "--name", "first", "-o", "run.json").returncode == 4
    file.unlink()
    return tmp_path


def test_a_run_is_shown_as_it_was_and_nobody_is_asked(callscore: Program, folder: Path) -> None:
    shown = callscore("show", "first")

    assert (shown.returncode, shown.stderr) == (0, "")
    heading, when, empty, *rest = shown.stdout.splitlines()
    assert re.fullmatch(r"20\d{6}-\d{6}-\w{4}   first", heading)
    assert re.fullmatch(r"\d+ [A-Z][a-z]{2} \d\d:\d\d", when)
    assert empty == ""
    assert rest[0] == "agent   eval_agent.py"
    assert "accuracy   0.333      1/3    ≥ 0.900" in rest
    assert "sum   failed" in rest
    assert "greeting   error: raised" in rest
    assert "1 of 3 passed, 1 failed, 1 error" in rest
    assert asked(folder) == ["weather", "sum", "greeting"]


def test_programs_are_told_what_they_were_told(callscore: Program, folder: Path) -> None:
    shown = callscore("show", "--format", "json")
    told = (folder / "run.json").read_text()

    assert UNKEPT.sub("", shown.stdout) == UNKEPT.sub("", told)


def test_a_report_goes_to_a_file_of_its_kind(callscore: Program, folder: Path) -> None:
    callscore("show", "-o", "run.md")
    callscore("show", "-o", "run.xml")

    assert (folder / "run.md").read_text().startswith("## 1 of 3 passed")
    assert '<failure type="score"' in (folder / "run.xml").read_text()


@pytest.mark.usefixtures("folder")
def test_cases_are_chosen_by_words_and_counted(callscore: Program) -> None:
    weather = callscore("show", "-k", "weather", "--show", "all")
    none = callscore("show", "--max-shown", "0")

    assert "All" not in weather.stdout
    assert "1 passed" in weather.stdout
    assert "weather   passed" in weather.stdout
    assert "sum" not in weather.stdout
    assert "… 1 case not shown; --max-shown shows more" in none.stdout


@pytest.mark.usefixtures("folder")
def test_a_case_is_shown_with_what_was_asked_and_done(callscore: Program) -> None:
    shown = callscore("show", "latest", "sum")
    failed = callscore("show", "latest", "agent::greeting", "--lang", "ru")

    assert shown.returncode == 0
    assert shown.stdout.startswith("sum   failed   agent\neval_agent.py   run 20")
    assert "\nInput\n  What is 12 * 7?\n" in shown.stdout
    assert "  ~ b: 7" in shown.stdout
    assert failed.stdout.startswith("greeting   ошибка: исключение   agent\n")
    assert failed.stdout.endswith("\n  the task raised ValueError: not in the mood\n")


@pytest.mark.usefixtures("folder")
def test_a_case_can_be_had_as_data_and_as_markdown(callscore: Program) -> None:
    (case,) = msgspec.json.decode(callscore("show", "latest", "sum", "--format", "json").stdout)
    markdown = callscore("show", "latest", "sum", "--format", "markdown")
    junit = callscore("show", "latest", "sum", "--format", "junit")

    assert case["trials"][0]["calls"][0]["arguments"]["b"] == 8
    assert markdown.stdout.startswith("## `sum`: failed\n")
    assert junit.returncode == 2
    assert "A single case cannot be written as junit." in junit.stderr


@pytest.mark.usefixtures("folder")
def test_what_is_not_there_is_told(callscore: Program) -> None:
    run = callscore("show", "nowhere")
    case = callscore("show", "latest", "weathr")

    assert (run.returncode, case.returncode) == (2, 2)
    assert "unknown run 'nowhere'" in run.stderr
    assert "has no case 'weathr'. Did you mean 'weather'?" in case.stderr
    words = callscore("show", "latest", "-k", "nothing")
    variant = callscore("show", "latest:large")
    assert (words.returncode, variant.returncode) == (2, 2)
    assert "matches 'nothing'. Its evaluations: agent" in words.stderr
    assert "has no variant 'large': it has no variants" in variant.stderr


def test_without_a_history_there_is_nothing_to_show(callscore: Program, tmp_path: Path) -> None:
    shown = callscore("show")

    assert shown.returncode == 2
    assert "no runs yet" in shown.stderr
    assert not list(tmp_path.iterdir())
