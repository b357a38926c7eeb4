"""`callscore rescore`, from the command line to the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.e2e.agents import add_file, asked

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

# One argument of three is wrong: too much for strict, and not for flexible from 0.6 on.
AGENT = """
ANSWERS["sum"][0]["arguments"]["b"] = 8

@evaluation(cases=CASES, tools=[getWeather, calculator], thresholds={"accuracy": 0.9})
def agent(case):
    asking(case)
    return ANSWERS[case.id]
"""


@pytest.fixture
def folder(callscore: Program, tmp_path: Path) -> Path:
    """Where a run has left its answers, and what gave them is gone."""
    file = add_file(tmp_path, "eval_agent.py", AGENT)
    ran = callscore("run", "--jobs", "1")
    assert ran.returncode == 1
    assert "accuracy   0.667      2/3     < 0.900" in ran.stdout
    file.unlink()
    return tmp_path


def runs_in(folder: Path) -> list[tuple[str, str | None]]:
    """The commands of the runs, the newest first, each with its parent's."""
    with open_store(folder / ".callscore/history.db") as store:
        commands = {run.id: run.command for run in store.runs()}
        return [(run.command, commands.get(run.parent or "")) for run in store.runs()]


def test_kept_answers_are_scored_under_other_settings_and_nobody_is_asked(
    callscore: Program, folder: Path
) -> None:
    ran = callscore("rescore", "latest", "--mode", "flexible", "--threshold", "0.6")

    assert (ran.returncode, ran.stderr) == (0, "")
    assert "agent   eval_agent.py:" in ran.stdout
    assert "3 cases, flexible from 0.6, any order" in ran.stdout
    assert "accuracy   1.000      3/3     ≥ 0.900" in ran.stdout
    assert "All 3 passed\n3 answers (3 reused) in " in ran.stdout
    assert asked(folder) == ["weather", "sum", "greeting"]
    assert runs_in(folder) == [("rescore", "run"), ("run", None)]


def test_what_is_not_given_stays_as_it_was(callscore: Program, folder: Path) -> None:
    (folder / "callscore.toml").write_text('mode = "flexible"\nargument_match_threshold = 0.1\n')

    same = callscore("rescore")
    named = callscore("rescore", "--config", "callscore.toml")

    assert same.returncode == 1
    assert same.stderr == "callscore: agent: accuracy 0.667 is below 0.900\n"
    assert "sum   failed\n  0.000 accuracy\n" in same.stdout
    assert named.returncode == 0


def test_a_run_can_be_asked_for_by_its_age_and_its_id(callscore: Program, folder: Path) -> None:
    with open_store(folder / ".callscore/history.db") as store:
        run = store.find("latest").id

    flexible = callscore("rescore", run[:-2], "--preset", "flexible", "--at-least", "0.5")
    again = callscore("rescore", "latest~1", "--format", "json")

    assert "3 cases, flexible from 0.8, any order, passed from 0.5" in flexible.stdout
    report = msgspec.json.decode(again.stdout, type=dict[str, Any])
    assert report["evaluations"][0]["settings"]["mode"] == "strict"
    assert [case["passed"] for case in report["evaluations"][0]["cases"]] == [True, False, True]


def test_other_scorers_and_another_bar_can_be_asked_for(callscore: Program, folder: Path) -> None:
    options = ["--scorer", "tool_called", "--scorer", "exact", "--fail-under", "0.8"]

    ran = callscore("rescore", *options, "--lang", "ru", "--show", "none", "-o", "again.txt")

    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == "callscore: agent: exact 0.667 ниже порога 0.800\n"
    report = (folder / "again.txt").read_text()
    assert "tool_called     1.000        3/3   ≥ 0.800" in report
    assert "exact           0.667        2/3   < 0.800" in report


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nobody"], "callscore: there is no run 'nobody'; "),
        (["latest~7"], "callscore: "),
        (["--scorer", "acuracy"], "accuracy"),
        (["--order", "sideways"], "Invalid value for '--order'"),
        (["--config", "nowhere.toml"], "callscore: nowhere.toml: cannot be read"),
    ],
)
def test_wrong_usage_exits_with_2(callscore: Program, arguments: list[str], problem: str) -> None:
    ran = callscore("rescore", *arguments)

    assert (ran.returncode, ran.stdout) == (2, "")
    assert problem in ran.stderr


def test_where_nothing_was_run_nothing_is_made(callscore: Program, tmp_path: Path) -> None:
    ran = callscore("rescore")

    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("callscore: there is no run yet: ")
    assert not (tmp_path / ".callscore").exists()
