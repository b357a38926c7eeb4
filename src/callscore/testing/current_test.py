"""The test that is running: its defaults, its updates, and the text of its failure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.score import Score
    from callscore.rewriting.change import Change

__all__ = [
    "ANSWER_HINT",
    "RunningTest",
    "Updates",
    "failure_text",
    "running_as",
    "running_test",
    "text_width",
]


class Updates:
    """The expectations of a test that may be rewritten, in files below `root` only."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.changes: list[Change] = []
        self.confirmed: list[str] = []  # the locations of correct expectations


class RunningTest(Struct, eq=False):
    """A test while it runs; pytest runs one at a time in a process."""

    label: str = ""
    defaults: dict[str, Any] = {}  # options of `assert_calls`
    updates: Updates | None = None  # None if nothing is rewritten


_running: list[RunningTest] = []  # a test that runs pytest itself has another one inside


def running_test() -> RunningTest:
    """The running test; an empty one if none is running."""
    return _running[-1] if _running else RunningTest()


@contextmanager
def running_as(test: RunningTest) -> Iterator[RunningTest]:
    """Make a test the running one, also for the threads that it starts."""
    _running.append(test)
    try:
        yield test
    finally:
        _running.remove(test)


# What an answer is, for messages.
ANSWER_HINT = "the response, the messages or the calls, or [] if no tool was called"
_WIDTH = 100
_NARROWEST = 60
_WIDEST = 140
_MARGIN = 8  # pytest writes an E and some spaces before every line


def failure_text(score: Score) -> str:
    """The score on one line, and the calls of both sides below."""
    from callscore.hiding.hider import hide_for_report
    from callscore.reports.inert import escape_commands
    from callscore.words.diff import calls_text
    from callscore.words.value_text import exact_percent

    score = hide_for_report(score, is_live=True)
    least = score.settings.pass_mark
    required = f" | Required: ≥ {exact_percent(least)}" if least < 1 and not score.forbidden else ""
    calls = calls_text(score, width=text_width())
    return escape_commands(f"{score.summary}{required}\n\n{calls}")


def text_width() -> int:
    """The width that pytest leaves for the text of a failure."""
    from shutil import get_terminal_size

    return min(max(get_terminal_size((_WIDTH, 0)).columns, _NARROWEST), _WIDEST) - _MARGIN
