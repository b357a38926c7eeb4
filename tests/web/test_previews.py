"""A run scored again with other settings: what changes is shown before anything is saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.engines.saved_totals import save_cases, write_cases

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.conftest import Browser, Runs

    from callscore.web.app import Page

pytestmark = pytest.mark.process
IGNORED = {"get_weather.unit": "ignore"}
SECRET = "wq8Zt2LkPx91Vb"  # noqa: S105  (it is for these tests only)


def saved(folder: Path) -> list[tuple[str, str]]:
    with open_store(folder / ".callscore/history.db") as store:
        return [(run.id, run.command) for run in store.runs()]


def test_a_preview_that_is_kept_is_a_run(browser: Browser, runs: Runs, project: Path) -> None:
    run = runs("rome")
    preview = browser.post(f"/api/runs/{run}/rescore", settings={"arguments": IGNORED})

    kept = browser.post(f"/api/previews/{preview['preview']}/keep")["run"]
    again = browser.post(f"/api/previews/{preview['preview']}/keep")["run"]

    assert again == kept
    assert sorted(saved(project)) == sorted([(run, "run"), (kept, "rescore")])
    page = browser.get(f"/api/runs/{kept}")
    assert (page["run"]["parent"], page["run"]["status"]) == (run, "finished")
    assert (page["document"]["counts"]["passed"], page["document"]["counts"]["trials"]) == (3, 3)
    with open_store(project / ".callscore/history.db") as store:
        [evaluation] = store.evaluations(kept)
        arguments = store.find(kept).arguments
    assert evaluation.settings["arguments"] == [
        {"pattern": "get_weather.unit", "rule": "ignore", "options": {}}
    ]
    assert arguments["run"] == run


def test_old_previews_are_forgotten_with_their_files(
    browser: Browser,
    runs: Runs,
    page: Page,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path_factory.mktemp("previews")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    run = runs()
    made = [
        browser.post(f"/api/runs/{run}/rescore", settings={"pass_mark": mark})["preview"]
        for mark in (0.5, 0.6, 0.7, 0.8)
    ]

    assert browser.get(f"/api/previews/{made[0]}/case", 404)["error"]
    assert browser.get(f"/api/previews/{made[1]}/case", position=0)
    assert len(list(folder.iterdir())) == 3
    page.close()
    assert list(folder.iterdir()) == []


def test_code_of_the_project_that_ends_its_process_does_not_end_the_server(
    browser: Browser, runs: Runs, project: Path
) -> None:
    text = (project / "eval_weather.py").read_text()
    scorer = 'def polite(case, output):\n    return 1.0\n\n\n@callscore.evaluation(\n    scorers=["accuracy", polite],\n'
    with_scorer = text.replace("@callscore.evaluation(\n", scorer)
    (project / "eval_weather.py").write_text(with_scorer)
    run = runs()
    (project / "eval_weather.py").write_text(f"import os\nprint('bye')\nos._exit(7)\n{with_scorer}")

    answer = browser.post(f"/api/runs/{run}/rescore", 500, settings={"order": "exact"})

    assert "ended with exit code 7" in answer["error"]
    assert browser.get("/api/home")["runs"]


def test_a_scorer_that_was_edited_is_imported_anew(
    browser: Browser, runs: Runs, project: Path
) -> None:
    text = (project / "eval_weather.py").read_text()
    scorer = "def polite(case, output):\n    print('hello')\n    return 1.0\n\n\n@callscore.evaluation(\n    scorers=[\"accuracy\", polite],\n"
    with_scorer = text.replace("@callscore.evaluation(\n", scorer)
    (project / "eval_weather.py").write_text(with_scorer)
    run = runs()
    (project / "eval_weather.py").write_text(with_scorer.replace("return 1.0", "return 0.0"))

    preview = browser.post(f"/api/runs/{run}/rescore", settings={})

    assert preview["document"]["comparison"]["counts"]["broken"] == 3


def test_secrets_are_hidden_in_a_preview(
    browser: Browser, runs: Runs, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", SECRET)
    text = (project / "eval_weather.py").read_text()
    (project / "eval_weather.py").write_text(
        text.replace('"unit": unit', f'"unit": unit, "key": "{SECRET}"')
    )
    run = runs()

    preview = browser.post(f"/api/runs/{run}/rescore", settings={"order": "exact"})
    case = browser.get(f"/api/previews/{preview['preview']}/case", position=0)
    kept = browser.post(f"/api/previews/{preview['preview']}/keep")["run"]
    shown = browser.get(f"/api/runs/{kept}/case", case="oslo")

    assert SECRET not in f"{case} {shown}"
    assert "[hidden SERVICE_TOKEN]" in str(shown)


def test_a_run_without_every_case_is_not_scored_again(browser: Browser, project: Path) -> None:
    write_cases(project / "log.jsonl", 20, range(5))
    run = save_cases("log.jsonl", "mine").run
    assert run is not None

    refused = browser.post(f"/api/runs/{run.id}/rescore", 409, settings={"arguments": IGNORED})

    assert "--save-cases all" in str(refused)
