"""`$contains`: text in text, letter by letter."""

from __future__ import annotations

from callscore.core.budget import Budget
from callscore.core.rules import Matcher, check_matcher
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context

CONTEXT = make_context(Settings(), Budget(10**12))


def test_an_array_that_has_the_text_as_an_item_does_not_contain_it() -> None:
    assert not compare_value(Matcher("$contains", "a"), ["a"], CONTEXT).matched


def test_no_text_is_in_every_text() -> None:
    assert compare_value(Matcher("$contains", ""), "a", CONTEXT).matched


def test_a_number_cannot_be_contained() -> None:
    assert check_matcher(Matcher("$contains", 5)) == "expected text, got 5."
