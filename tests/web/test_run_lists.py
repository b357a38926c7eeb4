"""Lists of runs and evaluations, as the page shows them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import PORT, TOKEN, Browser

from callscore.history.opening import open_store
from callscore.web.app import Page
from callscore.web.run_lists import evaluation_key

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.conftest import Runs

SECRET = "wq8Zt2LkPx91Vb"  # noqa: S105  (it is for these tests only)


def test_without_a_history_the_page_is_empty(browser: Browser) -> None:
    assert browser.get("/api/home") == {
        "running": [],
        "evaluations": [],
        "runs": [],
        "next": None,
        "problem": None,
    }
    assert browser.get("/api/runs") == {"runs": [], "next": None, "problem": None}
    assert browser.get("/api/search", q="oslo") == {
        "runs": [],
        "evaluations": [],
        "cases": [],
        "has_more": False,
    }
    assert browser.get("/api/runs/latest", 404)["error"].startswith("no runs yet: ")


def test_a_history_that_is_made_later_is_found(browser: Browser, runs: Runs) -> None:
    browser.get("/api/home")

    run = runs()

    assert [each["id"] for each in browser.get("/api/home")["runs"]] == [run]


def test_a_history_that_is_replaced_is_opened_anew(
    browser: Browser, runs: Runs, project: Path
) -> None:
    runs()
    browser.get("/api/home")
    for file in (project / ".callscore").glob("history.db*"):
        file.unlink()

    run = runs()

    assert [each["id"] for each in browser.get("/api/home")["runs"]] == [run]


def test_the_home_page_has_runs_with_arrows_and_trends(browser: Browser, runs: Runs) -> None:
    first, second = runs(), runs("rome")

    home = browser.get("/api/home")

    assert [run["id"] for run in home["runs"]] == [second, first]
    [newest] = home["runs"][0]["evaluations"]
    assert (newest["label"], newest["place"]) == ("weather", "eval_weather.py")
    assert (newest["cases"], newest["passed"], newest["errors"]) == (3, 2, 0)
    assert (newest["direction"], newest["has_other_cases"]) == ("down", False)
    assert newest["change"] == pytest.approx(-1 / 3)
    assert newest["share"] == pytest.approx(2 / 3)
    assert newest["interval"][0] < newest["share"] < newest["interval"][1]
    [evaluation] = home["evaluations"]
    assert [point["run"] for point in evaluation["trend"]] == [first, second]
    assert [point["is_this"] for point in evaluation["trend"]] == [False, True]
    assert (evaluation["latest_run"], evaluation["latest"]) == (second, newest)
    assert (home["next"], home["problem"], home["running"]) == (None, None, [])


def test_a_partial_run_is_no_part_of_a_trend(browser: Browser, runs: Runs) -> None:
    first = runs()
    partial = runs(limit=1)
    selected = runs(keyword="oslo")

    home = browser.get("/api/home")

    shown = {run["id"]: run for run in home["runs"]}
    assert shown[selected]["is_partial"]
    assert shown[first]["evaluations"][0]["change"] is None
    assert [point["run"] for point in home["evaluations"][0]["trend"]] == [first, partial]
    assert home["evaluations"][0]["latest_run"] == partial


def test_runs_are_listed_in_pages(browser: Browser, runs: Runs) -> None:
    made = [runs() for _ in range(5)][::-1]

    first = browser.get("/api/runs", limit=2)
    second = browser.get("/api/runs", limit=2, before=first["next"])
    third = browser.get("/api/runs", limit=2, before=second["next"])

    pages = [[run["id"] for run in page["runs"]] for page in (first, second, third)]
    assert pages == [made[:2], made[2:4], made[4:]]
    assert third["next"] is None
    assert first["runs"][-1]["evaluations"][0]["direction"] == "same"
    assert browser.get("/api/runs", before="20000101-000000-bbbb")["runs"] == []


@pytest.mark.parametrize("limit", ["0", "201", "-1", "x", "1.5", "9" * 5000, "²"])
def test_a_limit_is_a_number_in_a_range(browser: Browser, limit: str) -> None:
    assert browser.get("/api/runs", 400, limit=limit)["error"]


def test_runs_are_found_by_what_a_list_shows(browser: Browser, runs: Runs, project: Path) -> None:
    first, second = runs(), runs()
    with open_store(project / ".callscore/history.db") as store:
        store.set_baseline("main", first)

    def found(words: str) -> list[str]:
        return [run["id"] for run in browser.get("/api/runs", search=words)["runs"]]

    assert found("MAIN") == [first]
    assert found("eval_weather WEATHER") == [second, first]
    assert found("weather nothing") == []
    assert found(second[-4:]) == [second]
    [run] = browser.get("/api/runs", search="main")["runs"]
    assert run["baselines"] == ["main"]


def test_an_evaluation_is_shown_over_time(browser: Browser, runs: Runs) -> None:
    first, second = runs("oslo", "rome"), runs("rome")
    partial = runs(keyword="oslo")

    found = browser.get(f"/api/evaluations/{browser.key()}")

    assert (found["label"], found["name"], found["variant"]) == ("weather", "weather", None)
    assert [point["run"] for point in found["points"]] == [first, second, partial]
    assert [point["counts"] for point in found["points"]] == [True, True, False]
    assert [point["is_this"] for point in found["points"]] == [False, True, False]
    assert [point["direction"] for point in found["points"]] == [None, "up", None]
    assert found["not_shown"] == 0


def test_an_unknown_evaluation_is_a_sentence(browser: Browser, runs: Runs) -> None:
    runs()

    assert browser.get("/api/evaluations/0123456789abcdef", 404)["error"].startswith(
        "no run has this evaluation"
    )


def test_the_key_of_an_evaluation_tells_them_apart() -> None:
    keys = {
        evaluation_key("a", None, "x.py::a"),
        evaluation_key("a", "b", "x.py::a"),
        evaluation_key("a", None, "y.py::a"),
        evaluation_key("b", None, "x.py::a"),
    }

    assert len(keys) == 4
    assert all(len(key) == 16 for key in keys)


def test_the_search_finds_runs_evaluations_and_cases(browser: Browser, runs: Runs) -> None:
    runs()
    newest = runs()

    cases = browser.get("/api/search", q="ROM")["cases"]
    both = browser.get("/api/search", q="weather")

    assert [(case["id"], case["run"], case["evaluation"]["label"]) for case in cases] == [
        ("rome", newest, "weather")
    ]
    assert [each["label"] for each in both["evaluations"]] == ["weather"]
    assert (len(both["runs"]), both["cases"], both["has_more"]) == (2, [], False)
    assert browser.get("/api/search", q="  ")["runs"] == []
    assert browser.get("/api/search")["runs"] == []


def test_a_search_is_bounded(browser: Browser, runs: Runs) -> None:
    runs()

    assert browser.get("/api/search", 400, q="x" * 8_001)["error"]
    assert browser.get("/api/search", q="x" * 8_000)["has_more"] is False


def test_damage_of_one_run_is_told_beside_the_others(
    browser: Browser, runs: Runs, project: Path
) -> None:
    bad, good = runs(), runs()
    with open_store(project / ".callscore/history.db") as store, store.writing() as connection:
        connection.execute("UPDATE runs SET name = 'x' WHERE id = :id", {"id": bad})  # type: ignore[call-overload]

    home = browser.get("/api/home")

    assert [run["id"] for run in home["runs"]] == [good]
    assert "damaged" in home["problem"]


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
