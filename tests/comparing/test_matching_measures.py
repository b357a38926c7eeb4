"""What number a case has in a run."""

from __future__ import annotations

import pytest
from tests.comparing.sides_made_up import a_case, a_side, an_error, scored

from callscore.comparing.matching import (
    MatchedCase,
    has_value,
    known_measures,
    paired_values,
    require_measure,
)
from callscore.comparing.sides import CaseOutcome, TrialOutcome
from callscore.errors import InvalidSettings

NOT_SCORED = TrialOutcome(status="not_scored")


def pair(before: CaseOutcome, after: CaseOutcome) -> list[MatchedCase]:
    return [MatchedCase("weather", before, after)]


def test_a_case_with_several_trials_has_the_share_that_passed() -> None:
    cases = pair(a_case("a", True, False, True), a_case("a", False, True, None, True))

    assert paired_values(cases, "passed") == [(2 / 3, 2 / 3)]


def test_a_trial_without_an_answer_did_not_pass_and_is_worth_nothing() -> None:
    cases = pair(a_case("a", an_error(), False), a_case("a", True, an_error()))

    assert paired_values(cases, "passed") == [(0, 0.5)]
    assert paired_values(cases, "f1") == [(0, 0.5)]


def test_as_many_trials_are_compared_as_both_runs_have() -> None:
    once, often = a_case("a", True), a_case("a", True, False, False, False)

    assert paired_values(pair(once, often), "passed") == [(1, 1)]
    assert paired_values(pair(often, once), "f1") == [(1, 1)]
    # One that nobody has decided is none of them.
    assert paired_values(pair(a_case("a", None, False, True), once), "passed") == [(0, 1)]


def test_a_case_that_one_run_has_not_decided_has_no_numbers() -> None:
    undecided = a_case("a", NOT_SCORED, None)

    assert paired_values(pair(undecided, a_case("a", True)), "passed") == [None]
    assert paired_values(pair(a_case("a", an_error()), undecided), "f1") == [None]


def test_what_was_never_answered_failed_both_times_but_has_no_score() -> None:
    cases = pair(a_case("a", an_error()), a_case("a", an_error()))

    assert paired_values(cases, "passed") == [(0, 0)]
    assert paired_values(cases, "f1") == [None]


def test_a_scorer_is_read_by_its_name() -> None:
    kind = scored(values=(("tone", 0.25), ("length", None)))
    cases = pair(a_case("a", kind), a_case("a", scored(values=(("tone", 0.75),))))

    assert paired_values(cases, "tone") == [(0.25, 0.75)]
    assert paired_values(cases, "length") == paired_values(cases, "other") == [None]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -0.1, 1.5])
def test_what_is_no_number_from_0_to_1_is_none(number: float) -> None:
    cases = pair(a_case("a", scored(f1=number)), a_case("a", scored(f1=0.5)))

    assert paired_values(cases, "f1") == [None]


def test_the_known_measures_are_those_that_any_trial_names() -> None:
    before = a_side(a_case("a", scored(values=(("tone", 1.0), ("f1", 1.0)))))
    after = a_side(a_case("a", scored(values=(("length", None),))))

    assert known_measures((before, after)) == (
        "passed",
        "f1",
        "length",
        "scorer f1",
        "tone",
    )


def test_a_scorer_that_is_called_as_our_own_numbers_are_is_not_hidden() -> None:
    before = scored(f1=1.0, values=(("f1", 0.25), ("passed", 0.75)))
    cases = pair(a_case("a", before), a_case("a", before))

    assert paired_values(cases, "f1") == [(1, 1)]
    assert paired_values(cases, "scorer f1") == [(0.25, 0.25)]
    assert paired_values(cases, "scorer passed") == [(0.75, 0.75)]


def test_a_case_may_have_a_number_by_one_measure_alone() -> None:
    answered = a_case("a", scored(None, values=(("tone", 0.5),)))

    assert has_value(answered, "tone")
    assert not has_value(answered, "passed")
    assert has_value(a_case("a", an_error()), "passed")
    assert not has_value(a_case("a", an_error()), "f1")


def test_a_measure_may_be_written_in_capitals() -> None:
    assert require_measure("F1", ("passed", "f1", "Tone")) == "f1"
    assert require_measure("tone", ("passed", "f1", "Tone")) == "Tone"
    with pytest.raises(InvalidSettings):
        require_measure("TONE", ("passed", "f1", "Tone", "tone"))


def test_a_measure_that_nobody_knows_is_refused_with_those_there_are() -> None:
    with pytest.raises(InvalidSettings) as caught:
        require_measure("tune", ("passed", "f1", "tone"))

    assert str(caught.value) == (
        "measure: 'tune' is not one of these runs' numbers: passed, f1, tone. Is 'tone' meant?"
    )
