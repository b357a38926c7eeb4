"""`callscore baseline`, from the command line to the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.e2e.histories import add_run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    """The ids of two runs, the newest first."""
    oldest = add_run(tmp_path)
    return [add_run(tmp_path), oldest]


def test_a_hostile_name_is_harmless(callscore: Program, runs: list[str]) -> None:
    said = callscore("baseline", "set", "latest", "--name", "it's; [red]")

    assert said.stdout.endswith("callscore gate --against 'it'\"'\"'s; [red]'\n")
    assert "◆ it's; [red]" in callscore("baseline", "list").stdout
    assert runs
