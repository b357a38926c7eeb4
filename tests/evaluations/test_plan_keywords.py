"""`-k`: words, `and`, `or`, `not`, brackets and quotes."""

from __future__ import annotations

import pytest

from callscore.errors import InvalidSettings
from callscore.evaluations.plan import keyword_filter

NAMES = ("assistant", "gpt-4.1", "weather-in-paris")


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "PARIS",
        "london and madrid or paris",
        "paris or london and madrid",
        "(paris or london) and not (madrid or rome)",
        "NOT london",
    ],
)
def test_an_expression_that_fits(expression: str) -> None:
    assert keyword_filter(expression)(NAMES)


@pytest.mark.parametrize(
    "expression",
    ["london", "not paris", "paris and london", "(paris or london) and rome", "not (paris or x)"],
)
def test_an_expression_that_does_not_fit(expression: str) -> None:
    assert not keyword_filter(expression)(NAMES)


@pytest.mark.parametrize(
    ("expression", "is_fit"),
    [
        ('"c (x)"', True),
        ("'C (X)'", True),
        ('("rock and roll") and not "c (y)"', True),
        ('"and roll" and "c (y)"', False),
        ('"and"', True),
        ("don't", True),
        ("'tis", False),
    ],
)
def test_in_quotes_a_word_may_have_anything_in_it(expression: str, is_fit: bool) -> None:
    assert keyword_filter(expression)(("rock and roll", "c (x)", "don't")) is is_fit


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("paris london", "`and` or `or` is missing before 'london'"),
        ("and paris", "a word is missing before 'and'"),
        ("(paris", "a parenthesis is not closed"),
        ("paris)", "a parenthesis is not opened"),
        ("not " * 500 + "a", "too many nested parentheses"),
    ],
)
def test_an_invalid_keyword_expression_is_refused(expression: str, problem: str) -> None:
    with pytest.raises(InvalidSettings, match="-k ") as caught:
        keyword_filter(expression)

    assert problem in str(caught.value)
