"""Where the history stands, and all that may stand there in its place."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.history.made_up import a_result, a_run

from callscore.errors import UnknownRun, UnusableStore
from callscore.history import database
from callscore.history.opening import (
    default_path,
    open_existing,
    open_store,
    project_path,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


RUN = a_run().id


# --- where ------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in a repository, which is in a folder with a history of its own."""
    (tmp_path / ".callscore").mkdir()
    inside = tmp_path / "repository/evals/deep"
    inside.mkdir(parents=True)
    (tmp_path / "repository/.git").mkdir()
    monkeypatch.chdir(inside)
    return tmp_path / "repository"


def test_the_nearest_history_of_the_repository_is_used(project: Path) -> None:
    (project / ".callscore").mkdir()
    of_the_repository = default_path()
    (project / "evals/.callscore").mkdir()

    assert of_the_repository == project / ".callscore/history.db"
    assert default_path() == project / "evals/.callscore/history.db"


def test_a_worktree_is_a_repository_too(project: Path) -> None:
    (project / ".git").rmdir()
    (project / ".git").write_text("gitdir: elsewhere")
    (project / ".callscore").mkdir()

    assert default_path() == project / ".callscore/history.db"


def test_without_a_repository_only_the_working_directory_counts(project: Path) -> None:
    (project / ".git").rmdir()
    (project / ".callscore").mkdir()
    if any((folder / ".git").exists() for folder in project.parents):
        pytest.skip("the temporary folder of this machine is in a repository")

    assert default_path() == project / "evals/deep/.callscore/history.db"


# --- the folder -------------------------------------------------------------------------------


def test_no_repository_holds_the_history(path: Path) -> None:
    open_store(path).close()

    assert (path.parent / ".gitignore").read_text() == "*\n"


def test_a_folder_of_somebody_else_gets_no_note(tmp_path: Path) -> None:
    open_store(tmp_path / "runs.db").close()

    assert not (tmp_path / ".gitignore").exists()


# --- what cannot be used ----------------------------------------------------------------------


def _complaint(path: Path) -> str:
    with pytest.raises(UnusableStore) as caught:
        open_store(path)
    return str(caught.value)


@pytest.mark.parametrize(
    "content", [b"no database, " * 500, b"\x00" * 8192, b"SQLite format 3\x00"]
)
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(
    path: Path, content: bytes
) -> None:
    path.parent.mkdir()
    path.write_bytes(content)

    complaint = _complaint(path)

    assert complaint.startswith(f"{path}: the file ")
    assert "Move it away" in complaint
    assert path.read_bytes() == content


@pytest.mark.parametrize("damaged", [lambda rest: b"\xa5" * len(rest), lambda _: b""])
def test_a_damaged_database_is_told_as_such(
    path: Path, damaged: Callable[[bytearray], bytes]
) -> None:
    with open_store(path) as store:
        store.begin(a_run())
        store.save_results([a_result(RUN, f"case-{number}") for number in range(500)])
    content = bytearray(path.read_bytes())
    content[4096:] = damaged(content[4096:])  # all but the first page
    path.write_bytes(content)

    with (
        pytest.raises(UnusableStore, match=r"damaged|not an SQLite database"),
        open_store(path) as store,
    ):
        list(store.results(store.find("latest").id))


def test_a_database_from_the_future_is_refused_and_left_as_it_is(path: Path) -> None:
    open_store(path).close()
    future = sqlite3.connect(path)
    future.execute("UPDATE callscore_schema SET version = 99")
    future.commit()
    future.close()

    assert "written by a newer callscore" in _complaint(path)
    assert "pip install --upgrade callscore" in _complaint(path)


def test_the_database_of_another_program_is_refused_and_left_as_it_is(path: Path) -> None:
    path.parent.mkdir()
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE bookmarks (url TEXT)")
    other.commit()

    assert "another program" in _complaint(path)
    assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("bookmarks",)]
    other.close()


def test_a_database_that_another_process_keeps_to_itself_is_waited_for_and_then_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_store(path).close()
    monkeypatch.setattr(database, "_BUSY_TIMEOUT", 0.1)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with (
        open_store(path) as store,
        pytest.raises(UnusableStore, match="another process is writing to it"),
    ):
        store.begin(a_run())
    other.close()


# --- what may not be written ------------------------------------------------------------------

