"""Accepting an answer on the page: the change of the file is shown first, and written only as shown."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Any

import pytest
from tests.engines.saved_totals import case_line, save_cases

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.conftest import Browser, Runs

    from callscore.history.records import RunRecord

pytestmark = pytest.mark.process
SECRET = "wq8Zt2LkPx91Vb"  # noqa: S105  (it is for these tests only)


@pytest.fixture
def file(project: Path) -> Path:
    return project / "eval_weather.py"


def accept(browser: Browser, run: str, status: int = 200, /, **body: Any) -> Any:
    whole = {"evaluation": 0, "case": "rome", "write": False, **body}
    return browser.post(f"/api/runs/{run}/accept", status, **whole)


def test_a_change_is_written_as_it_was_shown(browser: Browser, runs: Runs, file: Path) -> None:
    run, before = runs("rome"), file.read_text()
    shown = accept(browser, run)

    written = accept(browser, run, write=True, digest=shown["digest"])

    assert written["is_written"]
    assert written["changes"] == shown["changes"]
    assert file.read_text() == before.replace('"Rome", "unit": "C"', '"Rome", "unit": "F"')
    again = accept(browser, run)
    assert (again["changes"], again["digest"]) == ([], "")
    assert again["messages"] == ["nothing to accept: the file already expects these calls"]


def test_a_file_that_changed_since_it_was_shown_is_not_written(
    browser: Browser, runs: Runs, file: Path
) -> None:
    run = runs("rome")
    shown = accept(browser, run)
    edited = file.read_text() + "\n# edited meanwhile\n"
    file.write_text(edited)

    answer = accept(browser, run, 409, write=True, digest=shown["digest"])

    assert "has changed since it was shown" in answer["error"]
    assert file.read_text() == edited
    assert accept(browser, run)["changes"] == shown["changes"]


@pytest.mark.parametrize("digest", ["", "0" * 32, "x"])
def test_a_change_that_was_not_shown_is_not_written(
    browser: Browser, runs: Runs, file: Path, digest: str
) -> None:
    run, before = runs("rome"), file.read_text()

    answer = accept(browser, run, 409, write=True, digest=digest)

    assert answer["error"].startswith("nothing was written")
    assert file.read_text() == before


def test_trials_that_differ_need_a_choice(browser: Browser, runs: Runs, file: Path) -> None:
    text = file.read_text().replace(
        'case.id in os.environ.get("WRONG", "").split()', "next(TURNS) % 2"
    )
    file.write_text(
        text.replace("import os\n", "import os\nfrom itertools import count\n\nTURNS = count()\n")
    )
    run = runs(trials=2, jobs=1)

    refused = accept(browser, run)
    chosen = accept(browser, run, trial=2)
    right = accept(browser, run, trial=1)

    assert "trials" in refused["refused"][0]["problem"]
    assert '"unit": "F"' in chosen["changes"][0]["lines"][1]
    assert right["changes"] == []
    assert accept(browser, run, trial=7)["refused"]


def test_a_file_that_cannot_be_written_is_refused(browser: Browser, runs: Runs, file: Path) -> None:
    run = runs("rome")
    file.chmod(stat.S_IREAD)

    answer = accept(browser, run)

    assert answer["changes"] == []
    assert "write-protected" in answer["refused"][0]["problem"]


def test_a_call_with_a_secret_is_never_written(
    browser: Browser, runs: Runs, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", SECRET)
    monkeypatch.setenv("SENT", SECRET)
    file.write_text(
        file.read_text().replace('"unit": unit', '"unit": unit, "key": os.environ["SENT"]')
    )
    run = runs()

    answer = accept(browser, run)

    assert answer["changes"] == []
    assert "[hidden " in answer["refused"][0]["problem"]
    assert SECRET not in str(answer)


def test_a_path_in_the_history_that_leads_out_of_the_project_is_refused(
    browser: Browser, runs: Runs, project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    run = runs("rome")
    outside = tmp_path_factory.mktemp("outside") / "eval_weather.py"
    (project / "eval_weather.py").rename(outside)
    (project / "eval_weather.py").symlink_to(outside)
    before = outside.read_text()

    answer = accept(browser, run)

    assert answer["changes"] == []
    assert answer["refused"]
    assert outside.read_text() == before


def test_a_failing_answer_is_accepted_only_if_its_other_trials_are_known(
    browser: Browser, project: Path
) -> None:
    alone = case_line("rome", is_right=False)
    repeated = "".join(case_line("rome", is_right=each == 1, trial=each) for each in (1, 2))
    runs: list[RunRecord | None] = []
    for text in (alone, repeated):
        (project / "log.jsonl").write_text(text, encoding="utf-8")
        runs.append(save_cases("log.jsonl", f"run{len(runs)}").run)

    first, second = [run.id for run in runs if run is not None]

    refused = accept(browser, second, 409)
    (project / "log.jsonl").write_text(alone, encoding="utf-8")
    shown = accept(browser, first)

    assert "--save-cases all" in str(refused)
    assert [each["file"] for each in shown["changes"]] == ["log.jsonl"]
