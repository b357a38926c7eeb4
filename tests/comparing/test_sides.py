"""What a run brings to a comparison."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.comparing.sides_made_up import a_case, a_side, an_error, scored

from callscore.comparing.sides import (
    CaseOutcome,
    EvaluationSide,
    MatchedCase,
    Side,
    TrialOutcome,
    has_value,
    known_measures,
    match_sides,
    paired_values,
    require_measure,
    required_mean,
)
from callscore.errors import InvalidSettings


def test_a_required_mean_is_that_of_the_scorer_if_it_is_one_number() -> None:
    first = EvaluationSide(name="a", required={"accuracy": 0.9, "tone": 0.5, "passed": 0.7})
    second = EvaluationSide(name="b", required={"accuracy": 0.8, "tone": 0.5})
    side = Side(label="x", evaluations=(first,))

    measures = ["accuracy", "f1", "tone", "passed", "scorer passed", "other"]
    assert [required_mean(side, measure) for measure in measures] == [
        *(0.9, 0.9, 0.5),
        *(None, 0.7, None),
    ]
    both = Side(label="x", evaluations=(first, second))
    assert [required_mean(both, measure) for measure in ("accuracy", "tone")] == [None, 0.5]


def test_an_evaluation_goes_by_its_name_and_its_variant() -> None:
    assert EvaluationSide(name="weather").label == "weather"
    assert EvaluationSide(name="weather", variant="small").label == "weather [small]"


# Which evaluations and cases of two runs belong together.


def evaluation(
    name: str, place: str = "", variant: str | None = None, cases: str = "a"
) -> EvaluationSide:
    made = tuple(a_case(case, True) for case in cases)
    return EvaluationSide(name=name, place=place, variant=variant, cases=made)


def side(*evaluations: EvaluationSide) -> Side:
    return a_side(evaluations=evaluations)


def matched(before: Side, after: Side) -> list[tuple[str, str]]:
    return [(first.label, second.label) for first, second in match_sides(before, after).evaluations]


def test_the_only_evaluations_of_two_runs_belong_together() -> None:
    before = side(evaluation("old", "old.py::old", "small"))
    after = side(evaluation("new", "new.py::new", "large"))

    assert matched(before, after) == [("old [small]", "new [large]")]


def test_the_only_evaluations_of_two_runs_may_be_strangers() -> None:
    def alone(name: str, place: str, asked: str, expected: str = "e") -> Side:
        case = replace(a_case("case-1", True, expected=expected), asked=asked)
        return side(EvaluationSide(name=name, place=place, cases=(case,)))

    weather = alone("weather", "w.py::weather", "sun?", "one")

    assert matched(weather, alone("pay", "p.py::pay", "pay!", "two")) == []
    assert len(match_sides(weather, alone("pay", "p.py::pay", "pay!", "two")).only_before) == 1
    for same in (
        alone("weather", "p.py::weather", "pay!", "two"),
        alone("pay", "w.py::weather", "pay!", "two"),
        alone("pay", "p.py::pay", "sun?", "two"),
        alone("pay", "p.py::pay", "pay!", "one"),
        alone("pay", "p.py::pay", "", "two"),
        side(EvaluationSide(name="pay")),
    ):
        assert len(matched(weather, same)) == 1


def test_evaluations_are_known_by_their_place_before_their_name() -> None:
    before = side(evaluation("a", "x.py::a"), evaluation("b", "y.py::b"))
    after = side(evaluation("a", "y.py::b"), evaluation("renamed", "x.py::a"))

    assert matched(before, after) == [("b", "a"), ("a", "renamed")]


def test_what_moved_to_another_file_is_known_by_its_name() -> None:
    before = side(evaluation("a", "x.py::a"), evaluation("b", "x.py::b"))
    after = side(evaluation("a", "x.py::a"), evaluation("b", "elsewhere.py::b"))

    assert matched(before, after) == [("a", "a"), ("b", "b")]


def test_evaluations_without_a_place_are_known_by_their_name_alone() -> None:
    before = side(evaluation("a"), evaluation("b"))
    after = side(evaluation("b"), evaluation("a"))

    assert matched(before, after) == [("b", "b"), ("a", "a")]


def test_variants_are_compared_with_the_same_variant() -> None:
    before = side(evaluation("a", variant="small"), evaluation("a", variant="large"))
    after = side(evaluation("a", variant="large"), evaluation("a", variant="small"))

    assert matched(before, after) == [("a [large]", "a [large]"), ("a [small]", "a [small]")]


def test_where_each_run_has_one_variant_they_need_not_be_the_same() -> None:
    before = side(evaluation("a", variant="small"), evaluation("b", variant="small"))
    after = side(evaluation("a", variant="large"), evaluation("b", variant="large"))

    assert matched(before, after) == [("a [small]", "a [large]"), ("b [small]", "b [large]")]


def test_cases_are_joined_on_their_ids_and_not_on_their_position() -> None:
    found = match_sides(side(evaluation("a", cases="xyz")), side(evaluation("a", cases="zwx")))

    assert [(pair.before.id, pair.after.id) for pair in found.cases] == [("z", "z"), ("x", "x")]
    assert [(lone.evaluation, lone.case.id) for lone in found.only_before] == [("a", "y")]
    assert [(lone.evaluation, lone.case.id) for lone in found.only_after] == [("a", "w")]


def test_an_evaluation_that_one_run_has_brings_cases_that_one_run_has() -> None:
    before = side(evaluation("a"), evaluation("gone", cases="xy"))
    after = side(evaluation("a"), evaluation("new", cases="z"), evaluation("newer", cases="z"))

    found = match_sides(before, after)

    assert [each.label for each in found.lone_before] == ["gone"]
    assert [each.label for each in found.lone_after] == ["new", "newer"]
    assert [lone.case.id for lone in found.only_before] == ["x", "y"]
    assert [lone.evaluation for lone in found.only_after] == ["new", "newer"]


def test_cases_of_the_same_id_are_one_case() -> None:
    found = match_sides(side(evaluation("a", cases="xxy")), side(evaluation("a", cases="xy")))

    assert [len(pair.before.trials) for pair in found.cases] == [2, 1]
    assert [lone.case.id for lone in found.repeated] == ["x"]


def test_nothing_matches_nothing() -> None:
    empty = Side(label="empty")

    assert match_sides(empty, empty).cases == []
    assert [lone.case.id for lone in match_sides(empty, side(evaluation("a"))).only_after] == ["a"]


# What number a case has in a run.

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


def test_errors_in_both_runs_are_0() -> None:
    cases = pair(a_case("a", an_error()), a_case("a", an_error()))
    others = [*cases, *pair(a_case("b", True), a_case("b", False))]
    elsewhere = [*cases, MatchedCase("other", a_case("b", True), a_case("b", False))]

    assert paired_values(cases, "passed") == [(0, 0)]
    assert paired_values(cases, "f1") == [(0, 0)]
    assert paired_values(others, "f1") == [(0, 0), (1, 0)]
    assert paired_values(elsewhere, "f1") == [(0, 0), (1, 0)]
    unscored = pair(a_case("b", NOT_SCORED), a_case("b", NOT_SCORED))
    assert paired_values([*cases, *unscored], "f1") == [None, None]


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
        "measure: unknown measure 'tune'. Choose from: passed, f1, tone. Did you mean 'tone'?"
    )
