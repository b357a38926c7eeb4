"""Whether a change is let through."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.comparing.sides_made_up import a_case, a_side, scored

from callscore.comparing.comparison import compare_sides
from callscore.comparing.gating import FAIL_ON, Reason, gate
from callscore.comparing.sides import Side
from callscore.core.phrases import Note, Phrase

if TYPE_CHECKING:
    from callscore.comparing.comparison import Comparison
    from callscore.comparing.gating import FailOn

BELOW = Note(Phrase("low", "мало"))


def kinds(comparison: Comparison, fail_on: FailOn = "regressed") -> list[str]:
    return [reason.kind for reason in gate(comparison, fail_on).reasons]


def passing(cases: int, broken: int = 0, fixed: int = 0) -> Comparison:
    before = [True] * (cases - fixed) + [False] * fixed
    after = [False] * broken + [True] * (cases - broken)
    return compare_sides(a_side(*before), a_side(*after))


@pytest.mark.parametrize("fail_on", FAIL_ON)
def test_where_nothing_is_other_than_before_the_gate_is_open(fail_on: FailOn) -> None:
    found = gate(passing(200), fail_on)

    assert found.is_open
    assert found.reasons == ()
    assert found.fail_on == fail_on


def test_a_regression_closes_it() -> None:
    found = gate(passing(200, broken=20))

    assert not found.is_open
    assert found.reasons == (Reason(kind="regressed", count=20),)


def test_an_improvement_opens_it() -> None:
    assert kinds(passing(200, fixed=20)) == []
    assert kinds(passing(200, fixed=20), "broken") == []


def test_few_broken_cases_among_many_are_no_regression_but_broken() -> None:
    comparison = passing(200, broken=2)

    assert kinds(comparison) == []
    assert gate(comparison, "broken").reasons == (
        Reason(kind="broken", count=2, cases=("weather::case-0", "weather::case-1")),
    )


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [
        (passing(20, broken=3, fixed=1), ["large loss"]),  # a loss of 10 points
        (passing(10, broken=1), ["large loss"]),
        (passing(20, broken=1), []),
        (passing(20, broken=2, fixed=2), []),
        (passing(20, broken=1, fixed=2), []),
        (passing(3, broken=3), ["large loss"]),
    ],
)
def test_in_doubt_it_closes_for_a_loss_of_ten_points(
    comparison: Comparison, expected: list[str]
) -> None:
    assert comparison.verdict == "not enough data"
    assert kinds(comparison) == expected


def test_a_smaller_loss_that_nobody_can_tell_from_chance_is_doubtful() -> None:
    comparison = passing(20, broken=1)

    assert gate(comparison).is_open
    assert gate(comparison).is_doubtful
    assert not gate(comparison, "broken").is_doubtful
    assert not gate(passing(20, broken=3)).is_doubtful
    assert not gate(passing(20, broken=1, fixed=1)).is_doubtful
    assert not gate(passing(200, broken=1)).is_doubtful


def test_in_doubt_it_says_how_many_more_went_down() -> None:
    assert gate(passing(20, broken=3, fixed=1)).reasons == (Reason(kind="large loss", count=2),)


def test_a_tag_that_regressed_closes_it_though_the_whole_did_not() -> None:
    def side(*, has_broken: bool) -> Side:
        slow = [a_case(f"slow-{n}", not has_broken, tags=("slow",)) for n in range(12)]
        noisy = [a_case(f"noisy-{n}", has_broken, tags=("other",)) for n in range(12)]
        return a_side(*slow, *noisy, *[True] * 100)

    comparison = compare_sides(side(has_broken=False), side(has_broken=True))

    assert comparison.main.change == 0
    assert [each.name for each in comparison.regressed_slices] == ["slow"]
    assert gate(comparison).reasons == (Reason(kind="slice", count=1, cases=("tag: slow",)),)


def test_a_run_held_against_itself_says_nothing() -> None:
    run = replace(a_side(*[True] * 200), run="k3f9")

    assert kinds(compare_sides(run, run)) == ["same run"]
    assert kinds(compare_sides(run, replace(run, run="other"))) == []


def test_two_variants_of_one_run_may_be_compared() -> None:
    small, large = (
        Side(
            label=f"main:{variant}",
            run="k3f9",
            evaluations=(replace(a_side(*[True] * 200).evaluations[0], variant=variant),),
        )
        for variant in ("small", "large")
    )

    assert kinds(compare_sides(small, large)) == []


def test_any_closes_it_for_whatever_is_other() -> None:
    before = a_side(*[True] * 200, a_case("x", False))
    after = a_side(*[True] * 199, a_case("case-199", scored(f1=0.5)), a_case("x", True))
    comparison = compare_sides(before, after)

    assert kinds(comparison) == kinds(comparison, "broken") == []
    assert gate(comparison, "any").reasons == (
        Reason(kind="changed", count=2, cases=("weather::x", "weather::case-199")),
    )


def test_a_case_that_is_gone_may_be_a_broken_one() -> None:
    comparison = compare_sides(a_side(*[True] * 201), a_side(*[True] * 200))

    assert gate(comparison).reasons == (
        Reason(kind="missing", count=1, cases=("weather::case-200",)),
    )
    assert kinds(comparison, "broken") == kinds(comparison, "any") == ["missing"]


def test_cases_that_can_no_longer_be_decided_are_missing() -> None:
    undecided = [a_case(f"case-{number}", None, expected="") for number in range(5)]
    rest = [a_case(f"case-{number}", True) for number in range(5, 205)]
    comparison = compare_sides(a_side(*[True] * 205), a_side(*undecided, *rest))

    assert kinds(comparison) == ["missing"]
    assert comparison.lost.count == 5
    assert gate(comparison, "broken").reasons[0] == Reason(
        kind="missing", count=5, cases=tuple(f"weather::case-{number}" for number in range(5))
    )
    many = [a_case(f"case-{number}", None) for number in range(101)]
    left = [a_case(f"case-{number}", True) for number in range(101, 201)]
    assert kinds(compare_sides(a_side(*[True] * 201), a_side(*many, *left))) == ["missing"]


def test_cases_that_were_never_decided_are_not_missing() -> None:
    never = [a_case(f"case-{number}", None) for number in range(3)]
    rest = [a_case(f"other-{number}", True) for number in range(100)]

    assert kinds(compare_sides(a_side(*never, *rest), a_side(*never, *rest)), "broken") == []


def test_a_case_that_was_removed_with_a_reason_is_not_missing() -> None:
    sides = a_side(*[True] * 203), a_side(*[True] * 200)
    removals = {"case-200": "the tool is gone", "weather::case-20[12]": "duplicates", "x": "old"}

    comparison = compare_sides(*sides, removals=removals)

    assert kinds(comparison, "broken") == []
    assert [(each.case, each.reason) for each in comparison.removed] == [
        ("case-200", "the tool is gone"),
        ("case-201", "duplicates"),
        ("case-202", "duplicates"),
    ]
    (note,) = comparison.notes
    assert note.text("en") == "x is listed as removed, but no such case is missing. Delete the line"


@pytest.mark.parametrize("fail_on", FAIL_ON)
def test_unfinished_runs_forbidden_calls_faults_and_missed_limits_always_close_the_gate(
    fail_on: FailOn,
) -> None:
    case = a_case("case-0", scored(forbidden=1, faults=1))
    before = a_side(a_case("case-0", scored(faults=0)), *[True] * 200)
    after = a_side(case, *[True] * 200)
    after = replace(
        after, is_finished=False, evaluations=(replace(after.evaluations[0], below=(BELOW, BELOW)),)
    )

    found = gate(compare_sides(before, after), fail_on).reasons

    assert found == (
        Reason(kind="unfinished", sides=("after",)),
        Reason(kind="forbidden", count=1, cases=("weather::case-0",)),
        Reason(kind="schema", count=1, cases=("weather::case-0",)),
        Reason(kind="below", count=2),
    )


def test_a_comparison_of_nothing_opens_no_gate() -> None:
    new = compare_sides(a_side(), a_side(True))

    assert kinds(new) == kinds(compare_sides(a_side(), a_side())) == ["nothing compared"]


def test_a_run_before_that_did_not_end_closes_nothing() -> None:
    before = replace(a_side(*[True] * 200), is_finished=False)

    assert kinds(compare_sides(before, a_side(*[True] * 200))) == []
    assert kinds(compare_sides(before, a_side(*[True] * 400))) == []


def test_a_small_part_of_a_run_before_that_did_not_end_is_no_baseline() -> None:
    before = replace(a_side(*[True] * 100), is_finished=False)
    after = a_side(*[True] * 201)

    assert gate(compare_sides(before, after)).reasons == (
        Reason(kind="unfinished", sides=("before",)),
    )
    both = gate(compare_sides(before, replace(after, is_finished=False)))
    assert both.reasons == (Reason(kind="unfinished", sides=("before", "after")),)
    assert kinds(compare_sides(replace(before, is_finished=True), after)) == []
