"""What was probably meant."""

from __future__ import annotations

import pytest

from callscore.core.nearest import meant_by, nearest

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
    assert nearest(word, WORDS) == meant


def test_a_question_follows_only_where_there_is_an_answer() -> None:
    assert meant_by("stric", WORDS) == ". Is 'strict' meant?"
    assert meant_by("loose", WORDS) == ""
    assert meant_by(5, WORDS) == ""
