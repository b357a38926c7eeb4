"""Which cases went otherwise, and what no statistics makes good."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.comparing.sides_made_up import a_case, an_error, scored

from callscore.comparing.changes import alarms_of, changes_of
from callscore.comparing.comparison import Alarm, CaseChange
from callscore.comparing.matching import Lone, Matched
from callscore.comparing.sides import CaseOutcome, TrialOutcome

Trial = TrialOutcome | bool | None


def change(before: CaseOutcome, after: CaseOutcome) -> CaseChange | None:
    found = changes_of([Matched("weather", before, after)])
    return found[0] if found else None


def kind(before: list[Trial], after: list[Trial]) -> str | None:
    found = change(a_case("a", *before), a_case("a", *after))
    return None if found is None else found.kind


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([True], [False], "broken"),
        ([False], [True], "fixed"),
        ([True], [True], None),
        ([None], [None], None),
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
        ([scored(calls="a"), scored(calls="b")], [scored(calls="b"), scored(calls="a")], None),
    ],
)
def test_a_case_goes_otherwise(
    before: list[Trial], after: list[Trial], expected: str | None
) -> None:
    assert kind(before, after) == expected


def test_broken_cases_come_first_then_fixed_then_changed() -> None:
    cases = [
        Matched("weather", a_case(name, *before), a_case(name, *after))
        for name, before, after in (
            ("c", [scored(f1=0.5)], [scored(f1=0.6)]),
            ("f", [False], [True]),
            ("s", [True], [True]),
            ("b", [True], [False]),
        )
    ]

    assert [found.case for found in changes_of(cases)] == ["b", "f", "c"]


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
            "no answer: it timed out",
            "no answer before: no route",
            "forbidden call",
            "schema error",
        ),
        is_expectation_changed=True,
    )


def test_an_error_without_a_sentence_is_no_answer_all_the_same() -> None:
    found = change(a_case("a", True), a_case("a", an_error("")))

    assert found is not None
    assert found.reasons == ("no answer",)
    assert found.f1 == (1, None)


def alarms(before: CaseOutcome | None, after: CaseOutcome) -> list[tuple[str, int, int]]:
    cases = [] if before is None else [Matched("weather", before, after)]
    lone = [Lone("weather", after)] if before is None else []
    return [(found.kind, found.before, found.after) for found in alarms_of(cases, lone)]


def test_more_forbidden_calls_than_before_are_an_alarm() -> None:
    two, one = a_case("a", scored(False, forbidden=2)), a_case("a", scored(False, forbidden=1))

    assert alarms(one, two) == [("forbidden", 1, 2)]
    assert alarms(two, one) == alarms(one, one) == []


def test_more_schema_errors_than_before_are_an_alarm() -> None:
    none, some = a_case("a", scored(faults=0)), a_case("a", scored(faults=1))

    assert alarms(none, some) == [("schema", 0, 1)]
    assert alarms(some, none) == []


def test_where_the_schemas_were_not_asked_nobody_knows_what_is_new() -> None:
    unknown, some = a_case("a", scored(faults=None)), a_case("a", scored(faults=1))

    assert alarms(unknown, some) == alarms(some, unknown) == []


def test_a_case_that_only_the_second_run_has_had_none_before() -> None:
    assert alarms(None, a_case("a", scored(False, forbidden=1, faults=2))) == [
        ("forbidden", 0, 1),
        ("schema", 0, 2),
    ]


def test_as_many_in_every_trial_are_no_more_for_more_trials() -> None:
    once = scored(False, forbidden=1, faults=1)

    assert alarms(a_case("a", once), a_case("a", once, once, once)) == []
    assert alarms(a_case("a", once, scored()), a_case("a", once, once)) == [("forbidden", 1, 2)]


def test_an_alarm_names_its_case() -> None:
    found = alarms_of([], [Lone("weather", a_case("a", scored(forbidden=1)))])

    assert found == (Alarm(kind="forbidden", evaluation="weather", case="a", before=0, after=1),)
