"""`callscore rescore`, from the command line to the exit code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.e2e.agents import add_file, asked

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

# One argument of three is wrong: too much for strict, and not for flexible (≥ 0.6) on.
AGENT = """
ANSWERS["sum"][0]["arguments"]["b"] = 8

@evaluation(cases=CASES, tools=[getWeather, calculator], fail_under={"accuracy": 0.9})
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
    assert "accuracy   0.667      2/3    ≥ 0.900" in ran.stdout
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
    ran = callscore("rescore", "latest", "--mode", "flexible", "--argument-match-threshold", "0.6")

    assert ran.returncode == 0
    assert re.fullmatch(r"callscore: rescoring run [-\w]+ of [-\d]+ [:\d]+ UTC\n", ran.stderr)
    assert "agent   eval_agent.py" in ran.stdout
    assert "3 cases, flexible (≥ 0.6), any order" in ran.stdout
    assert "accuracy   1.000      3/3    ≥ 0.900" in ran.stdout
    assert "All 3 passed\n3 cases (3 reused) in " in ran.stdout
    assert asked(folder) == ["weather", "sum", "greeting"]
    assert runs_in(folder) == [("rescore", "run"), ("run", None)]


def test_what_is_not_given_stays_as_it_was(callscore: Program, folder: Path) -> None:
    (folder / "callscore.toml").write_text('mode = "flexible"\nargument_match_threshold = 0.1\n')

    same = callscore("rescore")
    named = callscore("rescore", "--config", "callscore.toml")

    assert same.returncode == 1
    assert same.stderr.endswith(" UTC\ncallscore: agent: accuracy 0.667, required ≥ 0.900\n")
    assert "sum   failed\n  0.000 accuracy\n" in same.stdout
    assert named.returncode == 0


def test_a_run_can_be_asked_for_by_its_age_and_its_id(callscore: Program, folder: Path) -> None:
    with open_store(folder / ".callscore/history.db") as store:
        run = store.find("latest").id

    flexible = callscore("rescore", run[:-2], "--preset", "flexible", "--pass-mark", "0.5")
    again = callscore("rescore", "latest~1", "--format", "json")

    assert "3 cases, flexible (≥ 0.8), any order, pass mark 0.5" in flexible.stdout
    report = msgspec.json.decode(again.stdout, type=dict[str, Any])
    assert report["evaluations"][0]["settings"]["mode"] == "strict"
    assert [case["passed"] for case in report["evaluations"][0]["cases"]] == [True, False, True]


def test_other_scorers_and_another_bar_can_be_asked_for(callscore: Program, folder: Path) -> None:
    options = ["--scorer", "tool_called", "--scorer", "exact", "--fail-under", "0.8"]

    ran = callscore("rescore", *options, "--lang", "ru", "--show", "none", "-o", "again.txt")

    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.endswith(" UTC\ncallscore: agent: exact 0.667, требуется ≥ 0.800\n")
    report = (folder / "again.txt").read_text()
    assert "tool_called     1.000        3/3     ≥ 0.800" in report
    assert "exact           0.667        2/3     ≥ 0.800" in report


def test_the_suffix_of_the_file_says_the_format(callscore: Program, folder: Path) -> None:
    callscore("rescore", "-o", "again.JSON")
    callscore("rescore", "-o", "again.md")
    callscore("rescore", "-o", "again.xml", "--format", "table")

    report = msgspec.json.decode((folder / "again.JSON").read_bytes(), type=dict[str, Any])
    assert len(report["evaluations"][0]["cases"]) == 3  # all, as in json
    assert (folder / "again.md").read_text().startswith("## ")
    assert (folder / "again.xml").read_text().startswith("agent ")


def test_by_default_it_is_the_newest_run_that_asked(callscore: Program, folder: Path) -> None:
    callscore("rescore", "--mode", "flexible", "--argument-match-threshold", "0.1")

    again = callscore("rescore")
    latest = callscore("rescore", "latest~1")

    assert "3 cases, strict" in again.stdout
    assert "3 cases, flexible (≥ 0.1)" in latest.stdout
    asked_in, scored_in = [
        re.findall(r"rescoring run ([-\w]+) of", ran.stderr) for ran in (again, latest)
    ]
    with open_store(folder / ".callscore/history.db") as store:
        ids = [run.id for run in store.runs()]
    assert asked_in == ids[-1:]
    assert scored_in == ids[-2:-1]


def test_functions_are_taken_from_the_file_of_their_evaluation(
    callscore: Program, tmp_path: Path
) -> None:
    text = """
    def brief(calls):
        print("measuring")
        return len(calls) < 1

    @evaluation(cases=CASES, scorers=["accuracy", brief], fail_under={"brief": 0.1})
    def agent(case):
        asking(case)
        return ANSWERS[case.id]
    """
    file = add_file(tmp_path, "evals/eval_agent.py", text)
    first = callscore("run", "evals")
    file.write_text(file.read_text().replace("< 1", "< 2"))
    changed = callscore("rescore", "--format", "json")
    file.write_text("import no_such_module\n")
    broken = callscore("rescore")
    file.unlink()
    gone = callscore("rescore")

    assert "brief      0.333      1/3    ≥ 0.100" in first.stdout
    report = msgspec.json.decode(changed.stdout, type=dict[str, Any])
    brief = report["evaluations"][0]["scorers"][1]
    assert (brief["name"], brief["mean"], brief["fail_under"]) == ("brief", 1.0, 0.1)
    assert "measuring" in changed.stderr
    missing = "! agent: the scorer brief is missing, and is left out: "
    assert f"{missing}evals/eval_agent.py:1: " in " ".join(broken.stdout.split())
    why = "it is a function in evals/eval_agent.py, which no longer exists"
    assert f"{missing}{why}" in " ".join(gone.stdout.split())
    assert len(asked(tmp_path)) == 3


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nobody"], "callscore: unknown run 'nobody'. "),
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
    assert ran.stderr.startswith("callscore: no runs yet: ")
    assert not (tmp_path / ".callscore").exists()
