"""Runs that the reports of a history are tried on."""

from __future__ import annotations

from time import mktime
from typing import Any

from callscore.core.statistics import wilson
from callscore.reports.history import RunRow

__all__ = ["NOW", "RUNS", "a_run", "at"]


def at(day: int, hour: int, *, year: int = 2026) -> float:
    """A time in November, in the time of this place."""
    return mktime((year, 11, day, hour, 5, 0, 0, 0, -1))


NOW = at(15, 20)


def a_run(run: str, passed: int, *, of: int = 120, **about: Any) -> RunRow:
    """A run of the assistant."""
    fields = {
        "command": "run",
        "started_at": at(14, 9),
        "evaluation": "assistant",
        "cases": of,
        "trials": of,
        "answered": of,
        "passed": passed,
        "share": passed / of,
        "interval": wilson(passed, of),
        "f1": passed / of,
        **about,
    }
    return RunRow(id=run, **fields)


# The newest first.
RUNS = [
    a_run(
        "20261114-093000-rtr1",
        22,
        of=40,
        evaluation="router",
        variant="mini",
        place="evals/eval_router.py",
        started_at=at(14, 12),
    ),
    a_run(
        "20261114-090500-e5f6",
        84,
        errors=2,
        git_commit="c21b609aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        git_dirty=True,
    ),
    a_run("20261113-090500-d4e5", 40, of=41, is_partial=True, started_at=at(13, 9)),
    a_run("20261112-090500-c3d4", 111, started_at=at(12, 9), baselines=("main",), name="fast"),
    a_run("20261111-090500-b2c3", 20, of=31, status="interrupted", started_at=at(11, 9)),
    a_run("20261109-090500-a0b1", 108, command="rescore", started_at=at(9, 9)),
    a_run("20251101-090500-z9y8", 104, started_at=at(1, 9, year=2025)),
]
