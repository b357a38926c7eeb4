"""A rule as a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core import rules as matcher
from callscore.core.rules import ABSENT, Matcher, contains_matchers

if TYPE_CHECKING:
    import pytest


def test_what_is_absent_says_so() -> None:
    assert repr(ABSENT) == "ABSENT"


def test_where_no_rule_was_ever_made_nothing_has_to_be_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(matcher, "_used_keys", set())

    assert not contains_matchers({"a": [1]})
    assert contains_matchers({"a": [Matcher("$any")]})


def test_rules_are_equal_where_they_say_the_same() -> None:
    assert Matcher("$gt", 1, {"$lte": 5}) == Matcher("$gt", 1, {"$lte": 5})
    assert Matcher("$gt", 1) != Matcher("$gte", 1)
