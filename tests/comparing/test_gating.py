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


def kinds(comparison: Comparison, fail_on: FailOn = "default") -> list[str]:
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
    found = gate(passing(200, broken=20), "regressed")

    assert not found.is_open
    assert found.reasons == (Reason(kind="regressed", count=20),)
    assert kinds(passing(200, broken=20)) == ["regressed", "broken"]


def test_an_improvement_opens_it() -> None:
    assert kinds(passing(200, fixed=20)) == []
    assert kinds(passing(200, fixed=20), "broken") == []


@pytest.mark.parametrize("cases", [1, 2, 13, 30, 200])
def test_a_broken_case_closes_it_if_none_was_fixed(cases: int) -> None:
    broken = Reason(kind="broken", count=1, cases=("weather::case-0",))

    assert gate(passing(cases, broken=1)).reasons == (broken,)
    assert gate(passing(cases, broken=1), "broken").reasons == (broken,)
    assert kinds(passing(cases, broken=1), "regressed") == []


@pytest.mark.parametrize(("broken", "fixed"), [(1, 1), (3, 1), (1, 3)])
def test_if_another_case_was_fixed_it_closes_with_broken_only(broken: int, fixed: int) -> None:
    comparison = passing(20, broken=broken, fixed=fixed)

    assert kinds(comparison) == kinds(comparison, "regressed") == []
    assert gate(comparison).is_doubtful
    assert kinds(comparison, "broken") == ["broken"]
    assert not gate(comparison, "broken").is_doubtful


@pytest.mark.parametrize("cases", [3, 13, 29])
def test_a_large_loss_in_few_cases_closes_it_only_because_cases_broke(cases: int) -> None:
    comparison = passing(cases, broken=4 if cases > 3 else 3, fixed=cases // 13)

    assert comparison.verdict == "not enough data"
    assert kinds(comparison) == ([] if cases >= 13 else ["broken"])


Y, N = True, False


@pytest.mark.parametrize(
    ("before", "after", "other", "is_closed"),
    [
        # in all trials before, in none now
        ((Y, Y, Y), (N, N, N), ((Y,) * 3, (Y,) * 3), True),
        ((Y, Y, Y), (N, N, N), ((N, N, Y), (Y, Y, N)), True),  # noise elsewhere
        ((Y, Y, Y), (N, N, N), ((N,) * 3, (Y,) * 3), False),  # the reverse
        # in some now: chance explains it if another case gains at all
        ((Y, Y, Y), (N, Y, N), ((Y,) * 3, (Y,) * 3), True),
        ((Y, Y, Y), (N, Y, N), ((Y, N, Y), (Y, N, N)), True),
        ((Y, Y, Y), (N, Y, N), ((N, N, Y), (N, Y, Y)), False),
        ((Y, Y, Y), (Y, Y, N), ((Y,) * 3, (Y,) * 3), False),  # it still passes
        ((Y, Y, N), (N, N, N), ((Y,) * 3, (Y,) * 3), False),  # it was noisy before
        # more trials than before all count; fewer are compared with as many
        ((Y,), (Y, N, N), ((Y,), (Y,)), True),
        ((Y,), (Y, Y, N), ((Y,), (Y,)), False),
        ((Y, Y, Y), (N,), ((Y, Y, Y), (Y,)), True),
        ((Y, N, Y), (N,), ((Y, Y, Y), (Y,)), True),
        ((Y, Y, Y), (N,), ((N, N, N), (Y,)), False),
    ],
)
def test_of_noisy_trials_only_a_break_beyond_noise_closes_it(
    before: tuple[bool, ...],
    after: tuple[bool, ...],
    other: tuple[tuple[bool, ...], tuple[bool, ...]],
    *,
    is_closed: bool,
) -> None:
    rest = [True] * 11
    first = a_side(*rest, a_case("a", *before), a_case("b", *other[0]))
    second = a_side(*rest, a_case("a", *after), a_case("b", *other[1]))

    found = [each.kind for each in gate(compare_sides(first, second), allow_looser=True).reasons]

    assert ("broken" in found) == is_closed


def test_a_case_that_is_fixed_by_another_expectation_does_not_hide_a_broken_one() -> None:
    before = a_side(True, a_case("loosened", False, expected="f(1)"))
    after = a_side(False, a_case("loosened", True, expected="f(any)"))

    assert kinds(compare_sides(before, after)) == ["broken"]


def test_a_tag_that_regressed_closes_it_though_the_whole_did_not() -> None:
    def side(*, has_broken: bool) -> Side:
        slow = [a_case(f"slow-{n}", not has_broken, tags=("slow",)) for n in range(12)]
        noisy = [a_case(f"noisy-{n}", has_broken, tags=("other",)) for n in range(12)]
        return a_side(*slow, *noisy, *[True] * 100)

    comparison = compare_sides(side(has_broken=False), side(has_broken=True))

    assert comparison.main.change == 0
    assert [each.name for each in comparison.regressed_slices] == ["slow"]
    assert gate(comparison).reasons == (Reason(kind="slice", count=1, cases=("tag: slow",)),)
    assert kinds(comparison, "regressed") == ["slice"]


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
