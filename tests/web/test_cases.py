"""A case over all runs, and the notes on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from tests.web.conftest import Browser, Runs

SECRET = "wq8Zt2LkPx91Vb"  # noqa: S105  (it is for these tests only)


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


def test_a_note_can_be_deleted(browser: Browser, runs: Runs) -> None:
    runs()
    about = {"evaluation": browser.key(), "case": "rome"}
    browser.post("/api/notes", **about, text="one")
    notes = browser.post("/api/notes", **about, text="two")["notes"]

    left = browser.post("/api/notes/delete", **about, id=notes[0]["id"])

    assert left == {"notes": notes[1:]}
    assert browser.post("/api/notes/delete", **about, id="unknown") == left


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
