"""Which evaluations and cases of two runs belong together."""

from __future__ import annotations

from msgspec.structs import replace
from tests.comparing.sides_made_up import a_case, a_side

from callscore.comparing.matching import match_sides
from callscore.comparing.sides import EvaluationSide, Side


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
