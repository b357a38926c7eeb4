"""Lists of runs and evaluations, as the page shows them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from starlette.testclient import TestClient
from tests.web.conftest import PORT, TOKEN, Browser

from callscore.web.app import Page

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from tests.web.conftest import Runs

SECRET = "wq8Zt2LkPx91Vb"  # noqa: S105  (it is for these tests only)


def test_without_a_history_the_page_is_empty(browser: Browser) -> None:
    assert browser.get("/api/home") == {
        "running": [],
        "evaluations": [],
        "runs": [],
        "next": None,
    }
    assert browser.get("/api/runs") == {"runs": [], "next": None}
    assert browser.get("/api/search", q="oslo") == {
        "runs": [],
        "evaluations": [],
        "cases": [],
        "has_more": False,
    }
    assert browser.get("/api/runs/latest", 404)["error"].startswith("no runs yet: ")


def test_a_history_that_is_replaced_is_opened_anew(
    browser: Browser, runs: Runs, project: Path
) -> None:
    runs()
    browser.get("/api/home")
    for file in (project / ".callscore").glob("history.db*"):
        file.unlink()

    run = runs()

    assert [each["id"] for each in browser.get("/api/home")["runs"]] == [run]


def test_a_history_that_cannot_be_read_is_a_sentence(browser: Browser, project: Path) -> None:
    (project / ".callscore").mkdir()
    file = project / ".callscore/history.db"
    file.write_bytes(b"not a database, certainly not" * 100)
    os.utime(file, (1, 1))

    for path in (
        "/api/home",
        "/api/runs",
        "/api/search?q=x",
        "/api/runs/latest",
        "/api/settings?run=x",
    ):
        assert "history.db" in browser.get(path, 500)["error"]
    assert browser.client.get("/").status_code == 200


def test_names_with_a_secret_are_hidden(
    browser: Browser, runs: Runs, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (project / "eval_weather.py").read_text()
    (project / "eval_weather.py").write_text(text.replace("oslo", f"oslo {SECRET}"))
    run = runs()
    monkeypatch.setenv("SERVICE_TOKEN", SECRET)

    answers = [
        browser.client.get(path).text
        for path in (f"/api/runs/{run}", "/api/search?q=oslo", "/api/home", f"/api/runs/{run}/x")
    ]

    assert not [answer for answer in answers if SECRET in answer]
    assert "oslo [hidden " in answers[0]
    assert "oslo [hidden " in answers[1]


def test_a_history_on_a_server_is_listed_as_a_file_is(
    runs: Runs, postgres_url: str, project: Path
) -> None:
    del project
    first, second = runs(save=postgres_url), runs("rome", save=postgres_url)
    page = Page(postgres_url, token=TOKEN)
    browser = Browser(TestClient(page.app(PORT), base_url=f"http://127.0.0.1:{PORT}"))
    try:
        home = browser.get("/api/home")
        run = browser.get(f"/api/runs/{second}")
        case = browser.get(f"/api/runs/{second}/case", case="rome")
        compared = browser.get("/api/compare", runs=f"{first},{second}")
        notes = browser.post("/api/notes", evaluation=browser.key(), case="rome", text="Why F?")
        seen = browser.get("/api/cases", evaluation=browser.key(), case="rome")
        html = browser.client.get("/").text
    finally:
        page.close()

    assert [each["id"] for each in home["runs"]] == [second, first]
    assert run["document"]["counts"]["passed"] == 2
    assert case["view"]["status"] == "failed"
    assert compared["document"]["comparison"]["counts"]["broken"] == 1
    assert [note["text"] for note in notes["notes"]] == ["Why F?"]
    assert seen["notes"] == notes["notes"]
    assert postgres_url not in html
