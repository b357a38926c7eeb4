"""What the docs say about verdicts is what the simulation found, and it meets its bars."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = (ROOT / "benchmarks" / "verdicts.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "explanation" / "comparing-runs.md").read_text(encoding="utf-8")
KINDS = ("| one trial", "| F1,", "| a judge", "| 3 trials", "| 10 trials", "| 1 and", "| 3 and")
SIMULATION: dict[str, Any] = run_path(str(ROOT / "benchmarks" / "verdicts.py"))


def rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(KINDS)]


def test_the_page_says_what_was_simulated() -> None:
    simulated = {row.rsplit("|", 2)[0] for row in rows(TABLE)}

    assert len(rows(PAGE)) > 10
    assert {row.rstrip("| ") for row in rows(PAGE)} <= {row.rstrip("| ") for row in simulated}


def test_every_simulated_verdict_meets_its_bars() -> None:
    assert "2,000 simulated pairs" in TABLE
    assert len(rows(TABLE)) > 60
    assert [row for row in rows(TABLE) if row.endswith("| NO |")] == []


def test_where_an_interval_covers_more_than_it_should_the_page_says_so() -> None:
    over = [row for row in rows(TABLE) if row.endswith("| over |")]

    # Only where hardly a case flips, and the exact test decides.
    assert all("one trial, " in row or "99 % pass" in row for row in over)
    assert {row.rsplit("|", 2)[0].rstrip("| ") for row in over if "one trial" in row} <= {
        row.rstrip("| ") for row in rows(PAGE)
    }
    assert "it covers in more than 98 %" in TABLE


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("flips", {"cases": 40, "flipping": 0.3}),
        ("repeated", {"cases": 30, "trials": 3}),
        ("uneven", {"cases": 30, "before": 3, "after": 20}),
    ],
)
def test_runs_that_differ_by_chance_are_seldom_called_regressed_or_improved(
    kind: str, given: dict[str, float]
) -> None:
    row = SIMULATION["simulate"](SIMULATION[kind](**given), 500)

    assert row.verdicts.get("regressed", 0.0) <= 0.05
    assert row.verdicts.get("improved", 0.0) <= 0.05
    assert row.covered >= 0.92


def test_a_drop_of_ten_points_is_still_found() -> None:
    row = SIMULATION["simulate"](SIMULATION["flips"](200, 0.2, -0.1), 200)

    assert row.verdicts["regressed"] >= 0.8
    assert row.covered >= 0.92
