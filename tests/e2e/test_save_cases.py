"""Commands on runs of which only the failing cases are saved, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.engines.saved_totals import save_cases, write_cases

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

SAVED_FAILING = "only the failing cases were saved; the totals are those of all cases"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where there are two runs of 200 cases with their failing cases, one with none, and one with all."""
    monkeypatch.chdir(tmp_path)
    store = tmp_path / ".callscore/history.db"
    write_cases(tmp_path / "log.jsonl", 200, range(20), tags=["smoke"])
    save_cases("log.jsonl", "good", store=store)
    write_cases(tmp_path / "log.jsonl", 200, range(60), tags=["smoke"])
    save_cases("log.jsonl", "bad", store=store, fail_under=0.8)
    save_cases("log.jsonl", "bare", "none", store=store)
    save_cases("log.jsonl", "whole", "all", store=store)
    return tmp_path


def test_the_html_report_has_the_totals_and_says_what_is_missing(
    callscore: Program, folder: Path
) -> None:
    written = callscore("show", "bad", "-o", "report.html")

    assert written.returncode == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "140 of 200 passed, 60 failed" in page
    assert SAVED_FAILING in page
    assert '"not_shown":140' in page.replace(" ", "")


def test_compare_as_html_is_refused(callscore: Program, folder: Path) -> None:
    compared = callscore("compare", "good", "bad", "-o", "report.html")

    assert compared.returncode == 2
    assert "--save-cases all" in compared.stderr
    assert not (folder / "report.html").exists()


@pytest.mark.parametrize("file", ["run.jsonl", "run.parquet", "run.jsonl.gz"])
def test_a_run_is_exported_and_imported_with_its_totals(
    callscore: Program, folder: Path, file: str
) -> None:
    exported = callscore("export", "bad", "-o", file)
    imported = callscore("import", file, "--store", "other.db")
    shown = callscore("show", "bad", "--store", "other.db")

    assert (exported.returncode, imported.returncode) == (0, 0)
    assert "60 results" in imported.stderr
    assert "140 of 200 passed, 60 failed" in shown.stdout
    assert SAVED_FAILING in shown.stdout
    with open_store(folder / "other.db") as store:
        assert store.find("bad").status == "finished"


def test_gc_removes_it_with_its_cases(callscore: Program, folder: Path) -> None:
    cleared = callscore("gc", "--keep", "1")

    assert cleared.returncode == 0
    with open_store(folder / ".callscore/history.db") as store:
        assert [run.name for run in store.runs()] == ["whole"]


def test_damage_of_the_totals_does_not_go_unnoticed(callscore: Program, folder: Path) -> None:
    import sqlite3

    with sqlite3.connect(folder / ".callscore/history.db") as connection:
        connection.execute("UPDATE runs SET arguments = NULL WHERE name = 'bad'")
    connection.close()

    shown = callscore("show", "bad")

    assert shown.returncode == 3
    assert "damaged" in shown.stderr
