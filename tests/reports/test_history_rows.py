"""Runs by what they evaluated, each against the one before it."""

from __future__ import annotations

from typing import Any

from callscore.core.statistics import Interval
from callscore.reports.history_rows import RunRow, timelines


def row(name: str, share: float | None = 0.5, **about: Any) -> RunRow:
    """A run with a made-up share; a tenth to both sides is its interval."""
    interval = None if share is None else Interval(share - 0.1, share + 0.1)
    fields = {"command": "run", "started_at": 0.0, "suites": ("assistant",), **about}
    return RunRow(id=name, share=share, interval=interval, **fields)


def test_runs_are_grouped_by_what_they_evaluated_and_the_newest_comes_first() -> None:
    rows = [
        row("c", suites=("router",)),
        row("b"),
        row("a", suites=("router",)),
    ]

    first, second = timelines(rows)

    assert first.suites == ("router",)
    assert [step.row.id for step in first.steps] == ["c", "a"]
    assert [step.row.id for step in second.steps] == ["b"]


def test_a_run_is_held_against_the_one_before_it() -> None:
    (timeline,) = timelines([row("c", 0.5), row("b", 0.5), row("a", 0.75)])

    assert [(step.change, step.direction, step.is_outside) for step in timeline.steps] == [
        (0.0, "same", False),
        (-0.25, "down", True),
        (None, None, False),
    ]
    assert timeline.shares == (0.75, 0.5, 0.5)


def test_a_step_within_the_interval_of_the_run_before_is_a_small_one() -> None:
    (timeline,) = timelines([row("b", 0.55), row("a", 0.5)])

    assert timeline.steps[0].direction == "up"
    assert not timeline.steps[0].is_outside


def test_nothing_is_held_against_a_run_that_is_not_whole() -> None:
    rows = [
        row("f", 0.6),
        row("e", 0.1, status="interrupted"),
        row("d", 0.2, is_partial=True),
        row("c", 0.3, command="rescore"),
        row("b", None),
        row("a", 0.5),
    ]

    (timeline,) = timelines(rows)

    assert [step.change for step in timeline.steps] == [0.1, None, None, None, None, None]
    assert timeline.shares == (0.5, 0.6)


def test_a_share_without_an_interval_is_one_that_every_step_leaves() -> None:
    before = RunRow(id="a", command="run", started_at=0.0, share=0.5)

    (timeline,) = timelines([RunRow(id="b", command="run", started_at=1.0, share=0.6), before])

    assert timeline.steps[0].is_outside


def test_no_runs_have_no_timeline() -> None:
    assert timelines([]) == []
