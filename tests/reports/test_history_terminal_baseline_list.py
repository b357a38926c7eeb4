"""Which names mean which runs."""

from __future__ import annotations

from io import StringIO

import msgspec
import pytest
from rich.console import Console
from tests.reports.histories import at

from callscore.core.rendering import display_width
from callscore.reports.history import BaselineRow, write_baselines_json
from callscore.reports.history_terminal import render_baselines, write_baselines

FOUND = [
    BaselineRow(
        name="main",
        run="20261114-090500-e5f6",
        started_at=at(14, 9, year=2025),
        set_at=at(15, 9, year=2025),
        git_commit="c21b609aaaa",
        git_dirty=True,
    ),
    BaselineRow(name="\x1b[31m", run="r", called="nightly", started_at=0.0, set_at=0.0),
]


def test_every_baseline_has_a_line() -> None:
    first, second, third = write_baselines(FOUND).splitlines()

    assert first.split() == ["baseline", "run", "when", "commit", "set"]
    assert second.startswith("◆ main")
    assert second.endswith("20261114-090500-e5f6    14 Nov 2025   c21b609*    15 Nov 2025")
    assert "\x1b" not in third
    assert write_baselines(FOUND, lang="ru").startswith("базовый")


@pytest.mark.parametrize("width", [20, 50, 80])
def test_a_narrow_terminal_loses_columns(width: int) -> None:
    console = Console(file=StringIO(), width=width, color_system=None)
    with console.capture() as capture:
        render_baselines(FOUND, console=console)

    assert max(display_width(line) for line in capture.get().splitlines()) <= width
    assert "◆ main" in capture.get()


def test_programs_are_told_everything() -> None:
    first, second = msgspec.json.decode(write_baselines_json(FOUND))

    assert first == {
        "name": "main",
        "run": "20261114-090500-e5f6",
        "called": None,
        "started_at": FOUND[0].started_at,
        "set_at": FOUND[0].set_at,
        "git_commit": "c21b609aaaa",
        "git_dirty": True,
    }
    assert second["called"] == "nightly"
