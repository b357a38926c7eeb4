"""All cases of two runs, in the order of a report that lists every one of them."""

from __future__ import annotations

from tests.comparing.sides_made_up import a_case, a_side, scored

from callscore.comparing.case_pairs import PAIR_CHANGES, CasePair, case_pairs
from callscore.comparing.comparison import compare_sides
from callscore.comparing.sides import EvaluationSide, Side


def shown(pairs: list[CasePair]) -> list[tuple[str, str, str]]:
    return [(pair.change, pair.shown.evaluation.label, pair.shown.case.id) for pair in pairs]


def test_broken_cases_come_first_and_those_that_one_run_has_come_last() -> None:
    before = a_side(
        a_case("gone", True),
        a_case("same", True),
        a_case("better", False),
        a_case("worse", True),
        a_case("other", scored(f1=0.5)),
        a_case("worse too", True),
    )
    after = a_side(
        a_case("same", True),
        a_case("new", True),
        a_case("worse too", False),
        a_case("other", scored(f1=0.4)),
        a_case("worse", False),
        a_case("better", True),
    )

    pairs = case_pairs(before, after)

    assert shown(pairs) == [
        ("broken", "weather", "worse too"),
        ("broken", "weather", "worse"),
        ("fixed", "weather", "better"),
        ("changed", "weather", "other"),
        ("same", "weather", "same"),
        ("only_before", "weather", "gone"),
        ("only_after", "weather", "new"),
    ]
    assert {id(pair.evaluation) for pair in pairs} == {id(after.evaluations[0])}
    assert [pair.change for pair in pairs] == sorted(
        [pair.change for pair in pairs], key=PAIR_CHANGES.index
    )
    # What is listed is what the comparison counts.
    comparison = compare_sides(before, after)
    assert [pair.details for pair in pairs if pair.details] == list(comparison.changes)
    assert sum(pair.change == "same" for pair in pairs) == comparison.same


def test_a_pair_has_both_sides_and_what_changed() -> None:
    broken, gone, new = case_pairs(
        a_side(a_case("a", True), a_case("b", True)), a_side(a_case("a", False), a_case("c", True))
    )

    assert broken.before is not None
    assert broken.after is not None
    assert broken.before.case.trials[0].passed is True
    assert broken.after.case.trials[0].passed is False
    assert broken.details is not None
    assert (broken.details.before, broken.details.after) == ((1, 1), (0, 1))
    assert (gone.after, gone.details, gone.shown.case.id) == (None, None, "b")
    assert (new.before, new.details, new.shown.case.id) == (None, None, "c")


def test_evaluations_of_the_same_name_in_two_files_stay_apart() -> None:
    def side(first: bool, second: bool) -> Side:
        return Side(
            label="run",
            evaluations=(
                EvaluationSide(name="weather", place="a.py::weather", cases=(a_case("x", first),)),
                EvaluationSide(name="weather", place="b.py::weather", cases=(a_case("x", second),)),
            ),
        )

    pairs = case_pairs(side(True, True), side(True, False))

    assert [(pair.change, pair.shown.evaluation.place) for pair in pairs] == [
        ("broken", "b.py::weather"),
        ("same", "a.py::weather"),
    ]


def test_an_evaluation_that_one_run_has_is_listed_with_all_its_cases() -> None:
    def evaluation(name: str, *ids: str) -> EvaluationSide:
        cases = tuple([a_case(each, True) for each in ids])
        return EvaluationSide(name=name, place=f"{name}.py", cases=cases)

    before = a_side(evaluations=[evaluation("common", "a"), evaluation("old", "b", "c")])
    after = a_side(evaluations=[evaluation("common", "a"), evaluation("new", "d", "d")])

    pairs = case_pairs(before, after)

    assert shown(pairs) == [
        ("same", "common", "a"),
        ("only_before", "old", "b"),
        ("only_before", "old", "c"),
        ("only_after", "new", "d"),
    ]
    # Cases with the same id are one case, with the trials of both.
    assert len(pairs[-1].shown.case.trials) == 2
