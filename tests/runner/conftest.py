"""A history of its own for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.history.opening import open_store
from callscore.runner import event_loop

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.history.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / ".callscore/history.db") as opened:
        yield opened


@pytest.fixture(autouse=True)
def no_loop_from_before() -> Iterator[None]:
    """Runs share a loop, with the connections in it; tests do not."""
    yield
    event_loop.close_idle_loop()
