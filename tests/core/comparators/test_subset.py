"""`$subset`: the members that must be there."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.comparator import check
from callscore.core.comparison import compare, context_for
from callscore.core.matcher import ABSENT, Matcher
from callscore.core.settings import Settings
from callscore.core.verdict import Part

CONTEXT = context_for(Settings())


def test_each_member_that_fails_is_a_part() -> None:
    wanted = {"a": 1, "b": Matcher("$gt", 5), "c": 3, "d": 4}

    verdict = compare(Matcher("$subset", wanted), {"a": 1, "b": 5, "d": 4, "e": 5}, CONTEXT)

    assert not verdict.matched
    assert verdict.value == 0.5
    assert verdict.parts == (Part("b", Matcher("$gt", 5), 5), Part("c", 3, ABSENT))


def test_a_member_may_be_optional_or_forbidden() -> None:
    matcher = Matcher("$subset", {"a": Matcher("$optional", 1), "b": Matcher("$absent")})

    assert compare(matcher, {}, CONTEXT).matched
    assert compare(matcher, {"a": 1}, CONTEXT).matched
    assert not compare(matcher, {"a": 2}, CONTEXT).matched
    assert not compare(matcher, {"b": None}, CONTEXT).matched


def test_what_is_inside_a_member_must_be_equal() -> None:
    matcher = Matcher("$subset", {"a": {"b": 1}})

    assert not compare(matcher, {"a": {"b": 1, "c": 2}}, CONTEXT).matched


def test_no_members_are_in_every_object_and_in_nothing_else() -> None:
    assert compare(Matcher("$subset", {}), {"a": 1}, CONTEXT).matched
    assert not compare(Matcher("$subset", {}), [], CONTEXT).matched


@pytest.mark.parametrize("value", [[], None, "a", 5])
def test_its_value_is_an_object(value: Any) -> None:
    assert check(Matcher("$subset", value)) is not None


def test_a_hundred_levels_of_rules_are_followed() -> None:
    wanted: Any = 1
    given: Any = 1
    for _ in range(50):
        wanted = Matcher("$subset", {"a": Matcher("$unordered", [wanted, 0])})
        given = {"a": [0, given], "b": 2}

    assert compare(wanted, given, CONTEXT).matched
