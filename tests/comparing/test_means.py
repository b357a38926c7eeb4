"""The means of a comparison: those that other reports have of the same cases, to the last bit."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import callscore

if TYPE_CHECKING:
    from pathlib import Path


def made_up(random: Random, number: int, trial: int) -> dict[str, Any]:
    expected, right, extra = random.randint(1, 6), random.randint(0, 6), random.randint(0, 4)
    wanted = [f"f{position}" for position in range(expected)]
    return {
        "id": f"case-{number}",
        "trial": trial,
        "expected": wanted,
        "actual": wanted[:right] + ["other"] * extra,
    }


@pytest.mark.parametrize("trials", [1, 2, 3])
def test_a_comparison_has_the_mean_of_the_report_to_the_last_bit(
    trials: int, tmp_path: Path
) -> None:
    random = Random(trials)
    path = tmp_path / "cases.json"
    for cases in range(2, 40):
        found = [
            made_up(random, number, trial) for number in range(cases) for trial in range(trials)
        ]
        path.write_bytes(msgspec.json.encode(found))

        mean = callscore.score_files(path).summary.macro_f1
        compared = callscore.compare(path, path, measure="f1").to_dict()

        assert compared["main"]["before"] == compared["before"]["f1"] == mean


def test_a_run_has_one_mean_in_its_report_and_in_a_comparison(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(5)
    cases = [made_up(random, number, 0) for number in range(30)]
    answers = {case["id"]: case.pop("actual") for case in cases}

    @callscore.evaluation(name="e", cases=[{**case, "trial": None} for case in cases])
    def agent(case: callscore.Case) -> Any:
        return answers[case.id]

    monkeypatch.chdir(tmp_path)
    run = callscore.evaluate(agent, save=True)

    mean = run.evaluations[0].results.summary.macro_f1
    compared = callscore.compare(run.id, run.id, measure="accuracy").to_dict()
    assert run.evaluations[0].scorers[0].mean == mean
    assert compared["main"]["before"] == compared["before"]["f1"] == mean
