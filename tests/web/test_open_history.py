"""The history of the page: shared by threads, opened when it is needed, and again when it has to be."""

from __future__ import annotations

import os
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from tests.history.made_up import a_run

from callscore.errors import UnknownRun, UnusableStore
from callscore.history.opening import open_store
from callscore.web.open_history import History

if TYPE_CHECKING:
    from pathlib import Path


def test_without_a_history_nothing_is_made(project: Path) -> None:
    history = History()

    with history.opened_or_none() as store:
        assert store is None
    with pytest.raises(UnknownRun), history.opened():
        pass

    assert not (project / ".callscore").exists()
    assert history.name == str(project / ".callscore/history.db")


def test_a_history_that_is_just_being_created_is_waited_for(project: Path) -> None:
    file = project / ".callscore/history.db"
    file.parent.mkdir()
    file.touch()
    history = History()

    def create() -> None:
        with history.opened() as store:
            found.append(store.runs())

    found: list[object] = []
    waiting = Thread(target=create)
    waiting.start()
    open_store(file).close()
    waiting.join()

    assert found == [[]]
    history.close()


def test_an_old_file_that_is_empty_is_refused_at_once(project: Path) -> None:
    file = project / ".callscore/history.db"
    file.parent.mkdir()
    file.touch()
    os.utime(file, (1, 1))

    with pytest.raises(UnusableStore, match="the file is empty"), History().opened():
        pass


def test_it_stays_open(project: Path) -> None:
    del project
    open_store().close()
    history = History()

    with history.opened() as first, history.opened() as second:
        assert first is second
    assert history.name == ".callscore/history.db"
    history.close()


def test_a_file_that_was_replaced_is_opened_anew(project: Path) -> None:
    history = History()
    with open_store() as store:
        store.begin(a_run())
    with history.opened() as first:
        assert len(first.runs()) == 1
    for file in (project / ".callscore").glob("history.db*"):
        file.unlink()
    open_store().close()

    with history.opened() as second:
        assert second.runs() == []
    history.close()


def test_after_an_error_it_is_opened_anew(project: Path) -> None:
    del project
    open_store().close()
    history = History()

    def fail() -> None:
        with history.opened() as store:
            seen.append(store)
            raise UnusableStore("history.db", "the disk reports an error.")

    seen: list[object] = []
    with pytest.raises(UnusableStore):
        fail()
    with history.opened() as store:
        assert store is not seen[0]
    history.close()


def test_the_name_of_a_history_has_no_password() -> None:
    address = "postgresql://anna:very-secret@127.0.0.1:1/nowhere"

    assert History(address).name == ""
