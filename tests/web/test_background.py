"""The page beside a run: another process, which ends with this one."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest
from tests.e2e.processes import wait_until

from callscore import processes
from callscore.errors import InvalidSettings
from callscore.web.background import page_beside

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process
WAIT = 300
# A process that starts the page, tells its address, and waits.
STARTER = """
import sys
from callscore.web.background import page_beside
with page_beside(None, "en") as (address, process):
    print(address, flush=True)
    sys.stdin.read()
"""


def test_the_page_is_served_until_the_block_ends(project: Path) -> None:
    del project
    with page_beside(None, "ru") as (address, process):
        with urlopen(address, timeout=WAIT) as answer:  # noqa: S310  (it is on this machine)
            html = answer.read()
        assert process.is_running

    assert b'<html lang="ru">' in html
    assert not process.is_running


def test_a_page_that_cannot_be_started_is_a_sentence(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del project
    monkeypatch.setattr(processes, "_PROGRAM", "import os; os._exit(3)")

    with (
        pytest.raises(InvalidSettings, match="the page could not be started"),
        page_beside(None, "en"),
    ):
        pass


def test_the_page_ends_with_the_process_that_started_it(project: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STARTER], cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as starter:
        assert starter.stdout is not None
        address = starter.stdout.readline().decode()
        with urlopen(address, timeout=WAIT) as answer:  # noqa: S310  (likewise)
            assert answer.status == 200
        starter.kill()
    wait_until(lambda: not is_served(address), "the page has ended, too")


def is_served(address: str) -> bool:
    try:
        with urlopen(address, timeout=WAIT):  # noqa: S310  (likewise)
            return True
    except OSError:  # refused, or reset while it ends
        return False
