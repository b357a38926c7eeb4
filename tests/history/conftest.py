"""A history of its own for each test, in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.history.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".callscore/history.db"


@pytest.fixture
def place(path: Path) -> Path | str:
    """Where a history may be made; a test of both kinds has another."""
    return path


@pytest.fixture
def store(place: Path | str) -> Iterator[Store]:
    with open_store(place) as opened:
        yield opened
