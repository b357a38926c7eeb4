"""A history is opened to look for something in it, and not made for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.errors import UnknownRun
from callscore.history.existing import StoreOnce, open_existing
from callscore.history.opening import open_store

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

    StoreOnce(opening).close()
    assert opened == []

    once = StoreOnce(opening)
    assert once() is once() is opened[0]
    once.close()
    assert len(opened) == 1
