"""A history of its own for each test: once in a file, and once on a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.history.store import Store

KINDS = ("sqlite", "postgresql")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let every test run on both kinds; one that looks at the file is about files alone."""
    if "place" in metafunc.fixturenames:
        kinds = KINDS[:1] if "path" in metafunc.fixturenames else KINDS
        metafunc.parametrize("place", kinds, indirect=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".callscore/history.db"


@pytest.fixture
def place(request: pytest.FixtureRequest) -> Path | str:
    """Where a history may be made: a file, or the address of a database."""
    wanted: Path | str = request.getfixturevalue(
        "path" if request.param == "sqlite" else "postgres_url"
    )
    return wanted


@pytest.fixture
def store(place: Path | str) -> Iterator[Store]:
    with open_store(place) as opened:
        yield opened
