"""`$contains`: text in text, letter by letter."""

from __future__ import annotations

from callscore.core.comparator import check
from callscore.core.comparison import compare, context_for
from callscore.core.matcher import Matcher
from callscore.core.settings import Settings

CONTEXT = context_for(Settings())


def test_an_array_that_has_the_text_as_an_item_does_not_contain_it() -> None:
    assert not compare(Matcher("$contains", "a"), ["a"], CONTEXT).matched


def test_no_text_is_in_every_text() -> None:
    assert compare(Matcher("$contains", ""), "a", CONTEXT).matched


def test_a_number_cannot_be_contained() -> None:
    assert check(Matcher("$contains", 5)) == "text is wanted, not 5."
