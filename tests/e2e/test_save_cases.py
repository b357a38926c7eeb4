"""Commands on runs of which only the failing cases are saved, or none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
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


def test_show_has_the_totals_of_all_cases_and_says_what_is_saved(callscore: Program) -> None:
    shown = callscore("show", "bad", "--max-shown", "1")

    assert shown.returncode == 0
    assert "140 of 200 passed, 60 failed" in shown.stdout
    assert re.search(r"accuracy +0\.700 +140/200", shown.stdout)
    assert f"! {SAVED_FAILING}" in shown.stdout
    assert "59 cases not shown" in shown.stdout


def test_show_of_a_run_without_cases_has_its_totals(callscore: Program) -> None:
    shown = callscore("show", "bare", "--lang", "ru")

    assert "пройдено 140 из 200, не пройдено 60" in shown.stdout
    assert "случаи не сохранены; итоги — по всем случаям" in shown.stdout


def test_show_tells_programs_the_same_as_of_a_run_with_every_case(callscore: Program) -> None:
    found, whole = [
        msgspec.json.decode(callscore("show", name, "--json", "--show", "none").stdout)
        for name in ("bare", "whole")
    ]

    (mine,), (other,) = found["evaluations"], whole["evaluations"]
    assert (mine["passed"], mine["answered"]) == (140, 200)
    assert mine == other
    assert found["warnings"] != whole["warnings"] == []


def test_a_keyword_selects_cases_and_leaves_the_totals(callscore: Program) -> None:
    shown = callscore("show", "bad", "-k", "c59")

    assert "140 of 200 passed" in shown.stdout
    assert "c59 selects among the saved cases; the totals do not change" in shown.stdout
    assert "not shown" not in shown.stdout


def test_a_case_that_passed_is_not_saved(callscore: Program) -> None:
    passed, failed = callscore("show", "bad", "c100"), callscore("show", "bad", "c7")

    assert (passed.returncode, failed.returncode) == (2, 0)
    assert "only the failing cases" in passed.stderr
    assert "--save-cases all" in passed.stderr
    assert "only the failing trials of the case were saved" in failed.stderr


def test_the_html_report_has_the_totals_and_says_what_is_missing(
    callscore: Program, folder: Path
) -> None:
    written = callscore("show", "bad", "-o", "report.html")

    assert written.returncode == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "140 of 200 passed, 60 failed" in page
    assert SAVED_FAILING in page
    assert '"not_shown":140' in page.replace(" ", "")


def test_history_lists_the_means_of_all_cases(callscore: Program) -> None:
    listed = callscore("history")

    rows = {line.split(", ")[0].split()[-1]: line for line in listed.stdout.splitlines()[2:]}
    assert "70.0%" in rows["bad"]
    assert rows["bad"].endswith("failing cases saved")
    assert rows["bare"].endswith("totals saved")
    assert "90.0%" in rows["good"]
    assert rows["whole"].endswith("from files")


def test_history_of_a_tag_leaves_out_what_is_not_known(callscore: Program) -> None:
    listed = callscore("history", "--tag", "smoke")
    of_others = callscore("history", "--tag", "smoke", "-k", "other")

    assert [name in listed.stdout for name in ("good", "bad", "bare", "whole")] == [
        False,
        False,
        False,
        True,
    ]
    assert "not listed: 3 runs, of which not every case is saved" in listed.stdout
    assert "not listed" not in of_others.stdout


def test_history_tells_programs_what_is_saved(callscore: Program) -> None:
    found = msgspec.json.decode(callscore("history", "--json").stdout)

    assert {run["name"]: run["saved_cases"] for run in found} == {
        "good": "failing",
        "bad": "failing",
        "bare": "none",
        "whole": "all",
    }


@pytest.mark.parametrize("names", [("good", "bad"), ("good", "bare"), ("good", "whole")])
def test_compare_compares_the_totals(callscore: Program, names: tuple[str, str]) -> None:
    compared = callscore("compare", *names)

    assert compared.returncode == 0
    assert "passed 90.0% → 70.0%, −20.0 points" in compared.stdout
    assert compared.stdout.startswith("Regressed")
    assert "two-sample z-test" in compared.stdout
    assert "only totals are compared" in compared.stdout
    assert "in both" not in compared.stdout


def test_compare_of_the_same_totals_in_another_format(callscore: Program) -> None:
    json = msgspec.json.decode(callscore("compare", "bad", "bare", "--json").stdout)
    markdown = callscore("compare", "bad", "bare", "--format", "markdown", "--lang", "ru")

    assert (json["is_totals"], json["verdict"], json["fewer_cases"]) == (True, "not enough data", 0)
    assert (json["before"]["saved_cases"], json["after"]["saved_cases"]) == ("failing", "none")
    assert "сравниваются только итоги" in markdown.stdout


def test_compare_as_html_is_refused(callscore: Program, folder: Path) -> None:
    compared = callscore("compare", "good", "bad", "-o", "report.html")

    assert compared.returncode == 2
    assert "--save-cases all" in compared.stderr
    assert not (folder / "report.html").exists()


def test_the_gate_decides_on_the_totals(callscore: Program) -> None:
    callscore("baseline", "set", "good")
    closed = callscore("gate", "bare")
    below = callscore("gate", "bad", "--against", "bare")
    opened = callscore("gate", "good", "--against", "bad")

    assert (closed.returncode, below.returncode, opened.returncode) == (1, 1, 0)
    assert "regressed: passed 90.0% → 70.0%" in closed.stdout
    assert "accuracy 0.700, required ≥ 0.800" in below.stdout
    assert "Gate passed   improved" in opened.stdout


def test_the_gate_refuses_what_needs_every_case(callscore: Program, folder: Path) -> None:
    broken = callscore("gate", "bad", "--against", "good", "--fail-on", "broken")
    page = callscore("gate", "bad", "--against", "good", "-o", "gate.html")

    assert (broken.returncode, page.returncode) == (2, 2)
    assert "--save-cases all" in broken.stderr
    assert "--save-cases all" in page.stderr
    assert not (folder / "gate.html").exists()


def test_a_baseline_is_not_set_to_a_run_with_fewer_cases(callscore: Program, folder: Path) -> None:
    callscore("baseline", "set", "good")
    write_cases(folder / "log.jsonl", 190)
    save_cases("log.jsonl", "short", store=folder / ".callscore/history.db")
    refused = callscore("baseline", "set", "short")
    moved = callscore("baseline", "set", "bad")

    assert (refused.returncode, moved.returncode) == (1, 0)
    assert "10 cases are missing" in refused.stderr


@pytest.mark.parametrize("name", ["bad", "bare"])
def test_rescore_is_refused(callscore: Program, name: str) -> None:
    scored = callscore("rescore", name)

    assert scored.returncode == 2
    assert "rescore needs all of them" in scored.stderr
    assert "--save-cases all" in scored.stderr


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
