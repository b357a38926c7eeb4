"""`callscore run` on a terminal: colours, and a bar while it runs."""

from __future__ import annotations

import os
import pty
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.e2e.agents import ASSISTANT, add_file
from tests.e2e.processes import started, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


TERMINAL = {"TERM": "xterm-256color", "COLUMNS": "100"}

# It does not end before the test has seen what there is to see.
WAITING = """
from time import sleep

@evaluation(cases=CASES)
def assistant(case):
    print("thinking about " + case.id)
    while case.id == "greeting" and not Path("go-on").exists():
        sleep(0.02)
    if case.id == "sum":
        raise ValueError("tired")
    return ANSWERS[case.id]
"""


class Screen:
    """What has appeared on a terminal."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._seen = b""
        os.set_blocking(terminal, False)

    def text(self) -> str:
        while True:
            try:
                some = os.read(self._terminal, 65536)
            except BlockingIOError:
                break
            except OSError:  # the other side is closed
                break
            if not some:
                break
            self._seen += some
        return self._seen.decode(errors="replace")


@contextmanager
def terminal() -> Iterator[tuple[int, Screen]]:
    mine, theirs = pty.openpty()
    try:
        yield theirs, Screen(mine)
    finally:
        os.close(theirs)
        os.close(mine)


def test_a_bar_goes_along_on_a_terminal_and_the_report_goes_into_the_pipe(tmp_path: Path) -> None:
    add_file(tmp_path, "eval_waiting.py", WAITING)
    with (
        terminal() as (device, screen),
        started(tmp_path, "run", "--jobs", "3", stderr=device, environment=TERMINAL) as process,
    ):
        wait_until(lambda: "2/3" in screen.text(), "two of three are done")
        wait_until(lambda: "score 0.500  1 error" in screen.text(), "what they come to")
        (tmp_path / "go-on").touch()
        assert process.wait() == 4
        seen = screen.text()

    report = (tmp_path / "stdout").read_text()
    assert "thinking about weather" in seen
    assert "\x1b" not in report
    assert report.startswith("assistant   eval_waiting.py:")
    assert "thinking" not in report
    assert seen.rstrip().endswith("callscore: assistant: no answer for 1 case")


@pytest.mark.parametrize(
    ("environment", "is_coloured"), [(TERMINAL, True), ({**TERMINAL, "NO_COLOR": "1"}, False)]
)
def test_the_report_is_coloured_on_a_terminal_unless_somebody_wants_none(
    tmp_path: Path, environment: dict[str, str], is_coloured: bool
) -> None:
    add_file(tmp_path, "eval_assistant.py", ASSISTANT)
    with (
        terminal() as (device, screen),
        started(tmp_path, "run", stdout=device, environment=environment) as process,
    ):
        assert process.wait() == 0
        seen = screen.text()

    assert ("\x1b[1;32mAll 3 passed" in seen) is is_coloured
    assert "All 3 passed" in seen
    assert (tmp_path / "stderr").read_bytes() == b""  # no bar, where it is no terminal
