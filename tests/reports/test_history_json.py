"""The runs of a history, for programs."""

from __future__ import annotations

import msgspec
from tests.reports.histories import RUNS, a_run

from callscore.reports.history import timelines_of, write_json


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
    }
    assert evaluation == {
        "name": "assistant",
        "variant": None,
        "place": "",
        "cases": 120,
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
