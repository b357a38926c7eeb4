"""`$text`: equal when folded, or alike enough."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from callscore.core.budget import Budget
from callscore.core.comparators.text import IGNORABLE, fold
from callscore.core.rules import Matcher, Verdict
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context

CONTEXT = make_context(Settings(), Budget(10**12))


def verdict(wanted: str, given: Any, **options: Any) -> Verdict:
    return compare_value(Matcher("$text", wanted, options), given, CONTEXT)


def test_texts_that_are_too_long_are_told_so_unless_they_are_equal() -> None:
    long = "ab" * 100_000
    found = verdict(long, "c" + long, similarity=0.5)

    assert not found.matched
    assert found.note is not None
    assert found.note.text("en") == "the texts are too long to compare"
    assert verdict(long, long.upper(), similarity=0.5).matched


# Folding: which texts are the same once something is ignored.


MARKS = st.text(st.sampled_from(" \t-\u2212\u2013.,:/%#($5a1'\"_)\u0301\uff0e\uff11\u00bd"))


@given(st.text() | MARKS, st.lists(st.sampled_from(IGNORABLE)).map(tuple))
def test_a_folded_text_has_nothing_left_to_fold(text: str, ignore: tuple[str, ...]) -> None:
    once = fold(text, ignore)

    assert fold(once, ignore) == once


def test_a_hundred_thousand_accents_on_one_letter_take_no_time() -> None:
    hostile = "a" + "\u0301\u0316" * 100_000

    assert fold(hostile) == hostile
    assert fold("e\u0301 " + "b" * 1000) == "\u00e9 " + "b" * 1000
