"""What can still be done with a history in which a row is damaged, and what is refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

import pytest
from click.testing import CliRunner
from tests.e2e.histories import add_run

from callscore.cli.exits import error_exit_code
from callscore.cli.program import cli
from callscore.errors import CallscoreError
from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path


class Outcome(NamedTuple):
    """The exit code of a command, and everything it printed."""

    code: int
    text: str


def command(*words: str) -> Outcome:
    """Run a command in this process."""
    result = CliRunner().invoke(cli, list(words), standalone_mode=False)
    error = result.exception
    if isinstance(error, CallscoreError):
        return Outcome(error_exit_code(error), f"{result.output}{error}")
    if error is not None and not isinstance(error, SystemExit):
        raise error
    return Outcome(result.return_value or 0, result.output)


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of three runs, the oldest first; it is the baseline `main`, and `release`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("CALLSCORE_STORE", raising=False)
    found = [add_run(tmp_path) for _ in range(3)]
    with open_store(tmp_path / ".callscore/history.db") as store:
        for name in ("main", "release"):
            store.set_baseline(name, found[0])
    return found


def damage(sql: str) -> None:
    """Edit the history as any other program would."""
    with closing(sqlite3.connect(".callscore/history.db")) as connection, connection:
        connection.execute(sql)
    connection.close()


BASELINES = [
    "UPDATE baselines SET run = 2 WHERE name = 'main'",
    "UPDATE baselines SET run = 99 WHERE name = 'main'",
    "UPDATE baselines SET set_at = 1 WHERE name = 'main'",
    "UPDATE baselines SET checksum = 'x' WHERE name = 'main'",
    "DELETE FROM baselines WHERE name = 'main'",
    "UPDATE contents SET baselines = 7",
]


@pytest.mark.parametrize("sql", BASELINES)
def test_a_damaged_baseline_is_refused_until_it_is_set_again(runs: list[str], sql: str) -> None:
    damage(sql)

    refused = [command("gate"), command("gate", "latest", "--against", "release")]
    listed = [command("history"), command("baseline", "list")]
    by_id = [command("show", runs[1]), command("compare", runs[0], runs[1]), command("show")]
    again = command("baseline", "set", "latest~1", "--name", "main")
    after = [command("gate"), command("history"), command("baseline", "list")]

    assert [each.code for each in [*refused, *listed, *by_id]] == [3] * 4 + [0] * 3
    assert all("baseline set RUN --name" in each.text for each in [*refused, *listed])
    assert all(name in listed[0].text for name in runs)
    assert again.code == 0
    assert "Note: the list of baselines was damaged." in again.text
    assert [each.code for each in after] == [0, 0, 0]


def test_a_baseline_with_a_damaged_name_can_be_removed(runs: list[str]) -> None:
    damage("UPDATE baselines SET name = 'it''s' WHERE name = 'main'")

    refused = command("gate", runs[2])
    removed = command("baseline", "remove", "it's")
    unknown = command("baseline", "remove", "nobody")
    after = command("history")

    assert refused.code == 3
    assert """callscore baseline remove 'it'"'"'s'""" in refused.text
    assert removed.text == "it's is no longer a baseline. It was damaged, or its run is missing.\n"
    assert unknown.code == 2
    assert after.code == 0


RUNS = [
    "UPDATE runs SET name = 'x' WHERE number = 1",
    "UPDATE runs SET started_at = 1 WHERE number = 1",
    "DELETE FROM runs WHERE number = 1",
    "DELETE FROM evaluations WHERE run = 1",
    "UPDATE evaluations SET name = 'x' WHERE run = 1",
]


@pytest.mark.parametrize("sql", RUNS)
def test_a_damaged_run_leaves_the_others_usable(runs: list[str], sql: str) -> None:
    damage(sql)

    listed = command("history")
    as_json = command("history", "--json")
    by_id = [command("show", runs[1]), command("compare", *runs[1:]), command("export", runs[1])]
    gates = [command("gate", runs[2]), command("show", runs[0]), command("baseline", "list")]
    again = [command("baseline", "set", runs[1], "--name", each) for each in ("main", "release")]
    after = command("gate", runs[2])

    assert (listed.code, as_json.code) == (3, 3)
    assert all(name in listed.text for name in runs[1:])
    assert "◆" not in listed.text
    assert "callscore export ID" in listed.text
    assert [each.code for each in by_id] == [0, 0, 0]
    assert gates[0].code == 3
    assert gates[1].code in (2, 3)
    assert [each.code for each in again] == [0, 0]
    assert after.code == 0


def test_a_baseline_whose_run_lost_results_can_move(runs: list[str]) -> None:
    damage("DELETE FROM results WHERE run = 1 AND case_id = 'sum'")

    refused = [command("gate"), command("baseline", "set", runs[0], "--name", "new")]
    moved = command("baseline", "set", "latest~1")

    assert [each.code for each in refused] == [3, 3]
    assert moved.code == 0
    assert f"Note: the run {runs[0]} is damaged. Whether cases are missing" in moved.text
    assert command("gate").code == 0


def test_undamaged_runs_move_to_a_new_history(runs: list[str], tmp_path: Path) -> None:
    damage("DELETE FROM runs WHERE number = 1")

    for run in runs[1:]:
        assert command("export", run, "-o", f"{run}.jsonl").code == 0
    (tmp_path / ".callscore/history.db").rename(tmp_path / "damaged.db")
    imported = command("import", *[f"{run}.jsonl" for run in runs[1:]])
    listed = command("history")

    assert (imported.code, listed.code) == (0, 0)
    assert all(run in listed.text for run in runs[1:])


def test_nothing_is_listed_as_missing_where_everything_is_damaged(runs: list[str]) -> None:
    damage("UPDATE runs SET command = 'x'")

    listed, baselines = command("history"), command("baseline", "list")

    assert (listed.code, baselines.code) == (3, 3)
    assert "No " not in listed.text + baselines.text
    assert runs


def test_a_table_that_is_missing_is_damage_with_advice(runs: list[str]) -> None:
    damage("DROP TABLE results")

    shown = command("show", runs[0])

    assert shown.code == 3
    assert "the file is damaged. Restore a copy, or move it away" in shown.text
