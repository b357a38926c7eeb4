"""Which cases went otherwise."""

from __future__ import annotations

import pytest
from tests.comparing.sides_made_up import a_case, an_error, scored

from callscore.comparing.changes import CaseChange, find_alarms, find_changes
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


# What no statistics makes good.


def alarms(before: CaseOutcome | None, after: CaseOutcome) -> list[tuple[str, int, int]]:
    cases = [] if before is None else [MatchedCase("weather", before, after)]
    lone = [UnmatchedCase("weather", after)] if before is None else []
    return [(found.kind, found.before, found.after) for found in find_alarms(cases, lone)]


def test_where_the_schemas_were_not_asked_nobody_knows_what_is_new() -> None:
    unknown, some = a_case("a", scored(faults=None)), a_case("a", scored(faults=1))

    assert alarms(unknown, some) == alarms(some, unknown) == []


def test_as_many_in_every_trial_are_no_more_for_more_trials() -> None:
    once = scored(False, forbidden=1, faults=1)

    assert alarms(a_case("a", once), a_case("a", once, once, once)) == []
    assert alarms(a_case("a", once, scored()), a_case("a", once, once)) == [("forbidden", 1, 2)]


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


def test_where_nobody_knows_the_tools_the_count_decides() -> None:
    unknown = scored(False, forbidden=1)

    assert new_tools([unknown], [forbidden(delete=1)]) == []
    assert new_tools([unknown], [forbidden(delete=2)]) == [()]
    assert new_tools([forbidden(delete=1)], [unknown]) == []
