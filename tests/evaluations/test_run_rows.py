"""Runs of the history as rows of a list."""

from __future__ import annotations

from typing import Any

import pytest
from tests.history.made_up import a_run

from callscore.evaluations.run_rows import heading_row, rows_of_runs
from callscore.history.records import EvaluationNumbers
from callscore.history.run_lookup import EvaluationLine, RunLine


def line(run: str, **about: Any) -> RunLine:
    tally = EvaluationNumbers(
        cases=4, decided=4, trials=5, answered=4, passed=3, share=0.75, f1=0.8, errors=1
    )
    evaluation = EvaluationLine(
        name="assistant", variant="large", place="eval_a.py::assistant", tally=tally
    )
    return RunLine(run=a_run(run, **about), baselines=("main",), evaluations=(evaluation,))


def test_a_row_has_what_the_line_says() -> None:
    (row,) = rows_of_runs(
        [line("a", name="fast", git_commit="c", git_dirty=True, status="finished")]
    )

    assert (row.id, row.name, row.baselines) == ("a", "fast", ("main",))
    assert (row.label, row.place, row.key) == (
        "assistant [large]",
        "eval_a.py",
        "eval_a.py::assistant",
    )
    assert (row.git_commit, row.git_dirty, row.status) == ("c", True, "finished")
    assert (row.cases, row.answered, row.passed, row.errors) == (4, 4, 3, 1)
    assert (row.share, row.f1) == (0.75, 0.8)
    assert row.interval is not None
    assert row.interval.low < 0.75 < row.interval.high


@pytest.mark.parametrize(
    ("arguments", "is_partial"),
    [
        ({}, False),
        ({"paths": ["."], "keyword": "", "tags": [], "limit": None, "cases": None}, False),
        ({"keyword": "weather"}, True),
        ({"tags": ["smoke"]}, True),
        ({"limit": 5}, True),
        ({"cases": [["a", None, "b"]]}, True),
    ],
)
def test_a_run_that_was_told_to_leave_cases_out_is_partial(
    arguments: dict[str, Any], is_partial: bool
) -> None:
    assert heading_row(a_run(arguments=arguments), [], {}).is_partial is is_partial


def test_files_that_were_scored_left_nothing_out() -> None:
    run = a_run(command="score", arguments={"cases": ["cases.jsonl"]})

    assert not heading_row(run, ["main"], {}).is_partial
    assert heading_row(run, ["main"], {}).baselines == ("main",)


def test_a_run_that_nobody_is_at_is_abandoned() -> None:
    running, left = rows_of_runs([line("b", status="running"), line("a", status="running")], {"a"})

    assert (running.status, left.status) == ("running", "abandoned")
    assert heading_row(a_run(), [], {}, is_left=True).status == "abandoned"


def test_a_run_that_has_evaluated_nothing_yet_has_a_row() -> None:
    (row,) = rows_of_runs([RunLine(run=a_run("a"))])

    assert (row.id, row.evaluation, row.label, row.share) == ("a", None, "", None)


def test_what_is_scored_again_is_as_partial_as_what_was_asked() -> None:
    lines = [
        line("c", command="rescore", parent="b"),
        line("b", command="rescore", parent="a"),
        line("a", arguments={"limit": 3}),
        line("x", command="rescore", parent="gone"),
        line("y", command="rescore", parent="y"),
    ]

    assert [row.is_partial for row in rows_of_runs(lines)] == [True, True, True, False, False]
