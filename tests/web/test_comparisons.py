"""Runs compared on the page: two as their report shows them, three and more as a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.engines.saved_totals import save_cases, write_cases

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.conftest import Browser, Runs

SECRET = "wq8Zt2LkPx91Vb"  # noqa: S105  (it is for these tests only)


def test_two_runs_are_compared_case_by_case(browser: Browser, runs: Runs) -> None:
    first, second = runs("oslo"), runs("rome")

    page = browser.get("/api/compare", runs=f"{first},{second}")
    cases = [
        browser.get("/api/compare/case", runs=f"{first},{second}", position=position)
        for position in range(3)
    ]

    assert [run["id"] for run in page["runs"]] == [first, second]
    assert (page["document"]["kind"], page["document"]["title"]) == (
        "compare",
        f"{first} → {second}",
    )
    counts = page["document"]["comparison"]["counts"]
    assert (counts["broken"], counts["fixed"], counts["same"]) == (1, 1, 1)
    assert page["index"]["id"] == ["rome", "oslo", "paris"]
    assert (page["index"]["before"][0], page["index"]["after"][0]) == ([1, 1], [0, 1])
    assert (page["evaluation_of"], page["evaluations"][0]["label"]) == ([0, 0, 0], "weather")
    assert [case["parts_at"] for case in cases] == [0, 0, None]
    assert [len(case["before"]) for case in cases] == [1, 1, 1]
    assert cases[0]["after"][0]["status"] == "failed"


def test_a_case_that_only_one_run_has_is_listed(browser: Browser, runs: Runs) -> None:
    whole, partial = runs(), runs(keyword="oslo")

    page = browser.get("/api/compare", runs=f"{whole},{partial}")
    missing = browser.get("/api/compare/case", runs=f"{whole},{partial}", position=2)

    assert page["document"]["comparison"]["counts"]["only_before"] == 2
    assert page["index"]["after"] == [[1, 1], None, None]
    assert (len(missing["before"]), missing["after"]) == (1, [])


def test_runs_have_the_names_that_the_user_gave_them(
    browser: Browser, runs: Runs, project: Path
) -> None:
    first, second = runs(), runs()
    with open_store(project / ".callscore/history.db") as store:
        store.set_baseline("main", first)

    page = browser.get("/api/compare", runs="main,latest")

    assert [run["id"] for run in page["runs"]] == [first, second]


def test_a_comparison_is_in_the_language_of_the_reader(browser: Browser, runs: Runs) -> None:
    first, second = runs(), runs()
    names = f"{first},{second}"

    english = browser.get("/api/compare", runs=names)["document"]
    russian = browser.get("/api/compare", runs=names, lang="ru")["document"]

    assert (english["lang"], russian["lang"]) == ("en", "ru")
    assert english["verdict"]["text"] != russian["verdict"]["text"]


@pytest.mark.parametrize("names", ["", "latest", ",", "latest," * 11])
def test_two_to_ten_runs_can_be_compared(browser: Browser, runs: Runs, names: str) -> None:
    runs()

    assert "two to 10 runs" in browser.get("/api/compare", 400, runs=names)["error"]


def test_an_unknown_run_or_position_is_a_sentence(browser: Browser, runs: Runs) -> None:
    runs()

    for position in (3, 99):
        found = browser.get("/api/compare/case", 404, runs="latest,latest", position=position)
        assert f"no case at position {position}" in found["error"]
    assert browser.get("/api/compare", 404, runs="latest,nothing")["error"]
    assert browser.get("/api/compare/case", 400, runs="latest,latest", position="x")["error"]


def test_three_runs_are_a_matrix(browser: Browser, runs: Runs) -> None:
    made = [runs("oslo"), runs(trials=2), runs(keyword="rome")]

    page = browser.get("/api/compare", runs=",".join(made))

    assert [run["id"] for run in page["runs"]] == made
    assert [each["label"] for each in page["evaluations"]] == ["weather"]
    assert {case["id"]: case["outcomes"] for case in page["cases"]} == {
        "oslo": [[0, 1], [2, 2], None],
        "rome": [[1, 1], [2, 2], [1, 1]],
        "paris": [[1, 1], [2, 2], None],
    }
    assert {case["evaluation"] for case in page["cases"]} == {0}


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
