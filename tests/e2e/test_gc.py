"""`callscore gc`, from the command line to the exit code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.e2e.histories import add_run

from callscore.history.opening import open_store

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
    assert re.fullmatch(r"Forgotten: 2 runs, 6 results(, [\d.]+ k?B of texts)?\.\n", said.stdout)
    assert kept(tmp_path) == [newest, oldest]
    assert callscore("gc", "--keep", "1").stdout == "Nothing to forget.\n"


def test_a_dry_run_changes_nothing(callscore: Program, runs: list[str], tmp_path: Path) -> None:
    said = callscore("gc", "--keep", "0", "--dry-run")
    russian = callscore("gc", "--keep", "0", "--dry-run", "--lang", "ru")

    assert re.fullmatch(
        r"It would forget: 3 runs, 9 results(, [\d.]+ k?B of texts)?\. Nothing was changed\.\n",
        said.stdout,
    )
    assert russian.stdout.startswith("Было бы удалено: 3 прогона, 9 результатов")
    assert kept(tmp_path) == runs


def test_how_many_to_keep_must_be_said(callscore: Program, runs: list[str], tmp_path: Path) -> None:
    assert callscore("gc").returncode == 2
    assert callscore("gc", "--keep", "-1").returncode == 2
    assert kept(tmp_path) == runs
