"""Runs compared on the page: two as their report shows them, three and more as a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.engines.saved_totals import save_cases, write_cases

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from tests.web.conftest import Browser, Runs

SECRET = "wq8Zt2LkPx91Vb"  # noqa: S105  (it is for these tests only)


def test_secrets_are_hidden_in_a_comparison(
    browser: Browser, runs: Runs, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (project / "eval_weather.py").read_text()
    (project / "eval_weather.py").write_text(text.replace("Rome?", f"Rome{SECRET}?"))
    made = [runs(), runs("rome"), runs()]
    monkeypatch.setenv("SERVICE_TOKEN", SECRET)
    two = ",".join(made[:2])

    answers = [
        browser.client.get(path).text
        for path in (
            f"/api/compare?runs={two}",
            f"/api/compare/case?runs={two}&position=0",
            f"/api/compare?runs={','.join(made)}",
        )
    ]

    assert SECRET not in "".join(answers)
    assert "Rome[hidden " in answers[1]


def test_runs_without_every_case_are_not_compared_case_by_case(
    browser: Browser, project: Path
) -> None:
    write_cases(project / "log.jsonl", 20, range(5))
    names = [save_cases("log.jsonl", f"run{number}") for number in range(3)]
    runs = [saver.run.id for saver in names if saver.run is not None]

    two = browser.get("/api/compare", 409, runs=",".join(runs[:2]))
    three = browser.get("/api/compare", 409, runs=",".join(runs))

    assert f"callscore compare {runs[0]} {runs[1]}" in str(two)
    assert "--save-cases all" in str(three)
