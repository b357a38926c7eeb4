"""The last writes are in a log beside the file: what is lost of it is not passed over in silence."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.history.made_up import a_run

from callscore.errors import UnusableStore
from callscore.history import write_ahead_log
from callscore.history.opening import open_existing, open_store
from callscore.history.write_ahead_log import require_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FILES = ("history.db", "history.db-wal", "history.db-shm")


@pytest.fixture
def living(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A file whose writes are all in its log."""
    (tmp_path / "living").mkdir()
    with closing(sqlite3.connect(tmp_path / "living/history.db", isolation_level=None)) as found:
        found.execute("PRAGMA journal_mode = WAL")
        found.execute("CREATE TABLE t (a)")
        for number in range(40):
            found.execute("INSERT INTO t VALUES (?)", [f"{number} " * 300])
        yield found


@pytest.fixture
def left(living: sqlite3.Connection, tmp_path: Path) -> Path:
    """The files as a process leaves them that was killed."""
    assert living.total_changes
    return _copied(tmp_path)


def _copied(tmp_path: Path) -> Path:
    shutil.copytree(tmp_path / "living", tmp_path / "left", dirs_exist_ok=True)
    return tmp_path / "left/history.db"


def _change(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 4
    path.write_bytes(content)


def test_a_whole_log_is_accepted(left: Path, living: sqlite3.Connection, tmp_path: Path) -> None:
    require_log(left, "history.db")
    living.execute("PRAGMA wal_checkpoint(RESTART)")
    living.execute("INSERT INTO t VALUES (1)")  # the rest of the log is of an earlier time
    require_log(_copied(tmp_path), "history.db")
    living.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    require_log(_copied(tmp_path), "history.db")


def test_no_log_is_needed(tmp_path: Path) -> None:
    require_log(tmp_path / "history.db", "history.db")


@pytest.mark.parametrize("at", [2, 20, 40, 5_000, 60_000, -10])
def test_a_damaged_write_is_refused(left: Path, at: int) -> None:
    _change(left.with_name(FILES[1]), at)

    with pytest.raises(UnusableStore, match="-wal is damaged, which has the last writes"):
        require_log(left, "history.db")


@pytest.mark.parametrize("at", [2, 40, 5_000, 60_000])
def test_it_is_noticed_without_the_index_too(left: Path, at: int) -> None:
    _change(left.with_name(FILES[1]), at)
    left.with_name(FILES[2]).unlink()

    with pytest.raises(UnusableStore, match="is damaged"):
        require_log(left, "history.db")


def test_a_write_that_was_under_way_is_none_that_was_lost(left: Path) -> None:
    left.with_name(FILES[2]).unlink()
    log = left.with_name(FILES[1])
    log.write_bytes(log.read_bytes()[:-100])

    require_log(left, "history.db")
    _change(log, -200)
    require_log(left, "history.db")


@pytest.mark.parametrize(
    "harm",
    [
        lambda log: log.write_bytes(log.read_bytes()[: 32 + 10 * (24 + 4096)]),
        lambda log: log.write_bytes(b""),
        lambda log: log.write_bytes(bytes(9_000)),
    ],
)
def test_a_log_that_is_cut_short_is_refused(left: Path, harm: Callable[[Path], object]) -> None:
    harm(left.with_name(FILES[1]))

    with pytest.raises(UnusableStore, match="is damaged"):
        require_log(left, "history.db")


def test_a_log_that_was_deleted_is_missed(left: Path) -> None:
    left.with_name(FILES[1]).unlink()

    with pytest.raises(UnusableStore, match="-wal is missing"):
        require_log(left, "history.db")


def test_an_index_that_cannot_be_read_says_nothing(left: Path) -> None:
    left.with_name(FILES[2]).write_bytes(b"short")
    require_log(left, "history.db")
    left.with_name(FILES[2]).write_bytes(bytes(100))

    require_log(left, "history.db")


def test_a_very_long_log_is_left_to_sqlite(left: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_ahead_log, "_MAX_FRAMES", 10)
    _change(left.with_name(FILES[1]), 5_000)

    require_log(left, "history.db")


def test_a_log_that_cannot_be_opened_is_left_to_sqlite(left: Path) -> None:
    left.with_name(FILES[1]).unlink()
    left.with_name(FILES[1]).mkdir()

    require_log(left, "history.db")


def test_a_history_with_a_damaged_log_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    with open_store(path) as store:
        store.begin(a_run())
        for name in FILES:
            (tmp_path / "left").mkdir(exist_ok=True)
            shutil.copy(tmp_path / name, tmp_path / "left" / name)
    _change(tmp_path / "left" / FILES[1], 5_000)

    for open_it in (open_store, open_existing):
        with pytest.raises(UnusableStore, match="is damaged"):
            open_it(tmp_path / "left" / FILES[0])


@pytest.mark.parametrize("harm", [lambda path: path.write_bytes(b""), lambda path: path.unlink()])
def test_a_log_of_an_empty_or_missing_file_is_not_deleted(
    left: Path, harm: Callable[[Path], object]
) -> None:
    harm(left)

    for open_it in (open_store, open_existing):
        with pytest.raises(UnusableStore, match="db-wal has writes"):
            open_it(left)
    assert left.with_name(FILES[1]).stat().st_size


def test_an_empty_file_is_not_a_history_without_runs(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    path.touch()

    with pytest.raises(UnusableStore, match="the file is empty"):
        open_existing(path)
    with open_store(path) as store:  # but a new one can begin in it
        assert store.runs() == []
