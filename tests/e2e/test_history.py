"""`callscore history`, from the command line to the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.e2e.histories import add_run

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where there were two runs, of which the second is worse, and one of some cases."""
    add_run(tmp_path, name="good")
    add_run(tmp_path, wrong=("sum",))
    add_run(tmp_path, arguments={"tags": ["short"]})
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_oldest_that_is_shown_has_its_arrow(callscore: Program) -> None:
    listed = callscore("history", "--max-shown", "2")

    assert "66.7% ▼" in listed.stdout


def test_a_run_whose_process_is_gone_did_not_end(callscore: Program, tmp_path: Path) -> None:
    run = add_run(tmp_path)
    with open_store(tmp_path / ".callscore/history.db") as store:
        store.begin(replace(store.find(run), status="running"))
        assert "did not finish" in callscore("history").stdout
        assert "did not finish" in callscore("show").stdout
        with store.lock(run):
            assert "running" in callscore("history").stdout
