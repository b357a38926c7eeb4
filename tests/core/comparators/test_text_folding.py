"""Folding: which texts are the same once something is ignored."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.comparators.text import IGNORABLE, fold


@pytest.mark.parametrize(
    ("ignored", "left", "right"),
    [
        ("case", "СТРАННО ß", "странно SS"),
        ("space", " New \t\u00a0York\n", "New York"),
        ("punctuation", "«St. John's!»", "St Johns"),
        ("punctuation", "New-York/New_York", "New York New York"),
        ("punctuation", "a\u2014b\uff0fc", "a b c"),
        ("punctuation", "(5), 'six'", "5 six"),
        ("punctuation", "a (\u22125)", "a -5"),
        ("punctuation", "a(-5)", "a -5"),
        ("punctuation", "tel. 555-12\u201334", "tel 555 12 34"),
        ("width", "\uff28\uff2f\uff34\uff25\uff2c \u2460", "HOTEL 1"),
    ],
)
def test_what_is_ignored_makes_no_difference(ignored: str, left: str, right: str) -> None:
    others = tuple(name for name in IGNORABLE if name != ignored)

    assert fold(left, (ignored,)) == fold(right, (ignored,))
    assert fold(left, others) != fold(right, others)


def test_accents_are_composed_whatever_is_ignored() -> None:
    assert fold("caf\u00e9", ()) == fold("cafe\u0301", ())


def test_nothing_else_is_touched_where_nothing_is_ignored() -> None:
    assert fold(" New-York! \uff11", ()) == " New-York! \uff11"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("3.14", "314"),
        ("v1.2", "v12"),
        ("C++", "C"),
        ("C#", "C"),
        ("-5", "5"),
        ("from -5 to 5", "from 5 to 5"),
        ("(-5)", "(5)"),
        ("-$5", "$5"),
        (".5", "5"),
        ("-.5", "-5"),
        ("3,14", "314"),
        ("1,5", "15"),
        ("12:30", "1230"),
        ("1/2", "12"),
        ("1/2", "1 2"),
        ("10%", "10"),
        ("5\u2030", "5"),
        ("R&D", "RD"),
        ("@anna", "anna"),
        ("2*3", "23"),
        ("\u20ac5", "5"),
    ],
)
def test_what_makes_another_number_or_name_is_no_punctuation(left: str, right: str) -> None:
    assert fold(left) != fold(right)


@pytest.mark.parametrize(
    ("left", "right"), [("\u22125", "-5"), ("\u20135", "-5"), ("\u00bd", "1/2")]
)
def test_a_sign_is_the_same_however_it_is_drawn(left: str, right: str) -> None:
    assert fold(left) == fold(right)


@pytest.mark.parametrize("dashed", ["UA-123", "UA - 123", "UA/123", "UA_123", "UA\u2212123"])
def test_a_dash_that_is_no_sign_is_a_space(dashed: str) -> None:
    assert fold(dashed) == "ua 123"


@pytest.mark.parametrize(("left", "right"), [("...", ""), ("!", "?"), ("-", "/"), ("( )", " ")])
def test_a_text_of_nothing_but_marks_is_not_the_same_as_another(left: str, right: str) -> None:
    assert fold(left) != fold(right)
    assert fold(left) == fold(f" {left} ")


def test_an_accent_behind_a_dropped_mark_joins_its_letter() -> None:
    assert fold("caf e!\u0301") == "caf \u00e9"


def test_a_full_stop_is() -> None:
    assert fold("No. 5.") == fold("no 5")


MARKS = st.text(st.sampled_from(" \t-\u2212\u2013.,:/%#($5a1'\"_)\u0301\uff0e\uff11\u00bd"))


@given(st.text() | MARKS, st.lists(st.sampled_from(IGNORABLE)).map(tuple))
def test_a_folded_text_has_nothing_left_to_fold(text: str, ignore: tuple[str, ...]) -> None:
    once = fold(text, ignore)

    assert fold(once, ignore) == once


def test_a_hundred_thousand_accents_on_one_letter_take_no_time() -> None:
    hostile = "a" + "\u0301\u0316" * 100_000

    assert fold(hostile) == hostile
    assert fold("e\u0301 " + "b" * 1000) == "\u00e9 " + "b" * 1000
