"""The progress bar."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

from callscore import Case, score
from callscore.cli.progress import RunningScore, progress
from callscore.core.results import Failure, Result

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def use_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return shown


def test_a_long_file_has_a_bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = use_terminal(monkeypatch)
    file = tmp_path / "long.jsonl"
    file.write_bytes(b"\n" * 10_000_000)

    with progress([str(file)]) as on_bytes:
        assert on_bytes is not None
        on_bytes(5_000_000)

    assert "scoring" in terminal.getvalue()
    assert "10.0 MB" in terminal.getvalue()


def test_without_a_terminal_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())

    with progress(["-"]) as on_bytes:
        assert on_bytes is None


def test_an_error_counts_as_0_in_the_score_so_far() -> None:
    running = RunningScore()

    running.add(Result(case=Case(id="a"), score=score([], []), passed=True))
    running.add(Result(case=Case(id="b"), failure=Failure(case="b", kind="raised", problem="no")))

    assert running.text("en") == "score 0.500  1 error"
