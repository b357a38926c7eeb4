"""One run, counted alike by `run`, `show`, `history` and `compare`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

EVALUATION = """\
import asyncio

from callscore import Case, evaluation


def calls(city):
    return [("get_weather", {{"city": city}})]


@evaluation(cases=[Case(name, id=name, expected=calls(name)) for name in ("alpha", "beta", "gamma", "delta")])
async def weather(case):
    for _ in range({turns}[case.id]):  # the first cases answer last
        await asyncio.sleep(0)
    if case.id == "delta":
        raise RuntimeError("server down")
    return calls("Oslo" if case.id in {wrong} else case.id)
"""
TURNS = {"alpha": 90, "beta": 60, "gamma": 30, "delta": 0}


def run(callscore: Program, folder: Path, *wrong: str, trials: int = 1) -> str:
    """Run four cases: delta raises, and these are wrong."""
    text = EVALUATION.format(turns=TURNS, wrong=wrong)
    (folder / "eval_weather.py").write_text(text, encoding="utf-8")
    return callscore("run", "--trials", str(trials), "--jobs", "4").stdout


def json_of(callscore: Program, *arguments: str) -> Any:
    return msgspec.json.decode(callscore(*arguments, "--json").stdout)


def test_a_run_with_an_error_has_one_accuracy_in_json(callscore: Program, tmp_path: Path) -> None:
    run(callscore, tmp_path, "gamma")
    run(callscore, tmp_path)

    [shown] = json_of(callscore, "show", "latest~1")["evaluations"]
    [listed] = json_of(callscore, "history")[1]["evaluations"]
    compared = json_of(callscore, "compare", "latest~1", "latest")

    [scorer] = shown["scorers"]
    assert (scorer["mean"], shown["passed"], shown["errors"]) == (0.5, 2, 1)
    assert (listed["f1"], listed["passed"], listed["errors"]) == (0.5, 2, 1)
    before = compared["before"]
    assert (before["f1"], before["passed"], before["failed"], before["errors"]) == (0.5, 2, 1, 1)
    assert compared["main"]["before"] == listed["share"] == 0.5


def test_cases_are_listed_in_their_order(callscore: Program, tmp_path: Path) -> None:
    run(callscore, tmp_path)
    run(callscore, tmp_path, "alpha", "beta", "gamma")

    for command in (("compare", "latest~1", "latest"), ("show", "latest")):
        printed = callscore(*command).stdout

        places = [printed.index(f"{name}   ") for name in ("alpha", "beta", "gamma")]
        assert places == sorted(places)


UNUSUAL = """
import callscore

CASES = [{"id": name, "input": name, "expected": [{"name": "f"}]} for name in "abc"]

@callscore.evaluation(cases=CASES)
def broken(case):
    raise ValueError("no answer")

@callscore.evaluation(cases=CASES)
def wrong(case):
    return []

@callscore.evaluation(cases=["x", "y", "z"])
def open_ended(case):
    return []
"""


def test_errors_alone_have_a_mean_of_0_everywhere(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "eval_a.py").write_text(UNUSUAL)

    ran = callscore("run", "-k", "broken", "--fail-under", "0")
    again = callscore("run", "-k", "broken", "--fail-under", "0.5")

    assert (ran.returncode, ran.stderr) == (4, "callscore: broken: no answer for 3 cases\n")
    assert again.returncode == 4
    for report in (ran.stdout, callscore("show", "latest~1").stdout):
        assert "accuracy   0.000      0/3" in report
        assert "No answers, 3 errors\n3 cases in " in report
    listed = [run["evaluations"][0] for run in json_of(callscore, "history")]
    assert [(each["cases"], each["f1"], each["errors"]) for each in listed] == [(3, 0.0, 3)] * 2
    compared = json_of(callscore, "compare", "latest~1", "latest")
    assert (compared["before"]["f1"], compared["after"]["f1"]) == (0.0, 0.0)
    table = callscore("compare", "latest~1", "latest").stdout
    assert "F1" in table


BORDERLINE = """
import callscore

def a(output):
    return 0.74996

def b(output):
    return 1 - 1e-11

@callscore.evaluation(cases=[{"id": "x", "input": "x", "expected": []}], scorers=[a], pass_mark=0.75)
def close(case):
    return []

@callscore.evaluation(cases=[{"id": "x", "input": "x", "expected": []}], scorers=[b])
def closer(case):
    return []
"""


def test_a_value_below_the_pass_mark_is_shown_below_it(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "eval_a.py").write_text(BORDERLINE)

    ran = callscore("run", "--fail-under", "0")
    reports = [
        *[callscore("show", *options).stdout for options in ((), ("--format", "markdown"))],
        *[callscore("show", "latest", f"{name}::x").stdout for name in ("close", "closer")],
        callscore("show", "--format", "junit").stdout,
        callscore("run", "--format", "markdown").stdout,
    ]

    assert "✗ x      0.749" in ran.stdout
    assert "✗ x      0.999" in ran.stdout
    for report in (ran.stdout, *reports):
        assert "0.749" in report or "0.999" in report
        assert "1.000" not in report.replace("≥ 1.000", "")
        assert not re.search(r"✗ x +0\.750|0\.750 a\b|`a` 0\.750", report)
