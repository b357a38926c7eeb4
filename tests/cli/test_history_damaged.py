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


def test_undamaged_runs_move_to_a_new_history(runs: list[str], tmp_path: Path) -> None:
    damage("DELETE FROM runs WHERE number = 1")

    for run in runs[1:]:
        assert command("export", run, "-o", f"{run}.jsonl").code == 0
    (tmp_path / ".callscore/history.db").rename(tmp_path / "damaged.db")
    imported = command("import", *[f"{run}.jsonl" for run in runs[1:]])
    listed = command("history")

    assert (imported.code, listed.code) == (0, 0)
    assert all(run in listed.text for run in runs[1:])


def test_a_table_that_is_missing_is_damage_with_advice(runs: list[str]) -> None:
    damage("DROP TABLE results")

    shown = command("show", runs[0])

    assert shown.code == 3
    assert "the file is damaged. Restore a copy, or move it away" in shown.text
