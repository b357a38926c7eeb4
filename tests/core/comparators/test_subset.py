"""`$subset`: the members that must be there."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.budget import Budget
from callscore.core.rules import ABSENT, FailedPart, Matcher, check_matcher
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context

CONTEXT = make_context(Settings(), Budget(10**12))


def test_each_member_that_fails_is_a_part() -> None:
    wanted = {"a": 1, "b": Matcher("$gt", 5), "c": 3, "d": 4}

    verdict = compare_value(Matcher("$subset", wanted), {"a": 1, "b": 5, "d": 4, "e": 5}, CONTEXT)

    assert not verdict.matched
    assert verdict.value == 0.5
    assert verdict.parts == (FailedPart("b", Matcher("$gt", 5), 5), FailedPart("c", 3, ABSENT))


def test_a_member_may_be_optional_or_forbidden() -> None:
    matcher = Matcher("$subset", {"a": Matcher("$optional", 1), "b": Matcher("$absent")})

    assert compare_value(matcher, {}, CONTEXT).matched
    assert compare_value(matcher, {"a": 1}, CONTEXT).matched
    assert not compare_value(matcher, {"a": 2}, CONTEXT).matched
    assert not compare_value(matcher, {"b": None}, CONTEXT).matched


def test_what_is_inside_a_member_must_be_equal() -> None:
    matcher = Matcher("$subset", {"a": {"b": 1}})

    assert not compare_value(matcher, {"a": {"b": 1, "c": 2}}, CONTEXT).matched


def test_no_members_are_in_every_object_and_in_nothing_else() -> None:
    assert compare_value(Matcher("$subset", {}), {"a": 1}, CONTEXT).matched
    assert not compare_value(Matcher("$subset", {}), [], CONTEXT).matched


@pytest.mark.parametrize("value", [[], None, "a", 5])
def test_its_value_is_an_object(value: Any) -> None:
    assert check_matcher(Matcher("$subset", value)) is not None


def test_a_hundred_levels_of_rules_are_followed() -> None:
    wanted: Any = 1
    given: Any = 1
    for _ in range(50):
        wanted = Matcher("$subset", {"a": Matcher("$unordered", [wanted, 0])})
        given = {"a": [0, given], "b": 2}

    assert compare_value(wanted, given, CONTEXT).matched
