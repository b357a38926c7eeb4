"""A run of the history, for people."""

from __future__ import annotations

from tests.reports.histories import a_run, at
from tests.reports.runs import FINE, MIXED

from callscore.reports import run_terminal
from callscore.reports.run_terminal import write_kept_run


def test_a_run_has_a_heading_and_then_what_it_gave() -> None:
    row = a_run(
        "20261115-184354-k3f9",
        3,
        name="fast",
        baselines=("main",),
        started_at=at(14, 9, year=2025),
        git_commit="c21b609aaaa",
    )

    report = write_kept_run(row, FINE)

    heading = "20261115-184354-k3f9   ◆ main, fast\n14 Nov 2025, commit c21b609\n\n"
    assert report == heading + run_terminal.write_text(FINE)


def test_what_is_unusual_about_a_run_is_said() -> None:
    row = a_run("a", 3, command="rescore", status="interrupted", is_partial=True, started_at=0.0)

    report = write_kept_run(row, FINE)

    assert report.startswith("a\n")
    assert report.splitlines()[1].endswith(", rescored, interrupted, some cases")


def test_nothing_is_said_of_an_exit_code_of_long_ago() -> None:
    row = a_run("a", 3)

    assert write_kept_run(row, MIXED).endswith(run_terminal.write_text(MIXED, is_past=True))
