"""Runs by what they evaluated, each against the one before it."""

from __future__ import annotations

from typing import Any

from callscore.core.statistics import Interval
from callscore.reports.history import RunRow, timelines_of


def row(name: str, share: float | None = 0.5, **about: Any) -> RunRow:
    """A run with a made-up share; a tenth to both sides is its interval."""
    interval = None if share is None else Interval(share - 0.1, share + 0.1)
    fields = {"command": "run", "started_at": 0.0, "evaluation": "assistant", "cases": 10, **about}
    return RunRow(id=name, share=share, interval=interval, **fields)


def test_runs_are_grouped_by_what_they_evaluated_and_the_newest_comes_first() -> None:
    rows = [
        row("c", evaluation="router"),
        row("b"),
        row("a", evaluation="router"),
    ]

    first, second = timelines_of(rows)

    assert first.label == "router"
    assert [step.row.id for step in first.steps] == ["c", "a"]
    assert [step.row.id for step in second.steps] == ["b"]


def test_evaluations_of_one_name_in_two_files_or_under_two_variants_are_not_one() -> None:
    rows = [
        row("b", key="a/eval_w.py::assistant", place="a/eval_w.py"),
        row("b", key="b/eval_w.py::assistant", place="b/eval_w.py"),
        row("b", key="b/eval_w.py::assistant", variant="large"),
        row("a", key="a/eval_w.py::assistant"),
    ]

    found = timelines_of(rows)

    assert [len(timeline.steps) for timeline in found] == [2, 1, 1]
    assert [timeline.place for timeline in found[:2]] == ["a/eval_w.py", "b/eval_w.py"]
    assert found[2].label == "assistant [large]"


def test_another_evaluation_in_a_run_takes_no_trend_away() -> None:
    rows = [row("b", 0.6), row("b", 0.9, evaluation="router"), row("a", 0.5)]

    first, _ = timelines_of(rows)

    assert first.steps[0].change == 0.1


def test_the_last_that_is_shown_is_held_against_one_that_is_not() -> None:
    rows = [row("c", 0.7), row("b", 0.6), row("a", 0.5), row("a", evaluation="old")]

    (timeline,) = timelines_of(rows, most=2)

    assert [(step.row.id, step.change) for step in timeline.steps] == [("c", 0.1), ("b", 0.1)]
    assert timeline.shares == (0.6, 0.7)


def test_more_cases_than_before_are_neither_praised_nor_blamed() -> None:
    (timeline,) = timelines_of([row("b", 0.9, cases=11), row("a", 0.5)])

    newest, oldest = timeline.steps
    assert (newest.change, newest.direction, newest.has_other_cases) == (None, None, True)
    assert not oldest.has_other_cases


def test_a_run_is_held_against_the_one_before_it() -> None:
    (timeline,) = timelines_of([row("c", 0.5), row("b", 0.5), row("a", 0.75)])

    assert [(step.change, step.direction, step.is_outside) for step in timeline.steps] == [
        (0.0, "same", False),
        (-0.25, "down", True),
        (None, None, False),
    ]
    assert timeline.shares == (0.75, 0.5, 0.5)


def test_a_step_within_the_interval_of_the_run_before_is_a_small_one() -> None:
    (timeline,) = timelines_of([row("b", 0.55), row("a", 0.5)])

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

    (timeline,) = timelines_of(rows)

    assert [step.change for step in timeline.steps] == [0.1, None, None, None, None, None]
    assert timeline.shares == (0.5, 0.6)


def test_a_share_without_an_interval_is_one_that_every_step_leaves() -> None:
    before = RunRow(id="a", command="run", started_at=0.0, share=0.5)

    (timeline,) = timelines_of([RunRow(id="b", command="run", started_at=1.0, share=0.6), before])

    assert timeline.steps[0].is_outside


def test_no_runs_have_no_timeline() -> None:
    assert timelines_of([]) == []
