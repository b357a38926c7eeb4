"""The totals of runs of which not every case is saved."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.results import MetricResult, Noted, Results
from callscore.core.score import UNANSWERED
from callscore.core.settings import DEFAULT
from callscore.core.summary import Summary, ToolCounts
from callscore.errors import InvalidSettings
from callscore.history.records import EvaluationRecord, RunRecord
from callscore.history.saved_totals import (
    SavedCounts,
    counts_of,
    counts_problem,
    evaluation_of_counts,
    number_of_results,
    require_every_case,
    saved_cases_of,
    saved_counts,
)

RIGHT, HALF, WRONG = (1, 1, 1, 0), (1, 2, 1, 0), (0, 1, 1, 0)
RECORD = EvaluationRecord(run="r", number=0, name="log", scorers=("accuracy",))


def a_summary() -> Summary:
    return Summary(
        outcomes={RIGHT: 6, HALF: 1, WRONG: 2, UNANSWERED: 1},
        tools={"f": ToolCounts(7, 1, 2, 3, 4)},
        wrong_arguments={("f", "x"): 2},
        confusion={("f", "g"): 1, (None, "h"): 1},
        trials={
            "flaky": {RIGHT: 1, WRONG: 1},
            "sure": {RIGHT: 2},
            "lost": {UNANSWERED: 1, RIGHT: 1},
        },
        faults={("f", "unknown_argument"): 3},
        checked_cases=5,
        checked_calls=9,
        valid_calls=6,
        uncounted_cases=1,
        turn_cases=4,
        joined_turn_cases=2,
        wrong_turns={1: 1, 12: 2},
    )


def counts_from(summary: Summary, **fields: Any) -> SavedCounts:
    results = Results(settings=DEFAULT, summary=summary, **fields)
    payload = msgspec.json.decode(msgspec.json.encode({"counts": counts_of(results)}))
    assert counts_problem(payload) is None
    found = saved_counts(payload)
    assert found is not None
    return found


def test_counts_are_the_summary_but_for_the_ids_of_cases_that_pass() -> None:
    found = counts_from(a_summary()).summary()

    expected = a_summary()
    assert msgspec.structs.replace(found, trials={}) == msgspec.structs.replace(expected, trials={})
    assert {name: found.trials[name] for name in ("flaky", "lost")} == {
        name: expected.trials[name] for name in ("flaky", "lost")
    }
    [other] = found.trials.keys() - expected.trials.keys()
    assert found.trials[other] == expected.trials["sure"]
    assert len(found.trials) == len(expected.trials)


@given(
    alone=st.dictionaries(st.sampled_from([RIGHT, HALF, WRONG, UNANSWERED]), st.integers(1, 50)),
    trials=st.dictionaries(
        st.text(max_size=3),
        st.dictionaries(
            st.sampled_from([RIGHT, HALF, WRONG, UNANSWERED]), st.integers(1, 4), min_size=1
        ),
        max_size=8,
    ),
)
def test_every_number_of_a_summary_survives(
    alone: dict[Any, int], trials: dict[str, dict[Any, int]]
) -> None:
    summary = Summary(outcomes=dict(alone))
    for case, outcomes in trials.items():
        for outcome, times in outcomes.items():
            for _ in range(times):
                summary.add_counts(outcome, {}, 1)
                summary.add_trial(case, outcome)

    found = counts_from(summary).summary()

    names = ("cases", "distinct_cases", "passed", "exact", "macro_f1", "macro_f1_interval")
    assert [getattr(found, name) for name in names] == [getattr(summary, name) for name in names]
    assert found.pass_hat_k() == pytest.approx(summary.pass_hat_k())


def test_kinds_are_all_cases_by_their_outcomes() -> None:
    found = list(counts_from(a_summary()).kinds())

    assert sum(sum(outcomes.values()) * times for outcomes, times in found) == 10
    assert sum(times for _, times in found) == a_summary().distinct_cases
    assert ({RIGHT: 2}, 1) in found
    assert ({HALF: 1}, 1) in found


def test_counts_are_the_results_of_an_evaluation() -> None:
    metrics = (MetricResult("bfcl", 0.5, 8, Noted(2), "1.0"),)
    counts = counts_from(a_summary(), not_scored=Noted(3), metrics=metrics)

    found = evaluation_of_counts(RECORD, counts, DEFAULT, "log.jsonl")

    assert (found.answered, found.passed, found.errors, found.undecided) == (12, 6, 1, 3)
    assert found.cases == a_summary().distinct_cases + 3
    assert found.scorers[0].mean == a_summary().macro_f1
    assert found.results.metrics == metrics
    by_name = {each.case: (each.passed, each.trials) for each in found.trials if each.case}
    assert by_name == {"flaky": (1, 2), "lost": (1, 2)}
    assert len(found.trials) == a_summary().distinct_cases


def test_a_mean_below_what_is_required_is_seen() -> None:
    record = msgspec.structs.replace(RECORD, fail_under={"accuracy": 0.99})

    found = evaluation_of_counts(record, counts_from(a_summary()), DEFAULT, "")

    assert found.scorers[0].is_below


@pytest.mark.parametrize(
    ("given", "saved"),
    [({}, "all"), ({"saved_cases": "failing"}, "failing"), ({"saved_cases": "odd"}, "all")],
)
def test_the_arguments_of_a_run_say_what_is_saved(given: dict[str, Any], saved: str) -> None:
    run = RunRecord(id="r", command="score", started_at=0, arguments=given)

    assert saved_cases_of(run) == saved


def test_what_needs_every_case_says_what_to_do() -> None:
    run = RunRecord(id="r", command="score", started_at=0, arguments={"saved_cases": "none"})

    with pytest.raises(
        InvalidSettings, match=r"no case was saved, and rescore .* --save-cases all"
    ):
        require_every_case(run, "rescore")


def test_the_number_of_results_is_that_of_the_saved_ones() -> None:
    assert number_of_results({"answered": 5, "errors": 2}) == 7
    assert number_of_results({"answered": 5, "errors": 2, "saved_results": 3}) == 3


@pytest.mark.parametrize(
    "counts",
    [
        {"outcomes": [[2, 1, 1, 0, 5]]},
        {"outcomes": [[1, 1, 1, -1, 5]]},
        {"outcomes": [[1, 1, 1, 0, -5]]},
        {"outcomes": [[1, 1, 1, 0]]},
        {"outcomes": [[1, 1, 1, 0, 1]], "trials": [[[[1, 1, 1, 0, 2]], 1]]},
        {"outcomes": [], "trials": [[[], 1]]},
        {"outcomes": [[1, 1, 1, 0, 1]], "named": [["a", [[1, 1, 1, 0, 1]]]]},
        {"tools": {"f": [1, 2]}},
        "all",
    ],
)
def test_impossible_counts_from_a_file_are_refused(counts: Any) -> None:
    problem = counts_problem({"counts": counts})

    assert problem is not None
    assert problem.startswith("counts: ")
