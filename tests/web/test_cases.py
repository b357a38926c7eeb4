"""A case over all runs, and the notes on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.history.notes import MAX_NOTE_LENGTH

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.conftest import Browser, Runs

SECRET = "wq8Zt2LkPx91Vb"  # noqa: S105  (it is for these tests only)


def test_a_case_is_shown_in_each_run_that_has_it(browser: Browser, runs: Runs) -> None:
    first = runs("rome")
    runs(keyword="oslo")
    third = runs(trials=2)

    found = browser.get("/api/cases", evaluation=browser.key(), case="rome")

    assert [each["run"]["id"] for each in found["runs"]] == [third, first]
    assert [(each["passed"], each["trials"]) for each in found["runs"]] == [(2, 2), (0, 1)]
    assert [each["score"] for each in found["runs"]] == [1.0, 0.0]
    assert [len(each["views"]) for each in found["runs"]] == [2, 1]
    assert [each["is_expectation_changed"] for each in found["runs"]] == [False, False]
    assert (found["case"], found["evaluation"]["label"], found["next"]) == ("rome", "weather", None)


def test_a_changed_expectation_is_told(browser: Browser, runs: Runs, project: Path) -> None:
    runs()
    text = (project / "eval_weather.py").read_text()
    changed = text.replace('"Rome", "unit": "C"', '"Rome", "unit": "F"')
    (project / "eval_weather.py").write_text(changed)
    runs("rome")
    runs("rome")

    def told(case: str) -> list[bool]:
        found = browser.get("/api/cases", evaluation=browser.key(), case=case)
        return [each["is_expectation_changed"] for each in found["runs"]]

    assert told("rome") == [False, True, False]
    assert told("oslo") == [False, False, False]


def test_runs_of_a_case_are_listed_in_pages(browser: Browser, runs: Runs) -> None:
    made = [runs() for _ in range(5)][::-1]
    query: dict[str, Any] = {"evaluation": browser.key(), "case": "oslo", "limit": 2}

    first = browser.get("/api/cases", **query)
    second = browser.get("/api/cases", **query, before=first["next"])
    third = browser.get("/api/cases", **query, before=second["next"])

    pages = [[each["run"]["id"] for each in page["runs"]] for page in (first, second, third)]
    assert pages == [made[:2], made[2:4], made[4:]]
    assert third["next"] is None
    assert browser.get("/api/cases", **query, before="20000101-000000-bbbb")["runs"] == []


def test_an_unknown_case_or_evaluation_is_a_sentence(browser: Browser, runs: Runs) -> None:
    runs()
    key = browser.key()

    assert browser.get("/api/cases", 404, evaluation=key, case="nobody") == {
        "error": "no run has the case 'nobody'"
    }
    assert browser.get("/api/cases", 404, evaluation="0" * 16, case="oslo")["error"]
    assert browser.get("/api/cases", 400, evaluation=key)["error"]


def test_a_note_is_on_the_case_in_every_run(browser: Browser, runs: Runs) -> None:
    first = runs()
    key = browser.key()

    added = browser.post("/api/notes", evaluation=key, case="rome", text=" Ask <b>Anna</b>. ")
    second = runs()

    [note] = added["notes"]
    assert note["text"] == "Ask <b>Anna</b>."
    for run in (first, second):
        assert browser.get(f"/api/runs/{run}/case", case="rome")["notes"] == [note]
        assert browser.get(f"/api/runs/{run}/case", case="oslo")["notes"] == []
    assert browser.get("/api/cases", evaluation=key, case="rome")["notes"] == [note]


def test_a_note_can_be_deleted(browser: Browser, runs: Runs) -> None:
    runs()
    about = {"evaluation": browser.key(), "case": "rome"}
    browser.post("/api/notes", **about, text="one")
    notes = browser.post("/api/notes", **about, text="two")["notes"]

    left = browser.post("/api/notes/delete", **about, id=notes[0]["id"])

    assert left == {"notes": notes[1:]}
    assert browser.post("/api/notes/delete", **about, id="unknown") == left


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"text": ""}, 422),
        ({"text": " "}, 422),
        ({"text": "x" * (MAX_NOTE_LENGTH + 1)}, 400),
        ({"text": 1}, 400),
        ({"text": None}, 400),
        ({}, 400),
        ({"case": ["rome"], "text": "x"}, 400),
        ({"evaluation": "unknown", "text": "x"}, 404),
    ],
)
def test_a_note_that_cannot_be_saved_is_refused(
    browser: Browser, runs: Runs, body: dict[str, object], status: int
) -> None:
    runs()

    answer = browser.post(
        "/api/notes", status, **{"evaluation": browser.key(), "case": "rome", **body}
    )

    assert answer["error"]


def test_a_secret_in_a_note_is_neither_saved_nor_sent(
    browser: Browser, runs: Runs, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs()
    monkeypatch.setenv("SERVICE_TOKEN", SECRET)

    answer = browser.post(
        "/api/notes", evaluation=browser.key(), case="rome", text=f"It sent {SECRET}."
    )

    files = b"".join(file.read_bytes() for file in (project / ".callscore").glob("history.db*"))
    assert answer["notes"][0]["text"].startswith("It sent [hidden ")
    assert SECRET.encode() not in files
