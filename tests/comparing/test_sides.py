"""What a run brings to a comparison."""

from __future__ import annotations

from msgspec.structs import replace
from tests.comparing.sides_made_up import a_case, a_side, scored

from callscore.comparing.sides import (
    CaseOutcome,
    EvaluationSide,
    MatchedCase,
    Side,
    match_sides,
    paired_values,
    required_mean,
)


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


def test_an_evaluation_that_moved_to_another_file_is_matched_by_its_name() -> None:
    before = side(evaluation("a", "x.py::a"), evaluation("b", "x.py::b"))
    after = side(evaluation("a", "x.py::a"), evaluation("b", "elsewhere.py::b"))

    assert matched(before, after) == [("a", "a"), ("b", "b")]


def test_variants_are_compared_with_the_same_variant() -> None:
    before = side(evaluation("a", variant="small"), evaluation("a", variant="large"))
    after = side(evaluation("a", variant="large"), evaluation("a", variant="small"))

    assert matched(before, after) == [("a [large]", "a [large]"), ("a [small]", "a [small]")]


def test_where_each_run_has_one_variant_they_need_not_be_the_same() -> None:
    before = side(evaluation("a", variant="small"), evaluation("b", variant="small"))
    after = side(evaluation("a", variant="large"), evaluation("b", variant="large"))

    assert matched(before, after) == [("a [small]", "a [large]"), ("b [small]", "b [large]")]


# What number a case has in a run.


def pair(before: CaseOutcome, after: CaseOutcome) -> list[MatchedCase]:
    return [MatchedCase("weather", before, after)]


def test_a_scorer_that_is_called_as_our_own_numbers_are_is_not_hidden() -> None:
    before = scored(f1=1.0, values=(("f1", 0.25), ("passed", 0.75)))
    cases = pair(a_case("a", before), a_case("a", before))

    assert paired_values(cases, "f1") == [(1, 1)]
    assert paired_values(cases, "scorer f1") == [(0.25, 0.25)]
    assert paired_values(cases, "scorer passed") == [(0.75, 0.75)]
