"""Which cases went otherwise."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.comparing.sides_made_up import a_case, an_error, scored

from callscore.comparing.changes import CaseChange, ChangeReason, find_changes
from callscore.comparing.matching import MatchedCase
from callscore.comparing.sides import CaseOutcome, TrialOutcome

Trial = TrialOutcome | bool | None


def change(before: CaseOutcome, after: CaseOutcome) -> CaseChange | None:
    found = find_changes([MatchedCase("weather", before, after)])
    return found[0] if found else None


def kind(before: list[Trial], after: list[Trial]) -> str | None:
    found = change(a_case("a", *before), a_case("a", *after))
    return None if found is None else found.kind


def tone(value: float | None) -> TrialOutcome:
    return scored(values=(("tone", value),))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([True], [False], "broken"),
        ([False], [True], "fixed"),
        ([True], [True], None),
        ([None], [None], None),
        ([None, None], [None, scored(None, calls="a")], None),
        ([None], [True], "changed"),
        ([True, True, True], [True, True, False], "changed"),
        ([True, True, True], [True, False, False], "broken"),
        ([True, False], [True, True], "fixed"),
        ([True, True], [True], None),
        ([True], [an_error()], "broken"),
        ([an_error()], [False], "changed"),
        ([an_error()], [an_error("another")], None),
        ([scored(f1=0.5)], [scored(f1=0.75)], "changed"),
        ([scored(calls="a")], [scored(calls="b")], "changed"),
        ([scored(calls="a")], [scored(calls="")], None),
        ([tone(0.5)], [tone(0.9)], "changed"),
        ([tone(0.5)], [tone(None)], "changed"),
        ([tone(None)], [tone(None)], None),
        ([tone(float("nan"))], [tone(float("nan"))], None),
        ([tone(0.5)], [scored()], None),
        ([tone(0.3), tone(0.6)], [tone(0.6), tone(0.3)], None),
        ([tone(0.3), tone(0.6)], [tone(0.6), tone(0.6)], "changed"),
        ([scored(calls="a"), scored(calls="b")], [scored(calls="b"), scored(calls="a")], None),
    ],
)
def test_a_case_goes_otherwise(
    before: list[Trial], after: list[Trial], expected: str | None
) -> None:
    assert kind(before, after) == expected


def test_broken_cases_come_first_then_fixed_then_changed() -> None:
    cases = [
        MatchedCase("weather", a_case(name, *before), a_case(name, *after))
        for name, before, after in (
            ("c", [scored(f1=0.5)], [scored(f1=0.6)]),
            ("f", [False], [True]),
            ("s", [True], [True]),
            ("b", [True], [False]),
        )
    ]

    assert [found.case for found in find_changes(cases)] == ["b", "f", "c"]


def test_a_change_says_what_is_to_be_known() -> None:
    before = a_case("a", True, an_error("no route"), True, expected="one")
    after = a_case(
        "a",
        scored(False, f1=0.5, forbidden=1, faults=2),
        an_error("it timed out"),
        tags=("slow",),
        expected="two",
    )

    found = change(before, after)

    assert found is not None
    assert found.f1 == pytest.approx((2 / 3, 0.25))
    assert replace(found, f1=(None, None)) == CaseChange(
        kind="broken",
        evaluation="weather",
        case="a",
        tags=("slow",),
        before=(2, 3),
        after=(0, 2),
        reasons=(
            ChangeReason(kind="no answer", text="it timed out"),
            ChangeReason(kind="no answer before", text="no route"),
            ChangeReason(kind="forbidden call"),
            ChangeReason(kind="schema error"),
        ),
        is_expectation_changed=True,
    )


def test_an_error_without_a_sentence_is_no_answer_all_the_same() -> None:
    found = change(a_case("a", True), a_case("a", an_error("")))

    assert found is not None
    assert found.reasons == (ChangeReason(kind="no answer"),)
    assert found.f1 == (1, None)
