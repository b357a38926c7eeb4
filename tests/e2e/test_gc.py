"""`callscore gc`, from the command line to the exit code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import insert
from tests.e2e.histories import add_run

from callscore.history.opening import open_store
from callscore.history.schema import payloads

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    """The ids of four runs, the newest first; the oldest is a baseline."""
    found = [add_run(tmp_path) for _ in range(4)][::-1]
    with open_store(tmp_path / ".callscore/history.db") as store:
        store.set_baseline("main", found[-1])
    return found


def kept(folder: Path) -> list[str]:
    with open_store(folder / ".callscore/history.db") as store:
        return [run.id for run in store.runs()]


def test_old_runs_are_forgotten_and_baselines_are_not(
    callscore: Program, runs: list[str], tmp_path: Path
) -> None:
    newest, *_, oldest = runs

    said = callscore("gc", "--keep", "1")

    assert (said.returncode, said.stderr) == (0, "")
    assert re.fullmatch(
        r"Deleted: 2 runs, 6 results(, [\d.]+ k?B of texts)?\.\n(  2\S+   .*\n){2}", said.stdout
    )
    assert all(f"  {run}   " in said.stdout for run in runs[1:3])
    assert kept(tmp_path) == [newest, oldest]
    assert callscore("gc", "--keep", "1").stdout == "Nothing to delete.\n"


def test_a_dry_run_changes_nothing(callscore: Program, runs: list[str], tmp_path: Path) -> None:
    said = callscore("gc", "--keep", "0", "--dry-run")
    russian = callscore("gc", "--keep", "0", "--dry-run", "--lang", "ru")

    assert re.fullmatch(
        r"Would delete: 3 runs, 9 results(, [\d.]+ k?B of texts)?\. Nothing was changed\.\n(  2\S+   .*\n){3}",
        said.stdout,
    )
    assert russian.stdout.startswith("Будет удалено: 3 прогона, 9 результатов")
    assert kept(tmp_path) == runs


def test_runs_that_go_are_told_by_their_kind(callscore: Program, tmp_path: Path) -> None:
    for number in range(11):
        add_run(tmp_path, name="first" if not number else None, arguments={"limit": 1})

    said = callscore("gc", "--keep", "0", "--dry-run").stdout.splitlines()

    assert said[1].endswith("   first, some cases")
    assert said[11] == "  ... and 1 more"


def test_texts_that_nobody_refers_to_are_not_removed_in_silence(
    callscore: Program, runs: list[str], tmp_path: Path
) -> None:
    with open_store(tmp_path / ".callscore/history.db") as store, store.altering() as connection:
        connection.execute(insert(payloads), [{"digest": b"0" * 16, "body": b"[]"}])

    dry = callscore("gc", "--keep", "9", "--dry-run").stdout
    said = callscore("gc", "--keep", "9").stdout

    assert dry.startswith("No runs to delete. Would delete data that no run uses: 1 entry, 2 B.")
    assert said == "No runs to delete. Deleted data that no run uses: 1 entry, 2 B.\n"
    assert kept(tmp_path) == runs


def test_how_many_to_keep_must_be_said(callscore: Program, runs: list[str], tmp_path: Path) -> None:
    assert callscore("gc").returncode == 2
    assert callscore("gc", "--keep", "-1").returncode == 2
    assert kept(tmp_path) == runs
