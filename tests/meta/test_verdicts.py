"""What the docs say about verdicts is what the simulation found, and it meets its bars."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = (ROOT / "benchmarks" / "verdicts.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "explanation" / "comparing-runs.md").read_text(encoding="utf-8")
KINDS = ("| one trial", "| F1,", "| a judge", "| 3 trials", "| 10 trials")


def rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(KINDS)]


def test_the_page_says_what_was_simulated() -> None:
    simulated = {row.rsplit("|", 2)[0] for row in rows(TABLE)}

    assert len(rows(PAGE)) > 10
    assert {row.rstrip("| ") for row in rows(PAGE)} <= {row.rstrip("| ") for row in simulated}


def test_every_simulated_verdict_meets_its_bars() -> None:
    assert "2,000 made-up pairs" in TABLE
    assert len(rows(TABLE)) > 60
    assert [row for row in rows(TABLE) if row.endswith("| NO |")] == []
