"""What is saved is shown as it was saved: nothing is scored again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from callscore.cli.program import cli
from callscore.core import scoring

if TYPE_CHECKING:
    from tests.web.conftest import Browser, Runs


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The cases that are scored from now on."""
    found: list[Any] = []
    score = scoring._score

    def take(*given: Any) -> Any:
        found.append(given)
        return score(*given)

    monkeypatch.setattr(scoring, "_score", take)
    return found


def call(*words: str) -> str:
    result = CliRunner().invoke(cli, words)
    assert result.exit_code in (0, 1), result.output
    return result.output


def test_a_run_is_scored_once_whatever_is_written_of_it(
    project: Path, monkeypatch: pytest.MonkeyPatch, scored: list[Any]
) -> None:
    monkeypatch.setenv("WRONG", "oslo")

    for name in ("x.html", "x.json", "x.md", "x.xml"):
        scored.clear()
        call("run", str(project), "--show", "all", "-o", name)

        assert len(scored) == 3
        assert "oslo" in Path(name).read_text() or name == "x.html"


def test_a_saved_run_is_shown_compared_and_exported_without_scoring_it(
    runs: Runs, browser: Browser, scored: list[Any]
) -> None:
    before, after = runs("oslo", jobs=1), runs("rome", jobs=1)
    scored.clear()

    for name in ("x.html", "x.json", "x.md", "x.xml"):
        call("show", before, "--show", "all", "-o", name)
    call("compare", before, after, "-o", "compared.html")
    for suffix in ("jsonl", "csv"):
        call("export", before, "-o", f"x.{suffix}")
    shown = call("show", before, "oslo")
    browser.get(f"/api/runs/{before}")
    [case] = browser.get("/api/cases", evaluation=browser.key(), case="oslo", limit=1)["runs"]
    browser.get("/api/runs/" + before + "/case", evaluation=0, case="oslo")
    browser.get("/api/compare", runs=f"{before},{after}")

    assert "~ get_weather" in shown
    assert case["views"]
    assert scored == []
