"""Which cases went otherwise."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.comparing.sides_made_up import a_case, an_error, scored

from callscore.comparing.changes import Alarm, CaseChange, ChangeReason, find_alarms, find_changes
from callscore.comparing.sides import CaseOutcome, MatchedCase, TrialOutcome, UnmatchedCase

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


# What no statistics makes good.


def alarms(before: CaseOutcome | None, after: CaseOutcome) -> list[tuple[str, int, int]]:
    cases = [] if before is None else [MatchedCase("weather", before, after)]
    lone = [UnmatchedCase("weather", after)] if before is None else []
    return [(found.kind, found.before, found.after) for found in find_alarms(cases, lone)]


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
    found = find_alarms([], [UnmatchedCase("weather", a_case("a", scored(forbidden=1)))])

    assert found == (Alarm(kind="forbidden", evaluation="weather", case="a", before=0, after=1),)


def forbidden(**calls: int) -> TrialOutcome:
    tools = {tool: (0, 0, 0, 0, count) for tool, count in calls.items()}
    return scored(False, forbidden=sum(calls.values()), tools=tools)


def new_tools(before: list[TrialOutcome], after: list[TrialOutcome]) -> list[tuple[str, ...]]:
    pair = MatchedCase("weather", a_case("a", *before), a_case("a", *after))
    return [found.tools for found in find_alarms([pair], [])]


def test_a_forbidden_call_of_another_tool_is_new() -> None:
    assert new_tools([forbidden(pay=1)], [forbidden(delete=1)]) == [("delete",)]
    assert new_tools([forbidden(pay=2)], [forbidden(delete=1, pay=1)]) == [("delete",)]
    assert new_tools([forbidden(pay=1)], [forbidden(pay=1)]) == []
    assert new_tools([forbidden(pay=1)], [forbidden(pay=2, delete=1)]) == [("delete", "pay")]


def test_as_often_in_each_trial_is_not_new_for_a_tool() -> None:
    one = forbidden(pay=1)

    assert new_tools([one], [one, one]) == []
    assert new_tools([one, forbidden()], [one, one]) == [("pay",)]


def test_where_nobody_knows_the_tools_the_count_decides() -> None:
    unknown = scored(False, forbidden=1)

    assert new_tools([unknown], [forbidden(delete=1)]) == []
    assert new_tools([unknown], [forbidden(delete=2)]) == [()]
    assert new_tools([forbidden(delete=1)], [unknown]) == []


def test_the_tools_of_a_new_case_are_named() -> None:
    [found] = find_alarms([], [UnmatchedCase("weather", a_case("a", forbidden(delete=1, find=0)))])

    assert (found.tools, found.before, found.after) == (("delete",), 0, 1)


def test_what_had_no_answer_had_no_schema_error() -> None:
    some = a_case("a", scored(faults=1))

    assert alarms(a_case("a", an_error()), some) == [("schema", 0, 1)]
    assert alarms(a_case("a", an_error(), scored(faults=None)), some) == [("schema", 0, 1)]
