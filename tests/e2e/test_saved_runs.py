"""Saved runs: exported, imported, rescored, kept on a server, and damaged."""

from __future__ import annotations

import csv
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.e2e.agents import add_file, asked

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

CASES = """\
{"id": "right", "tags": ["smoke"], "expected": ["f"], "actual": ["f"]}
{"id": "=1+1", "expected": [{"name": "f", "arguments": {"a": 1}}], "actual": ["g"]}
{"id": "unanswered", "expected": ["f"]}
"""


@pytest.fixture
def exported(callscore: Program, tmp_path: Path) -> Path:
    """A run that was exported, and the history that it is in."""
    (tmp_path / "cases.jsonl").write_text(CASES, encoding="utf-8")
    callscore("score", "cases.jsonl", "--save", "first")
    callscore("export", "first", "-o", "out.jsonl")
    return tmp_path / "out.jsonl"


def damage(folder: Path, sql: str) -> None:
    """Edit the history as any other program would."""
    with closing(sqlite3.connect(folder / ".callscore/history.db")) as connection, connection:
        connection.execute(sql)


def test_a_run_is_the_same_in_another_history(callscore: Program, exported: Path) -> None:
    callscore("export", "first", "-o", "out.parquet")

    ran = callscore("import", "out.parquet", "--store", "other.db")

    assert ran.returncode == 0
    assert "(first): 3 results" in ran.stderr
    again = callscore("export", "first", "--store", "other.db").stdout
    assert again.encode() == exported.read_bytes()
    here = callscore("show", "first", "=1+1").stdout
    there = callscore("show", "first", "=1+1", "--store", "other.db").stdout
    assert here == there != ""


def test_a_run_goes_to_a_server_and_back(
    callscore: Program, exported: Path, tmp_path: Path, postgres_url: str
) -> None:
    scored = callscore("score", "cases.jsonl", "--save", "team", CALLSCORE_STORE=postgres_url)
    callscore("import", "out.jsonl", CALLSCORE_STORE=postgres_url)

    there = callscore("export", "first", CALLSCORE_STORE=postgres_url)
    taken = callscore("import", "-", "--store", "other.db", stdin=there.stdout.encode())
    back = callscore("export", "first", "--store", "other.db")

    assert "saved as run" in scored.stderr
    assert taken.returncode == 0, taken.stderr
    assert there.stdout.encode() == back.stdout.encode() == exported.read_bytes()
    with open_store(postgres_url) as store:
        assert {run.name for run in store.runs()} == {"team", "first"}
    with open_store(tmp_path / ".callscore/history.db") as store:
        assert [run.name for run in store.runs()] == ["first"]


def test_a_hostile_name_is_refused_and_shown_harmlessly(callscore: Program, exported: Path) -> None:
    hostile = exported.read_bytes().replace(b'"first"', b'"\\u001b[2Jfirst\\u202e"')

    ran = callscore("import", "-", "--store", "other.db", stdin=hostile)

    assert ran.returncode == 3
    assert "1: run: name: invalid run name" in ran.stderr
    assert "\x1b" not in ran.stderr
    assert "\u202e" not in ran.stderr


def test_an_id_leads_to_no_other_file(callscore: Program, exported: Path, tmp_path: Path) -> None:
    run = exported.read_text(encoding="utf-8").split('"id":"')[1].split('"')[0]
    hostile = exported.read_bytes().replace(run.encode(), b"../../strayed-away")

    ran = callscore("import", "-", "--store", "deep/other.db", stdin=hostile)

    assert ran.returncode == 3
    assert "is not the id of a run" in ran.stderr
    assert not list(tmp_path.parent.glob("*strayed-away*"))


def test_a_rescued_run_that_lacks_something_did_not_end(
    callscore: Program, exported: Path, tmp_path: Path
) -> None:
    head, *lines = exported.read_bytes().splitlines(keepends=True)
    rescued = head.replace(b'"has_end":true,', b"")
    (tmp_path / "unsaved.jsonl").write_bytes(b"".join([rescued, *lines[:-2]]))

    ran = callscore("import", "unsaved.jsonl", "--store", "other.db")

    assert ran.returncode == 0
    assert "is incomplete: 1 result missing" in ran.stderr
    with open_store(tmp_path / "other.db") as store:
        assert store.find("first").status == "interrupted"


