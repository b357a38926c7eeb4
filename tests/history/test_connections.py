"""Connections to a file: shared, returned, and patient with other processes."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from tests.history.made_up import a_result, a_run, an_evaluation

from callscore.history import connections
from callscore.history.connections import FileConnections
from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path


class _Busy:
    """A connection to a file that another process holds at first."""

    def __init__(self, *codes: str) -> None:
        self.codes = list(codes)
        self.done: list[str] = []

    def execute(self, statement: str) -> None:
        if self.codes:
            error = sqlite3.OperationalError("no")
            error.sqlite_errorname = self.codes.pop(0)
            raise error
        self.done.append(statement)

    def rollback(self) -> None:
        pass


def _connections(path: Path, only: Any) -> FileConnections:
    made = FileConnections(path)
    made._idle.append(only)
    return made


def test_a_file_that_others_open_as_well_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_BUSY_PAUSE", 0.0)
    busy = _Busy("SQLITE_BUSY", "SQLITE_BUSY_RECOVERY")

    _connections(tmp_path / "history.db", busy).enable_wal()

    assert busy.done == ["PRAGMA journal_mode = WAL"]


@pytest.mark.parametrize(("code", "patience"), [("SQLITE_FULL", 30.0), ("SQLITE_BUSY", -1.0)])
def test_what_waiting_does_not_help_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, patience: float
) -> None:
    monkeypatch.setattr(connections, "_BUSY_TIMEOUT", patience)

    with pytest.raises(sqlite3.OperationalError):
        _connections(tmp_path / "history.db", _Busy(code)).enable_wal()


@pytest.fixture
def file(tmp_path: Path) -> FileConnections:
    return FileConnections(tmp_path / "history.db")


def test_a_connection_is_used_again(file: FileConnections) -> None:
    with file.reading() as first:
        pass
    with file.writing() as second, file.reading() as other:
        assert second is first
        assert other is not first
    file.close()


def test_what_fails_is_not_written(file: FileConnections) -> None:
    with file.writing() as connection:
        connection.execute("CREATE TABLE numbers (number INTEGER)")

    with suppress(KeyError), file.writing() as connection:
        connection.execute("INSERT INTO numbers VALUES (1)")
        raise KeyError

    with file.reading() as connection:
        assert connection.execute("SELECT * FROM numbers").fetchall() == []
    file.close()


def test_a_connection_that_cannot_be_rolled_back_is_closed(file: FileConnections) -> None:
    with file.reading() as first:
        first.close()

    with file.reading() as second:
        assert second is not first
    file.close()


def test_a_connection_that_cannot_be_set_up_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    path.write_bytes(b"no database" * 1_000)

    with pytest.raises(sqlite3.DatabaseError), FileConnections(path).reading() as connection:
        connection.execute("SELECT * FROM sqlite_master")


_PROGRAM = """
import sys
from callscore.cli.main import run_command
path = sys.argv[1]
for words in ("compare latest~1 latest", "history", "history --tag smoke", "show", "show latest weather",
              "baseline set latest~1", "baseline list", "gate"):
    sys.argv[1:] = [*words.split(), "--store", path]
    code = run_command()
    assert code in (0, 1), (words, code)
assert "sqlalchemy" not in sys.modules
"""


def test_a_file_is_looked_at_without_importing_sqlalchemy(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    with open_store(path) as store:
        for run in ("20261115-184354-k3f9", "20261116-070000-bcdf"):
            store.begin(a_run(run))
            store.add_evaluation(an_evaluation(run))
            store.save_results([a_result(run)])
            store.finish(run, "finished", {}, {})

    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
