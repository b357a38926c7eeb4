"""What evaluations come to: cases are counted as cases, however often each was asked."""

from __future__ import annotations

import pytest

from callscore import score
from callscore.core.results import CaseTrials, EvaluationResults, Results
from callscore.core.settings import DEFAULT
from callscore.core.summary import Summary
from callscore.core.totals import summary_payload

RIGHT = score(expected=["f"], actual=["f"])
WRONG = score(expected=["f"], actual=["g"])


def an_evaluation(
    *found: tuple[str, bool], trials: bool = False, errors: int = 0
) -> EvaluationResults:
    summary = Summary()
    for _ in range(errors):
        summary.add_unanswered()
    counts: dict[str, tuple[int, int]] = {}
    for case, is_right in found:
        summary.add(RIGHT if is_right else WRONG, trial_of=case if trials else None)
        asked, passed = counts.get(case, (0, 0))
        counts[case] = (asked + 1, passed + is_right)
    return EvaluationResults(
        name="assistant",
        place="eval_a.py",
        results=Results(settings=DEFAULT, summary=summary),
        answered=len(found),
        errors=errors,
        passed=sum(is_right for _, is_right in found),
        trials=tuple([CaseTrials(case, *both) for case, both in counts.items()]) if trials else (),
    )


def test_the_score_is_the_mean_over_trials_and_an_error_counts_as_0() -> None:
    from msgspec.structs import replace

    alone = an_evaluation(("a", True), ("b", False), errors=2)
    repeated = an_evaluation(("a", True), ("a", False), ("b", True), trials=True, errors=3)
    # One trial of `b` gave no answer, and `c` never did.
    repeated = replace(
        repeated,
        trials=(CaseTrials("a", 2, 1), CaseTrials("b", 2, 1), CaseTrials("c", 2, 0)),
    )

    assert summary_payload([alone])["f1"] == 1 / 4
    assert summary_payload([repeated])["f1"] == 2 / 6
    assert summary_payload([alone, repeated])["f1"] == 3 / 10
    assert summary_payload([an_evaluation(errors=2)])["f1"] == 0.0
    assert summary_payload([replace(an_evaluation(errors=2), answered=1)])["f1"] is None
    assert summary_payload([an_evaluation()])["f1"] is None


def test_a_partial_run_has_the_number_of_planned_cases() -> None:
    from msgspec.structs import replace

    once = replace(an_evaluation(("a", True), ("b", True)), cases=4, questions=4)
    repeated = an_evaluation(("a", True), ("a", True), ("b", True), trials=True)
    repeated = replace(repeated, cases=3, questions=6)

    totals = summary_payload([once])
    assert (totals["cases"], totals["planned_cases"], totals["planned_trials"]) == (2, 4, 4)
    totals = summary_payload([repeated])
    assert (totals["cases"], totals["planned_cases"], totals["planned_trials"]) == (2, 3, 6)
    assert "planned_cases" not in summary_payload([replace(once, cases=2, questions=2)])


def test_evaluations_are_pooled_by_cases() -> None:
    one = an_evaluation(*[(f"c{number}", True) for number in range(9)])
    other = an_evaluation(*[(f"c{number}", number < 1) for number in range(3)])

    totals = summary_payload([one, other])

    assert (totals["cases"], totals["passed"]) == (12, 10)
    assert totals["f1"] == pytest.approx(10 / 12)
    low, high = totals["f1_interval"]
    assert 0 < low < totals["f1"] < high <= 1
    assert "scorers" not in totals


def test_cases_of_one_id_in_two_evaluations_are_two() -> None:
    both = [
        an_evaluation(("a", is_right), ("a", is_right), trials=True) for is_right in (True, False)
    ]

    totals = summary_payload(both * 5)

    assert totals["cases"] == 10
    assert totals["f1_interval"] is not None
