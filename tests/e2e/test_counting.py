"""One run, counted alike by `run`, `show`, `history` and `compare`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

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


def test_a_run_with_an_error_has_one_accuracy(callscore: Program, tmp_path: Path) -> None:
    printed = run(callscore, tmp_path, "gamma")
    shown = callscore("show").stdout
    listed = callscore("history").stdout
    run(callscore, tmp_path, "alpha", "beta", "gamma")
    compared = callscore("compare", "latest~1", "latest", COLUMNS="140").stdout

    counts = "2 of 4 passed, 1 failed, 1 error"
    assert [counts in text for text in (printed, shown, compared)] == [True, True, True]
    assert "accuracy   0.500      2/4" in printed
    assert "accuracy   0.500      2/4" in shown
    assert re.search(r" 50\.0% +\S+ +0\.500 +4 +(\S+ +)?1 error\n$", listed)
    assert "passed 50.0% → 0.0%" in compared
    assert "\nF1         50.0%    0.0%" in compared


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


def test_cases_and_trials_are_counted_alike(callscore: Program, tmp_path: Path) -> None:
    printed = run(callscore, tmp_path, "gamma", trials=3)
    compared = callscore("compare", "latest", "latest", COLUMNS="140").stdout

    counts = "6 of 12 trials passed, 3 failed, 3 errors"
    assert [counts in text for text in (printed, compared)] == [True, True]
    assert ["4 cases, 12 trials" in text for text in (printed, compared)] == [True, True]
    header, row = callscore("history").stdout.splitlines()[-2:]
    assert (header.split()[-2:], row.split()[-4:]) == (
        ["cases", "trials"],
        ["4", "12", "3", "errors"],
    )


@pytest.mark.parametrize("command", [("compare", "latest~1", "latest"), ("show", "latest")])
def test_cases_are_listed_in_their_order(
    command: tuple[str, ...], callscore: Program, tmp_path: Path
) -> None:
    run(callscore, tmp_path)
    run(callscore, tmp_path, "alpha", "beta", "gamma")

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


def test_cases_without_a_score_are_counted(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "eval_a.py").write_text(UNUSUAL)

    ran = callscore("run", "-k", "open_ended")

    assert ran.returncode == 3
    assert "0 passed, 3 without a score\n3 cases in " in ran.stdout
    assert "3 cases" in callscore("show").stdout
    (listed,) = json_of(callscore, "history")[0]["evaluations"]
    assert (listed["cases"], listed["share"], listed["interval"]) == (3, None, None)


def test_a_rescored_run_counts_the_skipped_cases(callscore: Program, tmp_path: Path) -> None:
    skipped = UNUSUAL + 'CASES[1]["skip"] = "later"\n'
    (tmp_path / "eval_a.py").write_text(skipped)

    callscore("run", "-k", "wrong")
    report = json_of(callscore, "rescore")

    assert report["totals"]["skipped"] == 1
    assert report["evaluations"][0]["planned_trials"] == 2


def test_a_stopped_run_has_its_planned_cases(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "eval_a.py").write_text(UNUSUAL)

    ran = callscore("run", "-k", "wrong", "-x", "--jobs", "1")
    shown = callscore("show")

    assert "1 failed, stopped after the first failure: 2 not run\n3 cases in " in ran.stdout
    assert "1 failed, interrupted: 2 not run\n3 cases in " in shown.stdout
    assert "this run did not finish" in shown.stdout
    assert "1   interrupted" in callscore("history").stdout
    assert "3 cases" not in callscore("show", "-k", "a").stdout


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
