"""Cases that are removed on purpose."""

from __future__ import annotations

import pytest

from callscore.comparing.removals import RemovedCase, removed_cases
from callscore.comparing.sides import CaseOutcome, MatchedCase, UnmatchedCase
from callscore.errors import InvalidSettings


def a_case(name: str) -> CaseOutcome:
    return CaseOutcome(id=name, trials=())


def test_a_pattern_matches_the_id_or_the_name_with_the_evaluation() -> None:
    missing: list[MatchedCase | UnmatchedCase] = [
        UnmatchedCase("refunds", a_case("old")),
        MatchedCase("refunds", a_case("late"), a_case("late")),
        UnmatchedCase("orders", a_case("odd")),
        UnmatchedCase("orders", a_case("kept")),
    ]

    found, unused = removed_cases(
        missing, {"refunds::*": "gone", "o?d": "odd", "nothing": "never", "old": "later"}
    )

    assert found == [
        RemovedCase(evaluation="refunds", case="old", reason="gone"),
        RemovedCase(evaluation="refunds", case="late", reason="gone"),
        RemovedCase(evaluation="orders", case="odd", reason="odd"),
    ]
    assert [each.name for each in found] == ["refunds::old", "refunds::late", "orders::odd"]
    assert unused == ["nothing"]


def test_a_pattern_by_which_the_remaining_cases_could_vanish_is_refused() -> None:
    missing = [UnmatchedCase("e", a_case("c1"))]
    remaining = [MatchedCase("e", a_case(name), a_case(name)) for name in ("c2", "c3")]

    for pattern in ("c*", "e::*", "[!x]?"):
        with pytest.raises(InvalidSettings, match="matches every case"):
            removed_cases(missing, {pattern: "gone"}, remaining)
    found, _ = removed_cases(missing, {"c[12]": "gone", "x*": "none is missing"}, remaining)
    assert [each.case for each in found] == ["c1"]
