"""What is said of a history in which something is missing, and what can still be done with it."""

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
    """The ids of three runs, the oldest first."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("COLUMNS", "200")
    return [add_run(tmp_path) for _ in range(3)]


def damage(sql: str) -> None:
    """Edit the history as any other program would."""
    with closing(sqlite3.connect(".callscore/history.db")) as connection, connection:
        connection.execute(sql)
    connection.close()


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("DELETE FROM results WHERE run = 1 AND number = 1", "results found"),
        ("DELETE FROM evaluations WHERE run = 1", "0 evaluations found, 1 were saved"),
        ("DELETE FROM payloads", "a saved case or answer is damaged"),
        ("UPDATE payloads SET body = x'7b7d'", "a saved case or answer is damaged"),
        ("UPDATE results SET outcome = 'xx'", "some of its data is damaged. Restore a copy"),
        ("UPDATE results SET usage = '[1'", "some of its data is damaged. Restore a copy"),
        ("UPDATE results SET body = '[]'", "a saved result is damaged"),
        ("UPDATE results SET body = '1'", "a saved result is damaged"),
        ("UPDATE evaluations SET summary = '[]'", "some of its data is damaged. Restore a copy"),
        ("UPDATE evaluations SET settings = '1'", "some of its data is damaged. Restore a copy"),
        ("UPDATE evaluations SET scorers = '{}'", "some of its data is damaged. Restore a copy"),
        ("UPDATE runs SET totals = '[]'", "some of its data is damaged. Restore a copy"),
        ("UPDATE runs SET arguments = '1'", "some of its data is damaged. Restore a copy"),
        ("DROP TABLE results", "the file is damaged. Restore a copy, or move it away"),
    ],
)
def test_a_run_with_something_missing_is_refused(runs: list[str], sql: str, problem: str) -> None:
    damage(sql)

    shown, exported = command("show", runs[0], "--show", "all"), command("export", runs[0])

    assert (shown.code, exported.code) == (3, 3)
    assert problem in shown.text
    assert problem in exported.text


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE evaluations SET summary = '1'",
        "UPDATE evaluations SET settings = '[]'",
        "UPDATE evaluations SET scorers = '1'",
    ],
)
def test_an_evaluation_of_another_shape_is_not_compared(runs: list[str], sql: str) -> None:
    damage(sql)

    compared = command("compare", *runs[:2])

    assert compared.code == 3
    assert "some of its data is damaged. Restore a copy" in compared.text


def test_the_other_runs_can_be_used_and_move_to_a_new_history(
    runs: list[str], tmp_path: Path
) -> None:
    damage("DELETE FROM results WHERE run = 1 AND number = 1")

    refused = command("gate", runs[2], "--against", runs[0])
    used = [command("history"), command("show", runs[1]), command("compare", *runs[1:])]
    exported = [command("export", run, "-o", f"{run}.jsonl") for run in runs[1:]]
    (tmp_path / ".callscore/history.db").rename(tmp_path / "damaged.db")
    imported = command("import", *[f"{run}.jsonl" for run in runs[1:]])
    listed = command("history")

    assert refused.code == 3
    assert "callscore export ID" in refused.text
    assert {each.code for each in (*used, *exported, imported, listed)} == {0}
    assert all(run in listed.text for run in runs[1:])


@pytest.mark.usefixtures("runs")
def test_gc_refuses_a_file_whose_structure_is_damaged(tmp_path: Path) -> None:
    file = tmp_path / ".callscore/history.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        [(page,)] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'payloads'")
    content = bytearray(file.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = bytes(4096)
    file.write_bytes(content)

    cleaned = command("gc", "--keep", "1")

    assert cleaned.code == 3
    assert "the file is damaged" in cleaned.text
    assert file.read_bytes() == content
