"""What a comparison says of itself."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.comparing.sides_made_up import a_case, a_side, an_error, scored

from callscore.comparing.comparison import (
    compare_sides,
    comparison_notes,
    comparison_to_dict,
)
from callscore.comparing.sides import EvaluationSide, Side, match_sides
from callscore.core.results import Noted

if TYPE_CHECKING:
    from callscore.comparing.sides import CaseOutcome


# Two runs, case by case, from what the history holds to the verdict.


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


# Comparisons and gates as plain data.


def test_everything_is_there_as_plain_data() -> None:
    before = a_side(a_case("a", True, tags=("\ud800",)), a_case("b", True), label="main")
    after = a_side(a_case("a", an_error(), tags=("\ud800",)), label="latest")
    comparison = compare_sides(before, after)

    found = comparison_to_dict(comparison)

    assert msgspec.json.decode(msgspec.json.encode(found)) == found
    assert found["verdict"] == "not enough data"
    assert found["counts"] == {"broken": 1, "fixed": 0, "changed": 0, "same": 0}
    assert found["only_before"] == {"count": 1, "names": ["weather::b"]}
    assert found["changes"] == [
        {
            "kind": "broken",
            "evaluation": "weather",
            "case": "a",
            "tags": ["\\ud800"],
            "before": {"passed": 1, "decided": 1, "f1": 1.0},
            "after": {"passed": 0, "decided": 1, "f1": None},
            "reasons": [{"kind": "no answer", "text": "it timed out"}],
            "is_expectation_changed": False,
        }
    ]
    assert found["tags"][0]["name"] == "\\ud800"
    assert found["tags"][0]["p_value"] is None
    assert found["main"]["change"] == -1.0
    assert set(found["main"]["interval"]) == {"low", "high"}
    assert found["main"]["smallest"] is None


# What should be known about a comparison besides its numbers.

BEFORE, AFTER = a_side(True, label="main"), a_side(True, label="latest")


def notes(before: Side, after: Side) -> list[str]:
    found = list(comparison_notes(before, after, match_sides(before, after)))
    assert all(note.text("ru") for note in found)
    return [note.text("en") for note in found]


def test_an_evaluation_that_one_run_has_is_told() -> None:
    both = [EvaluationSide(name="a"), EvaluationSide(name="b")]
    more = [*both, EvaluationSide(name="c")]

    before = a_side(label="main", evaluations=more)
    after = a_side(label="latest", evaluations=both)

    assert notes(before, after) == ["c is only in main"]
    assert notes(after, before) == ["c is only in main"]


def test_evaluations_of_other_names_that_are_taken_for_one_are_told() -> None:
    before, after = (
        Side(
            label=label,
            run=label,
            evaluations=(EvaluationSide(name=name, cases=(a_case("a", True),)),),
        )
        for label, name in (("main", "weather"), ("latest", "forecast"))
    )

    assert notes(before, after) == [
        "weather and forecast are compared as one evaluation under different names"
    ]
    # Whoever compares two files has just written their names.
    assert notes(replace(before, run=""), replace(after, run="")) == []
