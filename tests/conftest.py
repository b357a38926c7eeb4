"""What holds for every test."""

from __future__ import annotations

import gc
import os

import pytest
from hypothesis import settings

pytest_plugins = [
    "pytester",  # the tests of our own plugin run pytest
    "tests.servers.postgres_server",  # databases on a server
]

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


@pytest.fixture(autouse=True)
def _is_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test runs prints the same on a build server as elsewhere."""
    for name in ("CI", "BUILD_NUMBER", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
