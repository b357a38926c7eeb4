"""Two runs, case by case, from what the history holds to the verdict."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.comparing.sides_made_up import a_case, a_side, an_error, scored

from callscore.comparing.comparison import compare_sides
from callscore.comparing.sides import EvaluationSide, Side
from callscore.core.phrases import Note, Phrase
from callscore.core.results import Noted
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from callscore.comparing.sides import CaseOutcome

LOW = Note(Phrase("{scorer} is low", "{scorer}: мало"), {"scorer": "tone"})


def test_a_run_that_broke_a_tenth_of_two_hundred_cases_regressed() -> None:
    before, after = a_side(*[True] * 200), a_side(*[False] * 20, *[True] * 180)

    found = compare_sides(before, after)

    assert (found.verdict, found.main.measure, found.main.cases) == ("regressed", "passed", 200)
    assert [change.case for change in found.changed("broken")][:2] == ["case-0", "case-1"]
    assert (len(found.changes), found.same) == (20, 180)


def test_each_run_is_told_in_a_few_words() -> None:
    before = replace(
        a_side(True, a_case("b", an_error(), an_error()), label="main"),
        run="k3f9",
        command="run",
        started_at=5.0,
        git_commit="abc",
        git_dirty=True,
        is_finished=False,
    )

    found = compare_sides(before, a_side(True)).before

    assert (found.label, found.run, found.command, found.started_at) == ("main", "k3f9", "run", 5.0)
    assert (found.git_commit, found.git_dirty, found.is_finished) == ("abc", True, False)
    assert (found.cases, found.errors, found.below) == (2, 2, ())


def test_missed_thresholds_name_their_evaluation_where_there_are_several() -> None:
    one, two = (EvaluationSide(name=name, below=(LOW,)) for name in ("a", "b"))

    alone = compare_sides(a_side(True), a_side(evaluations=[one])).after
    several = compare_sides(a_side(True), a_side(evaluations=[one, two])).after

    assert [note.text("en") for note in alone.below] == ["tone is low"]
    assert [note.text("en") for note in several.below] == ["a: tone is low", "b: tone is low"]


def test_cases_that_cannot_be_compared_are_counted_and_named() -> None:
    before = a_side(*(a_case(name, name != "open") for name in ("gone", "lost", "both")))
    before = a_side(*before.evaluations[0].cases, a_case("open", None))
    after = a_side(*(a_case(name, True) for name in ("new", "open", "both")), a_case("lost", None))

    found = compare_sides(before, after)

    assert found.only_before == Noted(1, ("weather::gone",))
    assert found.only_after == Noted(1, ("weather::new",))
    assert found.undecided == Noted(2, ("weather::open", "weather::lost"))
    assert found.lost == Noted(1, ("weather::lost",))
    assert (found.main.cases, found.in_common) == (1, 3)
    assert found.evaluations == ("weather",)


def test_no_case_in_common_is_another_thing_than_no_number_in_common() -> None:
    nothing = compare_sides(a_side(a_case("a", True)), a_side(a_case("b", True)))
    no_number = compare_sides(a_side(a_case("a", None)), a_side(a_case("a", None)))

    assert (nothing.main.cases, nothing.in_common) == (0, 0)
    assert (no_number.main.cases, no_number.in_common) == (0, 1)


def test_trials_that_only_one_run_has_make_no_difference() -> None:
    lucky = [a_case(f"{number}", True) for number in range(200)]
    often = [a_case(f"{number}", *[True] * 9, False) for number in range(200)]

    found = compare_sides(a_side(*lucky), a_side(*often))

    assert (found.verdict, found.main.change, found.main.down) == ("no evidence", 0, 0)


def test_of_many_names_the_first_are_given() -> None:
    found = compare_sides(a_side(*[True] * 50), a_side(a_case("other", True)))

    assert found.only_before.count == 50
    assert len(found.only_before.names) == 20


def test_other_expectations_and_other_inputs_are_told_apart() -> None:
    cases = [a_case(name, True) for name in "abcd"]
    expected, asked = replace(cases[0], expectation="x"), replace(cases[1], asked="x")
    unknown = replace(cases[2], asked="")

    found = compare_sides(a_side(*cases), a_side(expected, asked, unknown, cases[3]))

    assert found.expectations_changed == Noted(1, ("weather::a",))
    assert found.inputs_changed == Noted(1, ("weather::b",))


def test_other_measures_stand_beside_the_one_that_decides() -> None:
    def case(name: str, f1: float, tone: float) -> CaseOutcome:
        values = (("accuracy", f1), ("tone", tone))
        return a_case(name, scored(f1 == 1, f1=f1, values=values))

    before = a_side(*(case(f"{number}", 1.0, 0.5) for number in range(10)))
    after = a_side(*(case(f"{number}", 0.5, 0.75) for number in range(10)))

    found = compare_sides(before, after, measure="tone")

    assert (found.main.measure, found.verdict) == ("tone", "improved")
    # What the scorer `accuracy` says is what F1 says, and is not repeated.
    assert [(other.measure, other.verdict) for other in found.others] == [
        ("passed", "regressed"),
        ("f1", "regressed"),
    ]


def test_a_measure_without_a_number_stands_nowhere() -> None:
    before = after = a_side(a_case("a", scored(f1=None, values=(("tone", None),))))

    assert compare_sides(before, after).others == ()


def test_an_unknown_measure_is_refused() -> None:
    with pytest.raises(InvalidSettings, match="measure: 'tune' is not one of"):
        compare_sides(a_side(True), a_side(True), measure="tune")


def test_slices_alarms_and_notes_are_there() -> None:
    right, wrong = (
        scored(tools={"search": counts}) for counts in ((1, 0, 0, 0, 0), (0, 1, 0, 0, 0))
    )
    before = a_side(a_case("a", right, tags=("slow",)))
    after = replace(
        a_side(a_case("a", replace(wrong, forbidden=1), tags=("slow",))), is_finished=False
    )

    found = compare_sides(before, after)

    assert [each.name for each in found.tools] == ["search"]
    assert [each.name for each in found.tags] == ["slow"]
    assert [alarm.kind for alarm in found.alarms] == ["forbidden"]
    assert len(found.notes) == 1


outcomes = st.lists(
    st.tuples(st.sampled_from([True, False]), st.sampled_from([True, False])),
    min_size=2,
    max_size=60,
)


@given(outcomes)
def test_splitting_an_evaluation_changes_no_number(pairs: list[tuple[bool, bool]]) -> None:
    def side(place: int, cuts: list[int]) -> Side:
        cases = [a_case(f"{number}", pair[place]) for number, pair in enumerate(pairs)]
        edges = [0, *cuts, len(cases)]
        return a_side(
            evaluations=[
                EvaluationSide(name=f"{start}", cases=tuple(cases[start:end]))
                for start, end in pairwise(edges)
            ]
        )

    whole, parts = (compare_sides(side(0, cuts), side(1, cuts)) for cuts in ([], [len(pairs) // 2]))

    assert parts.main == whole.main
    assert parts.same == whole.same
    assert [(change.kind, change.case) for change in parts.changes] == [
        (change.kind, change.case) for change in whole.changes
    ]


@given(outcomes, st.integers(0, 1000))
def test_the_order_of_the_cases_changes_no_number(
    pairs: list[tuple[bool, bool]], seed: int
) -> None:
    cases = [
        (a_case(f"{number}", first, tags=("t",)), a_case(f"{number}", second))
        for number, (first, second) in enumerate(pairs)
    ]
    shuffled = Random(seed).sample(cases, len(cases))

    one = compare_sides(
        a_side(*(first for first, _ in cases)), a_side(*(last for _, last in cases))
    )
    other = compare_sides(
        a_side(*(first for first, _ in shuffled)), a_side(*(last for _, last in reversed(cases)))
    )

    assert (other.main, other.tags) == (one.main, one.tags)
    assert {change.case for change in other.changes} == {change.case for change in one.changes}