@pytest.mark.usefixtures("exported")
def test_a_table_is_safe_to_open(callscore: Program, tmp_path: Path) -> None:
    callscore("export", "first", "-o", "out.csv")

    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        cases = [row["case"] for row in csv.DictReader(file)]
    assert cases == ["right", "'=1+1", "unanswered"]


def test_a_file_stays_as_it_was_if_an_export_breaks_off(
    callscore: Program, exported: Path, tmp_path: Path
) -> None:
    exported.write_text("what was there")
    damage(tmp_path, "UPDATE results SET outcome = 'damaged' WHERE case_id = '=1+1'")

    ran = callscore("export", "first", "-o", "out.jsonl")

    assert ran.returncode not in (0, 1)
    assert "some of its data is damaged" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert exported.read_text() == "what was there"


def test_a_run_whose_process_is_gone_did_not_end(callscore: Program, tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(CASES, encoding="utf-8")
    callscore("score", "cases.jsonl", "--save", "first")

    with open_store(tmp_path / ".callscore/history.db") as store:
        run = store.find("first")
        store.begin(replace(run, status="running"))
        assert "did not finish" in callscore("history").stdout
        assert "did not finish" in callscore("show").stdout
        with store.lock(run.id):
            assert "running" in callscore("history").stdout


def test_functions_are_taken_from_the_file_of_their_evaluation(
    callscore: Program, tmp_path: Path
) -> None:
    text = """
    def brief(calls):
        print("measuring")
        return len(calls) < 1

    @evaluation(cases=CASES, scorers=["accuracy", brief], fail_under={"brief": 0.1})
    def agent(case):
        asking(case)
        return ANSWERS[case.id]
    """
    file = add_file(tmp_path, "evals/eval_agent.py", text)
    first = callscore("run", "evals")
    file.write_text(file.read_text().replace("< 1", "< 2"))
    changed = callscore("rescore", "--format", "json")
    file.write_text("import no_such_module\n")
    broken = callscore("rescore")
    file.unlink()
    gone = callscore("rescore")

    assert "brief      0.333      1/3    ≥ 0.100" in first.stdout
    report = msgspec.json.decode(changed.stdout, type=dict[str, Any])
    brief = report["evaluations"][0]["scorers"][1]
    assert (brief["name"], brief["mean"], brief["fail_under"]) == ("brief", 1.0, 0.1)
    assert "measuring" in changed.stderr
    missing = "! agent: the scorer brief is missing, and is left out: "
    assert f"{missing}evals/eval_agent.py:1: " in " ".join(broken.stdout.split())
    why = "it is a function in evals/eval_agent.py, which no longer exists"
    assert f"{missing}{why}" in " ".join(gone.stdout.split())
    assert len(asked(tmp_path)) == 3


def test_the_totals_of_a_run_with_only_its_failing_cases_are_kept(
    callscore: Program, tmp_path: Path
) -> None:
    right, wrong = '"expected": ["f"], "actual": ["f"]', '"expected": ["f"], "actual": ["g"]'
    lines = [f'{{"id": "{n}", {wrong if n < 6 else right}}}\n' for n in range(20)]
    (tmp_path / "log.jsonl").write_text("".join(lines))
    saved = ("--save", "some", "--save-cases", "failing")
    callscore("score", "log.jsonl", "--results", "rows.parquet", *saved)

    callscore("export", "some", "-o", "run.jsonl.gz")
    imported = callscore("import", "run.jsonl.gz", "--store", "other.db")
    shown = callscore("show", "some", "--store", "other.db")
    callscore("show", "some", "-o", "report.html")

    assert "6 results" in imported.stderr
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for report in (shown.stdout, page):
        assert "14 of 20 passed, 6 failed" in report
        assert "only the failing cases were saved; the totals are those of all cases" in report
