"""Kept results, counted by what they have in common."""

from __future__ import annotations

from typing import Any

from tests.history.made_up import an_evaluation

from callscore.core.run import CaseTrials, Failure, Usage
from callscore.core.settings import Settings
from callscore.history.light_results import LightResult
from callscore.runner.kept_counts import KeptCounts


def a_row(case: str, **about: Any) -> LightResult:
    fields: dict[str, Any] = {
        "run": 1,
        "number": 1,
        "evaluation": 0,
        "case": case,
        "trial": 1,
        "status": "scored",
        "passed": True,
        "seconds": 1.0,
        "requests": 1,
        "input_tokens": 10,
        "output_tokens": 2,
        "attempts": 1,
        "is_reused": False,
        "failure_kind": None,
        "failure": None,
        "scores": '[["accuracy",1.0,null]]',
        "tools": '{"search":[1,0,0,0,0]}',
        "counts": (1, 0, 0, 0, 1, 1, 0),
    }
    return LightResult(**fields | about)


def counts_of(*rows: LightResult, **about: Any) -> KeptCounts:
    return KeptCounts(an_evaluation("r", **about), rows, Settings())


def test_results_that_are_alike_are_counted_together() -> None:
    rows = [a_row("a"), a_row("b"), a_row("c", passed=False, counts=(0, 1, 0, 0, 1, 1, 0))]

    found = counts_of(*rows).results({}, has_all_failures=True)

    assert (found.cases, found.answered, found.passed) == (3, 3, 2)
    assert found.results.summary.outcomes == {(1, 1, 1, 0): 2, (0, 1, 1, 0): 1}
    assert found.results.summary.tools["search"].correct == 3
    assert (found.scorers[0].mean, found.scorers[0].scored) == (1.0, 3)
    assert found.usage == Usage(3, 30, 6)


def test_what_was_reused_cost_nothing() -> None:
    found = counts_of(a_row("a", is_reused=True)).results({}, has_all_failures=True)

    assert (found.reused, found.usage) == (1, Usage())


def test_answers_of_a_file_took_no_time() -> None:
    rows = [a_row("a", seconds=0.0), a_row("b", seconds=0.0)]

    assert counts_of(*rows).results({}, has_all_failures=True).seconds is None


def test_trials_without_a_decision_are_no_trials() -> None:
    rows = [
        a_row("a", trial=1),
        a_row("a", trial=2, passed=None),
        a_row("a", trial=3, status="error", passed=None, counts=None),
    ]

    counts = counts_of(*rows)

    assert counts.results({}, has_all_failures=True).trials == (CaseTrials("a", 2, 1),)
    assert counts.trial_of(rows[1]) == 2


def test_only_the_first_errors_are_named() -> None:
    rows = [
        a_row(str(n), status="error", passed=None, failure_kind="glowing", failure="it glows")
        for n in range(25)
    ]

    few = counts_of(*rows).results({}, has_all_failures=False)
    all_of_them = counts_of(*rows).results({}, has_all_failures=True)

    assert (len(few.failures), len(all_of_them.failures), few.errors) == (20, 25, 25)
    assert few.failures[0] == Failure(case="0", kind="raised", problem="it glows")
    assert (few.seconds, few.scorers) == (None, ())


def test_scorers_come_in_the_order_of_the_evaluation_with_its_thresholds() -> None:
    told = {"scorers": [{"name": "polite", "threshold": 0.5}, {"name": "accuracy"}], "skipped": 2}

    found = counts_of(a_row("a"), summary=told).results({}, has_all_failures=True)

    assert [(one.name, one.threshold) for one in found.scorers] == [
        ("polite", 0.5),
        ("accuracy", None),
    ]
    assert found.scorers[0].is_below
    assert found.skipped.count == 2


def test_answers_that_nothing_was_expected_of_are_named() -> None:
    row = a_row("a", status="not_scored", counts=None, tools=None)

    found = counts_of(row).results({}, has_all_failures=True)

    assert found.results.not_scored.names == ("a",)
    assert found.results.summary.cases == 0
