"""The interval of a sample holds the mean of the log as often as it should."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"
TABLE = (FOLDER / "sample_coverage.md").read_text(encoding="utf-8")
SIMULATION: dict[str, Any] = run_path(str(FOLDER / "sample_coverage.py"))
ROWS = [line for line in TABLE.splitlines() if line.endswith(("| yes |", "| NO |"))]


@cache
def _logs() -> list[Any]:
    return list(SIMULATION["logs"]())


def test_every_simulated_log_meets_its_bar() -> None:
    assert "2,000 samples per row" in TABLE
    assert len(ROWS) > 50
    assert [row for row in ROWS if row.endswith("| NO |")] == []


@pytest.mark.slow
def test_the_table_is_about_the_logs_of_the_simulation() -> None:
    simulated = [(log.kind, f"{log.sampled:,}", f"{100 * log.truth:.2f}") for log in _logs()]

    cells = [[cell.strip() for cell in row.split("|")] for row in ROWS]
    assert [(row[1], row[4], row[5]) for row in cells] == simulated


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [
        "F1, one stratum",
        "99 % pass",
        "F1, rare strata, 1 to 5 trials",
        "99 % pass, rare strata",
        "the largest stratum fails in 1 %, the others in 30 %, 1 to 5 trials",
        "300 strata, one sampled case each",
        "trials rise with the score",
    ],
)
def test_the_interval_still_holds_the_mean(kind: str) -> None:
    log = next(log for log in _logs() if log.kind == kind)

    row = SIMULATION["simulate"](log._replace(sampled=min(log.sampled, 300)), 200)

    assert row.covered >= 0.9
    assert abs(row.bias) < row.width / 4


def test_the_sample_is_divided_as_the_command_does() -> None:
    allocation = SIMULATION["allocation"]

    assert allocation([500, 300, 7, 1], 100) == [46, 46, 7, 1]
    assert allocation([5, 5, 5], 2) == [1, 1, 0]
    assert allocation([3, 2], 10) == [3, 2]
