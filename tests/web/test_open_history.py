"""The history of the page: shared by threads, opened when it is needed, and again when it has to be."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING

import pytest

from callscore.errors import UnknownRun
from callscore.history.opening import open_store
from callscore.web import open_history
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


def test_a_history_that_is_just_being_created_is_waited_for(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_history, "_BEGINNING", 300.0)
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


def test_the_name_of_a_history_has_no_password() -> None:
    address = "postgresql://anna:very-secret@127.0.0.1:1/nowhere"

    assert History(address).name == ""
