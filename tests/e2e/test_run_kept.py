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


def test_everything_of_a_case_is_kept(callscore: Program, tmp_path: Path) -> None:
    callscore("run", "evals", "--name", "main")

    with open_store(tmp_path / ".callscore/history.db") as store:
        run = store.find("main")
        results = {result.case: result for result in store.results(run.id)}
    weather = results["weather"]
    assert run.totals["cases"] == len(results)
    assert run.totals["macro_f1"] is not None
    assert weather.comparison is not None
    assert weather.comparison["pairs"] == [[0, 0, True]]
    assert weather.tools == {"getWeather": (1, 0, 0, 0, 0)}
    assert weather.faults == 0
    assert len(weather.expectation) == len(weather.asked) == 32
    assert len({result.asked for result in results.values()}) == len(results)


def test_every_command_looks_where_it_is_told(callscore: Program, tmp_path: Path) -> None:
    store = ("--store", "runs/mine.db")

    ran = callscore("run", "evals", "--name", "main", *store)
    again = callscore("rescore", "main", *store)
    exported = callscore("export", "main", *store)

    assert [each.returncode for each in (ran, again, exported)] == [0, 0, 0]
    assert not (tmp_path / ".callscore").exists()
    with open_store(tmp_path / "runs/mine.db") as opened:
        assert [run.command for run in opened.runs()] == ["rescore", "run"]


def test_answers_are_taken_from_the_history_that_is_named(callscore: Program) -> None:
    callscore("run", "evals", "--store", "mine.db")

    again = callscore("run", "evals", "--store", "mine.db", "--cache")
    elsewhere = callscore("run", "evals", "--cache")

    assert "reused" in again.stdout
    assert "reused" not in elsewhere.stdout


def test_a_rescored_run_is_kept_with_its_pairs(callscore: Program, tmp_path: Path) -> None:
    callscore("run", "evals")
    callscore("rescore", "--preset", "flexible")

    with open_store(tmp_path / ".callscore/history.db") as store:
        again, first = store.runs()
        kept = [[each.expectation for each in store.results(run.id)] for run in (again, first)]
        assert all(each.comparison is not None for each in store.results(again.id))
    assert kept[0] == kept[1]


def test_a_run_goes_to_a_server(callscore: Program, postgres_url: str, tmp_path: Path) -> None:
    ran = callscore("run", "evals", "--name", "team", CALLSCORE_STORE=postgres_url)

    assert ran.returncode == 0
    assert not (tmp_path / ".callscore").exists()
    with open_store(postgres_url) as store:
        assert store.find("team").status == "finished"
