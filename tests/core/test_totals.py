"""What the questions of an evaluation come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.runner.agents import a_case

from callscore import Case, score
from callscore.core.results import (
    Answer,
    CaseTrials,
    Failure,
    MetricValue,
    Noted,
    Result,
    ScoreCounts,
    Usage,
    answer_passes,
)
from callscore.core.score import UNANSWERED
from callscore.core.settings import DEFAULT
from callscore.core.summary import Summary
from callscore.core.totals import Column, EvaluationTotals, NameCounter, Totals, summary_payload

if TYPE_CHECKING:
    from callscore.core.results import EvaluationResults

ABOUT = {"name": "assistant", "place": "eval_a.py:3", "variant": None}


def outcome(name: str, value: float | None = 1.0, **others: Any) -> Result:
    made: list[Any] = [("f", {})] if value else []
    fields: dict[str, Any] = {"reused": False, "trial": None, "expected": [("f", {})]} | others
    case = a_case(name, expected=fields["expected"], trial=fields["trial"])
    values = (MetricValue("accuracy", value, None if value is not None else "nobody knows"),)
    return Result(
        case=case,
        status="not_scored" if fields["expected"] is None else "scored",
        answer=Answer(
            document=[],
            seconds=fields.get("seconds", 1.0),
            usage=Usage(1, 20, 10),
            is_reused=fields["reused"],
        ),
        score=None if fields["expected"] is None else score(fields["expected"], made),
        values=values,
        passed=answer_passes(values, 1.0),
    )


def result_of(found: Result | Failure) -> Result:
    if isinstance(found, Result):
        return found
    return Result(case=Case(id=found.case, trial=found.trial), status="error", failure=found)


def gather(*outcomes: Result | Failure, order: list[int] | None = None, **options: Any) -> Any:
    fail_under = options.pop("fail_under", {"accuracy": None})
    totals = EvaluationTotals(DEFAULT, fail_under, **options)
    for position in order or range(len(outcomes)):
        totals.add(result_of(outcomes[position]), position)
    found: EvaluationResults = totals.evaluation(ABOUT)
    return found


def test_answers_are_counted_by_what_became_of_them() -> None:
    failure = Failure(case="d", kind="raised", problem="no")

    found = gather(outcome("a"), outcome("b", 0.0), outcome("c", None), failure)

    assert (found.answered, found.passed, found.undecided, found.errors) == (3, 1, 1, 1)
    assert found.failures == (failure,)
    assert found.label == "assistant"


def test_the_first_failing_cases_are_shown_in_the_order_of_the_plan() -> None:
    cases = [outcome(name, 0.0) for name in "abcde"]

    found = gather(*cases, order=[4, 2, 0, 3, 1], max_shown=3)

    assert [case.id for case in found.results.cases] == ["a", "b", "c"]
    assert found.results.not_shown == 2
    assert found.results.cases[0].values == (MetricValue("accuracy", 0.0),)


def test_the_trials_of_a_case_belong_together() -> None:
    found = gather(
        outcome("a", trial=1),
        outcome("a", 0.0, trial=2),
        outcome("b", trial=1),
        outcome("b", None, trial=2),
    )

    assert found.trials == (CaseTrials("a", 2, 1), CaseTrials("b", 1, 1))
    assert found.trials[0].is_flaky
    assert set(found.results.summary.trials) == {"a", "b"}


def test_reused_answers_add_no_usage_and_no_seconds() -> None:
    found = gather(
        outcome("a", seconds=1), outcome("b", seconds=2), outcome("c", reused=True, seconds=9)
    )

    assert found.usage == Usage(2, 40, 20)
    assert found.reused == 1
    assert found.seconds == 2


def test_a_column_counts_apart_where_its_scorer_is_broken() -> None:
    column = Column("polite", 0.5, 0.9)
    for _ in range(2):
        column.add(MetricValue("polite", None, "it raises KeyError", is_broken=True))

    result = column.scorer(is_complete=True)

    assert (result.scored, result.not_scorable) == (0, Noted())
    assert result.broken == Noted(2, ("it raises KeyError",))


def test_a_case_that_fails_at_every_trial_is_shown_once() -> None:
    trials = [outcome(name, 0.0, trial=trial) for name in ("a", "b", "c") for trial in (1, 2)]

    found = gather(*trials, order=[1, 3, 2, 0, 5, 4], max_shown=2)

    assert [case.label for case in found.results.cases] == ["a #1", "b #1"]
    assert found.results.not_shown == 1  # a case, and not its two answers
    assert (found.cases, found.questions) == (3, 6)


def test_fail_under_does_not_apply_to_what_was_not_asked() -> None:
    totals = EvaluationTotals(DEFAULT, {"accuracy": 0.9})
    skipped = totals.evaluation(ABOUT, skipped=Noted(2), cases=0, questions=0)
    totals.add(outcome("a", 0.0), 0)
    some = totals.evaluation(ABOUT, cases=2, questions=2)
    totals.add(outcome("b", 0.0), 1)
    everything = totals.evaluation(ABOUT, cases=2, questions=2)

    found = (skipped, some, everything)
    assert [each.scorers[0].is_below for each in found] == [False, False, True]


# --- read back --------------------------------------------------------------------------------


def kept(name: str, **about: Any) -> Result:
    fields: dict[str, Any] = {
        "case": Case(id=name, trial=about.pop("trial", None)),
        "passed": True,
        "answer": Answer(seconds=about.pop("seconds", 1.0), usage=Usage(1, 10, 2)),
        "values": (MetricValue("accuracy", 1.0),),
        "saved": ScoreCounts(counts=(1, 0, 0, 0, 1, 1, 0), tools={"search": (1, 0, 0, 0, 0)}),
    }
    return Result(**fields | about)


def read_back(*results: Result, **fail_under: float | None) -> EvaluationResults:
    totals = EvaluationTotals(DEFAULT, fail_under, show="none")
    for each in results:
        totals.add(each)
    return totals.evaluation(ABOUT, is_saved=True)


def test_saved_scores_are_counted_like_computed_ones() -> None:
    wrong = ScoreCounts(counts=(0, 1, 0, 0, 1, 1, 0), tools={"search": (0, 1, 0, 0, 0)})

    found = read_back(kept("a"), kept("b"), kept("c", passed=False, saved=wrong))

    assert (found.cases, found.answered, found.passed) == (3, 3, 2)
    assert found.results.summary.outcomes == {(1, 1, 1, 0): 2, (0, 1, 1, 0): 1}
    assert found.results.summary.tools["search"].correct == 2
    assert found.results.summary.tools["search"].incorrect == 1
    assert (found.scorers[0].mean, found.scorers[0].scored) == (1.0, 3)
    assert found.usage == Usage(3, 30, 6)


def test_trials_without_a_decision_are_no_trials() -> None:
    gone = Failure(case="a", kind="raised", problem="no", trial=3)

    found = read_back(
        kept("a", trial=1),
        kept("a", trial=2, passed=None),
        kept("a", trial=3, status="error", passed=None, failure=gone),
    )

    assert found.trials == (CaseTrials("a", 2, 1),)


# The list of all cases of a small evaluation.


def test_a_required_mean_is_missed_if_no_call_counts() -> None:
    result = replace(outcome("a"), score=score(["get_x"], ["get_y"], preset="outcome"))

    needed = gather(result, fail_under={"accuracy": 0.9}).scorers[0]
    any_score = gather(result, fail_under={"accuracy": 0.0}).scorers[0]

    assert (needed.mean, needed.scored, needed.is_below) == (None, 0, True)
    assert (any_score.mean, any_score.is_below) == (1.0, False)


def test_an_error_counts_as_0_in_every_mean() -> None:
    found = gather(
        outcome("a"),
        outcome("b", 0.0),
        outcome("c"),
        Failure(case="d", kind="raised", problem="boom"),
    )
    nothing = gather(*[Failure(case=name, kind="raised", problem="boom") for name in "ab"])
    undecided = gather(outcome("a", None), Failure(case="b", kind="raised", problem="boom"))

    (scorer,) = found.scorers
    assert (scorer.mean, scorer.scored, scorer.passed) == (0.5, 4, 2)
    assert (found.decided, found.passed, found.not_run) == (4, 2, 0)
    assert [(one.mean, one.scored) for one in nothing.scorers] == [(0.0, 2)]
    assert [(one.mean, one.scored) for one in undecided.scorers] == [(None, 0)]
    assert summary_payload([found])["f1"] == 0.5
    assert summary_payload([nothing])["f1"] == 0.0


def test_every_case_of_a_small_evaluation_is_listed_in_the_order_of_the_plan() -> None:
    found = gather(
        outcome("a"),
        outcome("b", 0.0),
        Failure(case="c", kind="raised", problem="boom"),
        outcome("d", None),
        order=[3, 1, 2, 0],
        max_listed=4,
    )

    assert [[each.id for each in trials] for trials in found.listed] == [["a"], ["b"], ["c"], ["d"]]


def totals_of(*found: Result) -> Totals:
    totals = Totals()
    for each in found:
        totals.add(each)
    return totals


MIXED = [
    *[
        outcome(name, 0.0 if name == "b" else 1 / 3, trial=trial)
        for name in "ab"
        for trial in (1, 2)
    ],
    outcome("c", None, reused=True),
    outcome("d", expected=None),
    *[
        result_of(Failure(case=kind, kind=kind, problem="no"))
        for kind in ("missing", "unscored", "raised")
    ],
]


def test_totals_of_parts_merge_to_those_of_the_whole_in_any_order() -> None:
    whole = totals_of(*MIXED)
    last, first = totals_of(*MIXED[5:]), totals_of(*MIXED[:5])

    last.merge(first)

    assert last.to_dict()["columns"] == whole.to_dict()["columns"]
    assert last.summary == whole.summary
    assert (last.answered, last.passed, last.undecided, last.errors) == (6, 1, 1, 3)
    assert (last.usage, last.reused, last.unscored) == (Usage(5, 100, 50), 1, 1)
    assert (last.not_run.names, last.not_scored.names) == (["missing"], ["d"])


def test_totals_are_read_back_from_json() -> None:
    totals = totals_of(*MIXED)

    text = msgspec.json.encode(totals.to_dict())

    assert Totals.from_dict(msgspec.json.decode(text)) == totals
    assert Totals.from_dict(Totals().to_dict()) == Totals()


def test_of_the_names_of_parts_those_that_sort_first_can_stay() -> None:
    first, last = Totals(), Totals()
    first.not_run.add("b")
    last.not_run.add("a")

    first.merge(last, by_name=True)

    assert first.not_run == NameCounter(count=2, names=["a", "b"])


# --- cases that were added up elsewhere ---------------------------------------------------------


def test_a_summary_counts_as_its_cases_do() -> None:
    names = [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    results = [
        outcome(name, 0.0 if (name, trial) == ("b", 2) else 1.0, trial=trial)
        for name, trial in names
    ]
    one_by_one, at_once = (
        EvaluationTotals(DEFAULT, {"accuracy": 0.9}),
        EvaluationTotals(DEFAULT, {"accuracy": 0.9}),
    )
    summary = Summary()
    for each in results:
        one_by_one.add(each)
        assert each.score is not None
        summary.add(each.score, trial_of=each.case.id)

    at_once.add_counted(summary, "accuracy")

    first, second = one_by_one.evaluation(ABOUT), at_once.evaluation(ABOUT, cases=2)
    assert summary_payload([second]) | {"seconds": None} == summary_payload([first]) | {
        "seconds": None,
        **dict.fromkeys(("requests", "input_tokens", "output_tokens", "reused"), 0),
    }
    assert (second.scorers, second.trials) == (first.scorers, first.trials)
    assert second.results.summary == first.results.summary


def test_a_missing_answer_of_a_summary_is_an_error() -> None:
    totals = EvaluationTotals(DEFAULT, {"accuracy": None})

    totals.add_counted(Summary(outcomes={(1, 1, 1, 0): 3, UNANSWERED: 1}), "accuracy", not_scored=2)

    found = totals.evaluation(ABOUT, cases=6)
    assert (found.answered, found.passed, found.errors, found.undecided) == (5, 3, 1, 2)
    assert found.results.summary.outcomes == {(1, 1, 1, 0): 3, UNANSWERED: 1}
    assert (found.scorers[0].mean, found.scorers[0].scored) == (0.75, 4)
    assert summary_payload([found])["f1"] == 0.75


def test_failures_are_kept_up_to_a_bound_unless_all_are_to_be_shown() -> None:
    failures = [Failure(case=str(at), kind="raised", problem="no") for at in range(1030)]

    assert len(gather(*failures).failures) == 1000
    assert len(gather(*failures, max_shown=None).failures) == 1030
    assert gather(*failures).errors == 1030


def test_a_case_that_expects_nothing_in_particular_is_shown_apart() -> None:
    found = gather(outcome("a", 0.0, expected=None))

    assert found.results.cases == ()
    assert [each.case.id for each in found.unreferenced] == ["a"]
    assert found.results.not_scored == Noted(1, ("a",))
    assert found.results.summary.cases == 0


def test_a_column_says_each_reason_once() -> None:
    column = Column("polite", 0.5, 0.9)
    for found in (
        MetricValue("polite", 1.0),
        MetricValue("polite", 0.4),
        MetricValue("polite", None, "no idea"),
        MetricValue("polite", None, "no idea"),
        MetricValue("polite", None),
    ):
        column.add(found)

    result = column.scorer(is_complete=True)

    assert (result.name, result.mean, result.scored, result.passed) == ("polite", 0.7, 2, 1)
    assert result.not_scorable == Noted(3, ("no idea", ""))
    assert result.broken == Noted()


def test_many_cases_are_not_listed() -> None:
    cases = [outcome(name) for name in "abcd"]
    totals = EvaluationTotals(DEFAULT, {"accuracy": None}, max_listed=2)
    totals.add(cases[0], 0)

    assert gather(*cases, max_listed=2).listed == ()
    assert gather(*cases).listed == ()
    assert totals.evaluation(ABOUT, cases=3, questions=3).listed == ()
    assert len(totals.evaluation(ABOUT, cases=2, questions=2).listed) == 1


def test_what_is_not_totals_is_not_read_as_none() -> None:
    with pytest.raises(msgspec.ValidationError, match="outcomes"):
        Totals.from_dict({"outcomes": [[1, 1, 1, 0, 5]]})
