"""A history of its own for each test."""

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
def store(path: Path) -> Iterator[Store]:
    with open_store(path) as opened:
        yield opened
