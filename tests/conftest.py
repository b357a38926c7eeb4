"""What holds for every test."""

from __future__ import annotations

import gc
import os
import signal
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest_plugins = [
    "pytester",  # the tests of our own plugin run pytest
    "tests.servers.postgres_server",  # databases on a server
]

PATIENCE = 300  # seconds that a test may take, whatever it waits for

# A slow machine is no bug: how long an example takes is the benchmarks' business.
settings.register_profile("callscore", deadline=None)
# Where a failure must repeat, every run draws the same examples.
settings.register_profile(
    "repeatable", settings.get_profile("callscore"), derandomize=True, database=None
)
settings.load_profile("repeatable" if os.environ.get("CI") else "callscore")


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over all that was collected.

    It stays to the end, and the tests that run pytest in pytest ask for a full collection each.
    """
    gc.collect()
    gc.freeze()


def pytest_configure() -> None:
    """Hear Ctrl-C, though whoever began the tests in the background has it ignored.

    What a test starts inherits it, and many a test sends it.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _is_at_home(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test runs prints the same on a build server as elsewhere, and nobody waits for ever."""
    for name in ("CI", "BUILD_NUMBER", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    before = signal.signal(signal.SIGALRM, _waited_in_vain)
    # And again, since a block may wait when it is left.
    signal.setitimer(signal.ITIMER_REAL, PATIENCE, 10)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def _waited_in_vain(*_: Any) -> NoReturn:
    pytest.fail(f"it has not ended in {PATIENCE} seconds")
