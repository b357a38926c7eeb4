"""The history of the page: shared by threads, opened when it is needed, and again when it has to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.errors import UnknownRun
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


def test_the_name_of_a_history_has_no_password() -> None:
    address = "postgresql://anna:very-secret@127.0.0.1:1/nowhere"

    assert History(address).name == ""
