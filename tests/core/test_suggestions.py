"""What was probably meant."""

from __future__ import annotations

import pytest

from callscore.core.suggestions import closest_word, did_you_mean, suggestion_or_choices

WORDS = ("strict", "flexible", "argument_match_threshold", "$approx")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("stric", "strict"),
        ("Flexible", "flexible"),
        ("threshold", "argument_match_threshold"),
        ("argument-match-treshold", "argument_match_threshold"),
        ("aprox", "$approx"),
        ("$aprox", "$approx"),
        ("loose", None),
        ("ct", None),
        ("", None),
        (" ", None),
    ],
)
def test_the_nearest_word_is_spelled_alike_or_has_it_inside(word: str, meant: str | None) -> None:
    assert closest_word(word, WORDS) == meant


def test_a_question_follows_only_where_there_is_an_answer() -> None:
    assert did_you_mean("stric", WORDS) == ". Did you mean 'strict'?"
    assert did_you_mean("loose", WORDS) == ""
    assert did_you_mean(5, WORDS) == ""


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("stric", ". Did you mean 'strict'?"),
        ("zzz", f". Choose from: {', '.join(WORDS)}."),
        (None, f". Choose from: {', '.join(WORDS)}."),
    ],
)
def test_the_choices_are_listed_if_none_is_close(word: object, hint: str) -> None:
    assert suggestion_or_choices(word, WORDS) == hint
