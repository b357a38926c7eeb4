"""Folding: which texts are the same once something is ignored."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.folding import FOLDS, fold


@pytest.mark.parametrize(
    ("ignored", "left", "right"),
    [
        ("case", "СТРАННО ß", "странно SS"),
        ("space", " New \t\u00a0York\n", "New York"),
        ("punctuation", "«St. John's!»", "St Johns"),
        ("punctuation", "New-York/New_York", "New York New York"),
        ("punctuation", "a\u2014b\uff0fc", "a b c"),
        ("punctuation", "1,000", "1000"),
        ("width", "\uff28\uff2f\uff34\uff25\uff2c \u2460", "HOTEL 1"),
    ],
)
def test_what_is_ignored_makes_no_difference(ignored: str, left: str, right: str) -> None:
    others = tuple(name for name in FOLDS if name != ignored)

    assert fold(left, (ignored,)) == fold(right, (ignored,))
    assert fold(left, others) != fold(right, others)


def test_accents_are_composed_whatever_is_ignored() -> None:
    assert fold("caf\u00e9", ()) == fold("cafe\u0301", ())


def test_nothing_else_is_touched_where_nothing_is_ignored() -> None:
    assert fold(" New-York! \uff11", ()) == " New-York! \uff11"


@pytest.mark.parametrize(("left", "right"), [("3.14", "314"), ("v1.2", "v12"), ("C++", "C")])
def test_a_decimal_point_and_a_sign_of_mathematics_are_no_punctuation(
    left: str, right: str
) -> None:
    assert fold(left) != fold(right)


def test_an_accent_behind_a_dropped_mark_joins_its_letter() -> None:
    assert fold("caf e!\u0301") == "caf \u00e9"


def test_a_full_stop_is() -> None:
    assert fold("No. 5.") == fold("no 5")


@given(st.text(), st.lists(st.sampled_from(FOLDS)).map(tuple))
def test_a_folded_text_has_nothing_left_to_fold(text: str, ignore: tuple[str, ...]) -> None:
    once = fold(text, ignore)

    assert fold(once, ignore) == once


def test_a_hundred_thousand_accents_on_one_letter_take_no_time() -> None:
    hostile = "a" + "\u0301\u0316" * 100_000

    assert fold(hostile) == hostile
    assert fold("e\u0301 " + "b" * 1000) == "\u00e9 " + "b" * 1000
