"""A run on the page: the same parts as in its report, and one case at a time."""

from __future__ import annotations

import re
import zlib
from base64 import b64decode
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.engines.saved_totals import save_cases, write_cases

from callscore.history.opening import open_store
from callscore.runner.run_report import write_stored_run
from callscore.runner.stored_runs import ShowOptions

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.conftest import Browser, Runs

    from callscore.core.phrases import Language

SECRET = "wq8Zt2LkPx91Vb"  # noqa: S105  (it is for these tests only)


def written(folder: Path, run: str, lang: Language) -> tuple[Any, Any, list[Any]]:
    """The document, the index and the cases in the file of a report."""
    with open_store(folder / ".callscore/history.db") as store:
        shown = ShowOptions(show="all", max_shown=None, lang=lang)
        html = b"".join(write_stored_run(store, store.find(run), shown)).decode()
    parts = {
        found[1]: found[2]
        for found in re.finditer(
            r'<script type="[^"]*" id="([^"]+)">(.*?)</script>', html, re.DOTALL
        )
    }

    def unpacked(name: str) -> bytes:
        return zlib.decompress(b64decode(parts[name]), -15)

    cases = [msgspec.json.decode(line) for line in unpacked("chunk-0").split(b"\n")]
    return (
        msgspec.json.decode(parts["report"]),
        msgspec.json.decode(unpacked("index")),
        cases,
    )


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_a_run_is_shown_as_its_report_shows_it(
    browser: Browser, runs: Runs, project: Path, lang: Language
) -> None:
    runs()
    run = runs("rome", trials=2)

    page = browser.get(f"/api/runs/{run}", lang=lang)

    document, index, cases = written(project, run, lang)
    assert {**page["document"], "starts": []} == {**document, "starts": []}
    assert page["index"] == index
    assert page["run"]["id"] == run
    assert page["progress"] is None
    assert [each["label"] for each in page["evaluations"]] == ["weather"]
    for position, case in enumerate(cases):
        query = {"case": index["id"][position], "trial": index["trial"][position], "lang": lang}
        assert browser.get(f"/api/runs/{run}/case", **query)["view"] == case


def test_the_evaluations_of_a_run_are_told_apart(
    browser: Browser, runs: Runs, project: Path
) -> None:
    text = (project / "eval_weather.py").read_text()
    changed = text.replace("cases=[", 'variants={"big": {}, "small": {}}, cases=[')
    (project / "eval_weather.py").write_text(
        changed.replace("def weather(case)", "def weather(case, **_)")
    )
    run = runs()

    page = browser.get(f"/api/runs/{run}")
    second = browser.get(f"/api/runs/{run}/case", evaluation=1, case="oslo")

    assert [each["label"] for each in page["evaluations"]] == ["weather [big]", "weather [small]"]
    assert set(page["index"]["evaluation"]) == {0, 1}
    assert second["view"]["evaluation"] == "weather [small]"
    assert second["evaluation"] == page["evaluations"][1]


def test_a_damaged_run_is_a_sentence(browser: Browser, runs: Runs, project: Path) -> None:
    run = runs()
    with open_store(project / ".callscore/history.db") as store, store.writing() as connection:
        connection.execute("DELETE FROM results WHERE case_id = 'oslo'")

    for path in (f"/api/runs/{run}", f"/api/runs/{run}/case?case=rome"):
        assert "2 results found, 3 were saved" in browser.get(path, 500)["error"]


def test_secrets_in_answers_are_hidden_even_if_they_were_saved_before(
    browser: Browser, runs: Runs, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (project / "eval_weather.py").read_text()
    (project / "eval_weather.py").write_text(text.replace("Rome?", f"Rome{SECRET}?"))
    run = runs("rome")
    before = browser.client.get(f"/api/runs/{run}/case?case=rome").text
    monkeypatch.setenv("SERVICE_TOKEN", SECRET)

    shown = browser.client.get(f"/api/runs/{run}/case?case=rome").text
    page = browser.client.get(f"/api/runs/{run}").text

    assert SECRET in before
    assert SECRET not in shown + page
    assert '"city":"Rome[hidden ' in shown
    assert "Weather in Rome[hidden " in page


def test_numbers_of_calls_that_are_secrets_are_hidden(
    browser: Browser, runs: Runs, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (project / "eval_weather.py").read_text()
    (project / "eval_weather.py").write_text(text.replace('"city": city', '"pin": 48151623'))
    run = runs()
    monkeypatch.setenv("DOOR_PASSWORD", "48151623")

    shown = browser.client.get(f"/api/runs/{run}/case?case=rome").text

    assert "48151623" not in shown
    assert "number]" in shown


def test_a_run_without_every_case_has_the_totals_of_all(browser: Browser, project: Path) -> None:
    write_cases(project / "log.jsonl", 50, range(5))
    run = save_cases("log.jsonl", "mine").run
    assert run is not None

    page = browser.get(f"/api/runs/{run.id}")

    document = page["document"]
    assert (document["counts"]["passed"], document["counts"]["failed"]) == (45, 5)
    assert document["headline"]["value"] == 0.9
    assert document["evaluations"][0]["passed"] == 45
    assert document["not_shown"] == 45
    assert len(page["index"]["id"]) == 5
    assert "only the failing cases were saved" in document["notes"][0]["text"]
    assert page["run"]["evaluations"][0]["share"] == 0.9


def test_the_mark_says_what_the_exit_code_says_and_nothing_praises_what_failed(
    browser: Browser, runs: Runs, project: Path
) -> None:
    cases = "[Case(id=name, expected=['f']) for name in 'abcd']"
    agent = "def agent(case):\n    return ['f'] if case.id != 'a' else []\n"
    text = f"from callscore import Case, evaluation\n\n@evaluation(cases={cases})\n{agent}"
    (project / "eval_weather.py").write_text(text)

    def shown(**options: Any) -> tuple[str, str]:
        document = browser.get(f"/api/runs/{runs(**options)}")["document"]
        return document["verdict"]["status"], document["headline"]["rating"]

    # The mean is 0.75, and one case of four fails.
    assert shown() == ("bad", "")
    assert shown(fail_under=0.8) == ("bad", "")
    assert shown(fail_under=0.7) == ("good", "Good")
