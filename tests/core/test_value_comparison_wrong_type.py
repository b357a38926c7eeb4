"""What is said of a value of another type."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from datetime import date
from math import nan
from typing import Any

import pytest

from callscore.core.rules import Matcher, Verdict
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context, wrong_type

CONTEXT = make_context(Settings())


@pytest.mark.parametrize(
    ("given", "english", "russian"),
    [
        ("350", "a string, not a number", "строка, а не число"),
        (True, "a boolean, not a number", "логическое значение, а не число"),
        (None, "null, not a number", "null, а не число"),
        ({}, "an object, not a number", "объект, а не число"),
        ([], "an array, not a number", "массив, а не число"),
        (date(2024, 1, 15), "date, not a number", "date, а не число"),
    ],
)
def test_the_type_is_named_and_the_one_that_is_wanted(
    given: Any, english: str, russian: str
) -> None:
    note = wrong_type(given, "number").note

    assert note is not None
    assert (note.text("en"), note.text("ru")) == (english, russian)


def test_a_number_that_json_cannot_spell_is_a_number_all_the_same() -> None:
    assert wrong_type(nan, "number") == Verdict(matched=False, value=0.0)


@pytest.mark.parametrize(
    ("matcher", "given", "note"),
    [
        (Matcher("$approx", 350), "350", "a string, not a number"),
        (Matcher("$gt", 1), "2", "a string, not a number"),
        (Matcher("$contains", "5"), 5, "a number, not a string"),
        (Matcher("$text", "5"), 5, "a number, not a string"),
        (Matcher("$regex", "5"), 5, "a number, not a string"),
    ],
)
def test_rules_about_numbers_and_text_say_so(matcher: Matcher, given: Any, note: str) -> None:
    verdict = compare_value(matcher, given, CONTEXT)

    assert not verdict.matched
    assert verdict.note is not None
    assert verdict.note.text("en") == note
