"""Runs by what they evaluated, each against the one before it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.reports.histories import NOW, RUNS, a_run, at

from callscore.core.statistics import Interval
from callscore.reports.history import (
    RunRow,
    commit_text,
    moment_cell,
    moment_text,
    share_interval_text,
    timelines_of,
    write_json,
)


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

    (timeline,) = timelines_of(rows, max_shown=2)

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


# The runs of a history, for programs.


def test_every_run_is_an_object_and_the_newest_comes_first() -> None:
    found = msgspec.json.decode(write_json(timelines_of(RUNS)))

    assert [run["id"] for run in found] == [run.id for run in RUNS]


def test_a_run_says_all_that_the_list_shows_of_it() -> None:
    before = a_run("a", 60, started_at=1.0)
    run = a_run("b", 90, started_at=2.0, git_commit="c" * 40, git_dirty=False, baselines=("main",))

    newest, _ = msgspec.json.decode(write_json(timelines_of([run, before])))

    (evaluation,) = newest.pop("evaluations")
    low, high = evaluation.pop("interval")
    assert low < 0.75 < high
    assert newest == {
        "id": "b",
        "name": None,
        "baselines": ["main"],
        "command": "run",
        "status": "finished",
        "started_at": 2.0,
        "git_commit": "c" * 40,
        "git_dirty": False,
        "is_partial": False,
        "unreadable": 0,
        "saved_cases": "all",
    }
    assert evaluation == {
        "name": "assistant",
        "variant": None,
        "place": "",
        "cases": 120,
        "trials": 120,
        "answered": 120,
        "passed": 90,
        "share": 0.75,
        "f1": 0.75,
        "errors": 0,
        "change": 0.25,
        "direction": "up",
        "has_other_cases": False,
    }


def test_the_evaluations_of_a_run_stand_in_it() -> None:
    rows = [a_run("b", 90), a_run("b", 60, evaluation="router"), a_run("a", 1, evaluation=None)]

    newest, empty = msgspec.json.decode(write_json(timelines_of(rows)))

    assert [each["name"] for each in newest["evaluations"]] == ["assistant", "router"]
    assert empty["evaluations"] == []


def test_no_runs_are_an_empty_array() -> None:
    assert write_json([]) == "[]\n"


def test_names_that_no_text_can_hold_are_spelled() -> None:
    run = a_run("a", 1, name="\ud800", interval=None)

    (found,) = msgspec.json.decode(write_json(timelines_of([run])))

    assert found["name"] == "\\ud800"
    assert found["evaluations"][0]["interval"] is None


# What is said of a list of runs.


def test_a_moment_is_told_in_the_time_of_this_place() -> None:
    assert moment_text(at(14, 9), "en", now=NOW) == "14 Nov 09:05"
    assert moment_text(at(14, 9), "ru", now=NOW) == "14 ноя 09:05"
    assert moment_text(at(1, 9, year=2025), "en", now=NOW) == "1 Nov 2025"


def test_in_a_table_every_moment_is_as_wide_as_the_others() -> None:
    days = [at(1, 9), at(14, 9), at(1, 9, year=2025)]

    assert {len(moment_cell(day, "en", now=NOW)) for day in days} == {12}


@pytest.mark.parametrize("nonsense", [1e300, float("nan"), float("inf")])
def test_a_moment_that_never_was_is_a_dash(nonsense: float) -> None:
    assert moment_text(nonsense, "en") == "–"


def test_an_interval_is_told_in_whole_percent() -> None:
    assert share_interval_text(Interval(0.614, 0.776)) == "61–78%"
    assert share_interval_text(None) == ""


def test_a_commit_has_a_star_where_files_had_changed() -> None:
    assert commit_text("0123456789", is_dirty=False) == "0123456"
    assert commit_text("0123456789", is_dirty=True) == "0123456*"
    assert commit_text("0123456789", is_dirty=None) == "0123456"
    assert commit_text(None, is_dirty=True) == ""