# Rights do not hold for the administrator, so that the program gives up being one; but only after
# it has imported everything, for nobody else may be allowed to read where that stands.
PROGRAM = """
import os, sys
from pathlib import Path
from callscore.errors import UnusableStore
from callscore.history.opening import open_store

open_store(Path(sys.argv[2])).close()
is_root = os.geteuid() == 0
if is_root:
    os.seteuid(65534)
try:
    open_store(Path(sys.argv[1])).close()
except UnusableStore as error:
    print(error)
finally:
    if is_root:
        os.seteuid(0)
"""


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A temporary folder that everybody may read, and only its owner may write."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
        for below in Path(folder).rglob("*"):
            below.chmod(0o755)


def _said_without_rights(path: Path, usable: Path) -> str:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, path, usable],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ran.stderr == ""
    return ran.stdout.strip()


def test_a_folder_that_cannot_be_written_is_told_as_such(open_to_all: Path) -> None:
    folder = open_to_all / ".callscore"
    folder.mkdir(mode=0o555)

    said = _said_without_rights(folder / "history.db", open_to_all / "usable.db")

    assert said.startswith(
        f"{folder}: the folder for the history cannot be used (Permission denied"
    )


@pytest.mark.parametrize("mode", [0o444, 0o000])
def test_a_history_that_cannot_be_written_is_told_as_such(open_to_all: Path, mode: int) -> None:
    path = open_to_all / ".callscore/history.db"
    open_store(path).close()
    path.chmod(mode)
    path.parent.chmod(0o555)

    said = _said_without_rights(path, open_to_all / "usable.db")

    assert said.startswith(f"{path}: ")
    assert "writable" in said


def test_the_working_directory_may_be_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()

    with pytest.raises(UnusableStore, match="working directory"):
        open_store()


# A history is opened to look for something in it, and not made for that.


def test_none_is_made_where_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UnknownRun, match=r"no runs yet: .*history\.db does not exist"):
        open_existing()
    with pytest.raises(UnknownRun, match=r"other\.db"):
        open_existing(tmp_path / "other.db")
    monkeypatch.setenv("CALLSCORE_STORE", str(tmp_path / "said.db"))
    with pytest.raises(UnknownRun, match=r"said\.db"):
        open_existing("")

    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A history that cannot be written, nor anything beside it."""
    path = tmp_path / "history.db"
    with open_store(path) as store:
        store.begin(a_run())
    monkeypatch.setattr(os, "access", lambda *_: False)
    return path


def test_reading_takes_no_lock_that_others_have(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    open_store(path).close()
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")

    with open_existing(path) as store:
        assert store.runs() == []

    writer.rollback()
    writer.close()


def test_a_history_is_read_where_nothing_can_be_written(read_only: Path) -> None:
    with open_existing(read_only) as store:
        assert [run.id for run in store.runs()] == [a_run().id]
        with pytest.raises(UnusableStore, match="is read-only"):
            store.begin(a_run("20261115-184354-aaaa", started_at=1.0))

    assert [each.name for each in read_only.parent.iterdir()] == ["history.db"]


# What a history knows a file of cases by.


def test_a_file_is_known_from_the_folder_of_the_history_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".callscore").mkdir()
    (tmp_path / "data").mkdir()
    monkeypatch.chdir(tmp_path / "data")

    assert project_path("cases.jsonl") == "data/cases.jsonl"
    assert project_path("../cases.jsonl") == "cases.jsonl"
    assert project_path(str(tmp_path / "data" / "cases.jsonl")) == "data/cases.jsonl"


@pytest.mark.parametrize("content", [b"", b"x"])
def test_an_empty_file_that_is_not_new_is_what_is_left_of_a_history(
    tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "history.db"
    file.write_bytes(content)
    os.utime(file, (1.0, 1.0))

    for opens in (open_store, open_existing):
        with pytest.raises(UnusableStore, match="the file is empty"):
            opens(file)
    assert file.read_bytes() == content


def test_the_log_of_a_file_that_was_deleted_does_not_get_into_a_new_one(tmp_path: Path) -> None:
    file, log = tmp_path / "history.db", tmp_path / "history.db-wal"
    log.write_bytes(b"what was written last")

    with pytest.raises(UnusableStore, match="the file was deleted, but not"):
        open_store(file)
    log.unlink()
    open_store(file).close()
