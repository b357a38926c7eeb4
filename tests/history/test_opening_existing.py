"""A history is opened to look for something in it, and not made for that."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest
from tests.history.made_up import a_run

from callscore.errors import UnknownRun, UnusableStore
from callscore.history import opening
from callscore.history.opening import StoreOpener, open_existing, open_store

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.history.store import Store


def test_none_is_made_where_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CALLSCORE_STORE", raising=False)
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UnknownRun, match=r"there is no run yet: .*history\.db does not exist"):
        open_existing()
    with pytest.raises(UnknownRun, match=r"other\.db"):
        open_existing(tmp_path / "other.db")
    monkeypatch.setenv("CALLSCORE_STORE", str(tmp_path / "said.db"))
    with pytest.raises(UnknownRun, match=r"said\.db"):
        open_existing("")

    assert list(tmp_path.iterdir()) == []


def test_one_that_is_there_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CALLSCORE_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    open_store().close()

    with open_existing() as store:
        assert store.runs() == []
    with open_existing(str(tmp_path / ".callscore" / "history.db")) as store:
        assert store.runs() == []


def test_a_server_is_asked_itself_whether_there_is_a_history(postgres_url: str) -> None:
    with open_existing(postgres_url) as store:
        assert store.runs() == []


def test_it_is_opened_once_and_only_when_somebody_asks(tmp_path: Path) -> None:
    opened: list[Store] = []

    def opening() -> Store:
        opened.append(open_store(tmp_path / "history.db"))
        return opened[-1]

    StoreOpener(opening).close()
    assert opened == []

    once = StoreOpener(opening)
    assert once() is once() is opened[0]
    once.close()
    assert len(opened) == 1


@pytest.fixture
def read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A history that cannot be written, nor anything beside it."""
    path = tmp_path / "history.db"
    with open_store(path) as store:
        store.begin(a_run())
    monkeypatch.setattr(opening, "_can_write", lambda _: False)
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
        with pytest.raises(UnusableStore, match="nothing can be written there"):
            store.begin(a_run("20261115-184354-aaaa", started_at=1.0))

    assert [each.name for each in read_only.parent.iterdir()] == ["history.db"]


def test_what_others_have_written_last_is_read_as_well(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    with open_store(path) as writing:
        writing.begin(a_run())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(opening, "_can_write", lambda _: False)
            with open_existing(path) as store:
                assert len(store.runs()) == 1


@pytest.mark.parametrize(
    ("version", "told"), [(1, "from before the first release"), (99, "a newer callscore")]
)
def test_another_version_that_cannot_be_written_is_told(
    read_only: Path, version: int, told: str
) -> None:
    with sqlite3.connect(read_only) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("UPDATE callscore_schema SET version = ?", [version])
    other.close()

    with pytest.raises(UnusableStore, match=told):
        open_existing(read_only)
