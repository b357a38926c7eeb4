"""`callscore view`, running over the history of a folder, for tests that look at its page in a browser.

    def test_it(page: Page, airline_page: str) -> None:
        page.goto(airline_page)

`airline_page` is one server for all tests that change nothing. A test that changes something starts
a server of its own with `viewed`.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol

import pytest
from tests.e2e.processes import started, wait_until
from tests.e2e.weather import program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.servers.browser import Conduct

__all__ = ["Viewed", "airline_page", "airline_view", "run_ids", "serving", "viewed"]

ENDING = 300  # seconds that the server may take to end


class Viewed(Protocol):
    def __call__(self, folder: Path, *options: str) -> str:
        """Start `callscore view` in a folder for as long as the test lasts; the address of its page."""


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[str]:
    """`callscore view` on a free port of this machine; the address, without the last slash."""
    words = ("view", "--port", "0", "--no-browser", *options)
    said = folder / "view.log"  # not where another command of the same folder writes
    with said.open("wb") as log, started(folder, *words, stderr=log.fileno()) as process:
        wait_until(lambda: "http://" in said.read_text(encoding="utf-8"), "the address of the page")
        found = re.search(r"http://[\d.:]+", said.read_text(encoding="utf-8"))
        assert found
        yield found[0]
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(ENDING)


@pytest.fixture
def viewed(conduct: Conduct) -> Iterator[Viewed]:
    """Starts pages of a test's own."""
    opened = []

    def start(folder: Path, *options: str) -> str:
        server = serving(folder, *options)
        opened.append(server)
        address = server.__enter__()
        conduct.origins.add(address)
        return address

    yield start
    for server in opened:
        server.__exit__(None, None, None)


@pytest.fixture(scope="session")
def airline_view(
    airline_project: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path]]:
    """The page of four runs of the airline's suite, and the folder."""
    folder = tmp_path_factory.mktemp("view") / "airline"
    shutil.copytree(airline_project, folder)
    with serving(folder) as address:
        yield address, folder


@pytest.fixture
def airline_page(airline_view: tuple[str, Path], conduct: Conduct) -> str:
    """The address of that page. Tests change nothing there."""
    conduct.origins.add(airline_view[0])
    return airline_view[0]


def run_ids(folder: Path) -> list[str]:
    """The runs in the history of a folder, the newest first."""
    return re.findall(r"\b\d{8}-\d{6}-\w{4}\b", program(folder, "history"))
