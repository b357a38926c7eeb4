"""Cases that all score alike: a mean of equal scores is rounded, and its interval must not depend on that."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

import callscore
from callscore.cli.program import cli

# Scores of one expected call in two to nine, and of all but one: 0.4 and 0.8 have no exact float.
SCORES = [(made, wanted) for wanted in range(2, 10) for made in {1, wanted - 1, wanted}]


def case(number: int, made: int, wanted: int, trial: int = 0) -> dict[str, Any]:
    expected = [{"name": f"tool_{place}", "arguments": {}} for place in range(wanted)]
    return {"id": f"c{number}", "trial": trial, "expected": expected, "actual": expected[:made]}


def run(*words: str) -> str:
    result = CliRunner().invoke(cli, words)
    assert result.exception is None or isinstance(result.exception, SystemExit), words
    return result.output


def write(path: str, records: list[dict[str, Any]]) -> None:
    Path(path).write_bytes(msgspec.json.Encoder().encode_lines(records))


@pytest.fixture(autouse=True)
def _is_in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_interval_is_that_of_wilson_however_often_each_case_was_tried() -> None:
    for (made, wanted), trials in product(SCORES, (1, 3, 5, 6, 7)):
        tried = [
            (number, trial) for number in range(12) for trial in range(1 + number % 2 * trials)
        ]
        records = [case(number, made, wanted, trial) for number, trial in tried]

        summary = callscore.score_cases(records).summary

        assert summary.macro_f1 is not None
        about = callscore.wilson(summary.macro_f1 * 12, 12)
        assert summary.macro_f1_interval == pytest.approx(about), (made, wanted, trials)


@pytest.mark.parametrize(
    ("made", "wanted", "estimate"),
    [
        (1, 4, "40.0% (95% interval 19.6% – 64.1%)"),
        (2, 3, "80.0% (95% interval 55.1% – 93.6%)"),
        (1, 2, "66.7% (95% interval 42.0% – 85.2%)"),
        (1, 1, "100.0% (95% interval 79.3% – 100.0%)"),
    ],
)
def test_an_estimate_from_a_sample_is_as_uncertain_whatever_the_score_is(
    made: int, wanted: int, estimate: str
) -> None:
    tried = [(number, trial) for number in range(24) for trial in range(1 + number % 2 * 2)]
    records = [case(number, made, wanted, trial) for number, trial in tried]

    for seed in range(3):
        Random(seed).shuffle(records)
        write("log.jsonl", records)
        printed = run("score", "log.jsonl", "--sample", "12", "--seed", "1")

        assert f"macro F1 {estimate}, from a sample of 12 cases" in " ".join(printed.split())


def test_totals_of_runs_without_any_variance_have_intervals_that_agree_with_the_verdict() -> None:
    for name, made in (("low", 1), ("high", 2)):
        write(f"{name}.jsonl", [case(number, made, 4) for number in range(24)])
        run("score", f"{name}.jsonl", "--results", f"{name}.parquet", "--save", name)

    better = run("compare", "low", "high", "--measure", "f1")
    worse = run("compare", "high", "low", "--measure", "f1")

    assert better.startswith("Improved   F1 40.0% → 66.7%")
    assert "95% interval 0.0 to +49.5, p < 0.001" in better
    assert worse.startswith("Regressed   F1 66.7% → 40.0%")
    assert "95% interval −49.5 to 0.0, p < 0.001" in worse
