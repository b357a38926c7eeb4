"""`callscore gc`, from the command line to the exit code."""

from __future__ import annotations

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
