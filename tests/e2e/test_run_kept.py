"""`callscore run --name` and `--store`: where a run is kept, and what it is called there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.e2e.agents import ASSISTANT, add_file

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program


@pytest.fixture(autouse=True)
def assistant(tmp_path: Path) -> Path:
    return add_file(tmp_path, "evals/eval_assistant.py", ASSISTANT)


def test_every_command_looks_where_it_is_told(callscore: Program, tmp_path: Path) -> None:
    store = ("--store", "runs/mine.db")

    ran = callscore("run", "evals", "--name", "main", *store)
    again = callscore("rescore", "main", *store)
    exported = callscore("export", "main", *store)

    assert [each.returncode for each in (ran, again, exported)] == [0, 0, 0]
    assert not (tmp_path / ".callscore").exists()
    with open_store(tmp_path / "runs/mine.db") as opened:
        assert [run.command for run in opened.runs()] == ["rescore", "run"]


def test_a_run_goes_to_a_server(callscore: Program, postgres_url: str, tmp_path: Path) -> None:
    ran = callscore("run", "evals", "--name", "team", CALLSCORE_STORE=postgres_url)

    assert ran.returncode == 0
    assert not (tmp_path / ".callscore").exists()
    with open_store(postgres_url) as store:
        assert store.find("team").status == "finished"
